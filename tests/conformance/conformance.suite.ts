import type { EngineFactory } from "../support/world.ts";
import { blockingSuite } from "./blocking.suite.ts";
import { closingSuite } from "./closing.suite.ts";
import { comingBackSuite } from "./coming-back.suite.ts";
import { creatingSuite } from "./creating.suite.ts";
import { deploysSuite } from "./deploys.suite.ts";
import { eventsSuite } from "./events.suite.ts";
import { explainingSuite } from "./explaining.suite.ts";
import { findingSuite } from "./finding.suite.ts";
import { heartbeatsSuite } from "./heartbeats.suite.ts";
import { idempotencySuite } from "./idempotency.suite.ts";
import { isolationSuite } from "./isolation.suite.ts";
import { joiningSuite } from "./joining.suite.ts";
import { leasesSuite } from "./leases.suite.ts";
import { limitsSuite } from "./limits.suite.ts";
import { operatorClosingSuite } from "./operator-closing.suite.ts";
import { placingSuite } from "./placing.suite.ts";
import { playersSuite } from "./players.suite.ts";
import { readinessSuite } from "./readiness.suite.ts";
import { seatsAndExpirySuite } from "./seats-and-expiry.suite.ts";
import { statisticsAndListsSuite } from "./statistics-and-lists.suite.ts";
import { stoppingSuite } from "./stopping.suite.ts";
import { warmPoolSuite } from "./warm-pool.suite.ts";

/** Every rule, on one engine. An engine that runs this has been asked everything that the others have. */
export function everySuite(factory: EngineFactory): void {
  blockingSuite(factory);
  closingSuite(factory);
  comingBackSuite(factory);
  creatingSuite(factory);
  deploysSuite(factory);
  eventsSuite(factory);
  explainingSuite(factory);
  findingSuite(factory);
  heartbeatsSuite(factory);
  idempotencySuite(factory);
  isolationSuite(factory);
  joiningSuite(factory);
  leasesSuite(factory);
  limitsSuite(factory);
  operatorClosingSuite(factory);
  placingSuite(factory);
  playersSuite(factory);
  readinessSuite(factory);
  seatsAndExpirySuite(factory);
  statisticsAndListsSuite(factory);
  stoppingSuite(factory);
  warmPoolSuite(factory);
}
