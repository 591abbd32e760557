import { blockingSuite } from "./blocking.ts";
import { closingSuite } from "./closing.ts";
import { creatingSuite } from "./creating.ts";
import { deploysSuite } from "./deploys.ts";
import { eventsSuite } from "./events.ts";
import { explainingSuite } from "./explaining.ts";
import { findingSuite } from "./finding.ts";
import { heartbeatsSuite } from "./heartbeats.ts";
import { idempotencySuite } from "./idempotency.ts";
import { isolationSuite } from "./isolation.ts";
import { joiningSuite } from "./joining.ts";
import { leasesSuite } from "./leases.ts";
import { limitsSuite } from "./limits.ts";
import { operatorClosingSuite } from "./operator-closing.ts";
import { placingSuite } from "./placing.ts";
import { playersSuite } from "./players.ts";
import { readinessSuite } from "./readiness.ts";
import { seatsAndExpirySuite } from "./seats-and-expiry.ts";
import { statisticsAndListsSuite } from "./statistics-and-lists.ts";
import { stoppingSuite } from "./stopping.ts";
import { warmPoolSuite } from "./warm-pool.ts";
import type { EngineFactory } from "./world.ts";

/** Every rule, on one engine. An engine that runs this has been asked everything that the others have. */
export function everySuite(factory: EngineFactory): void {
  blockingSuite(factory);
  closingSuite(factory);
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
