import { afterAll, beforeAll, describe } from "vitest";
import { type Matchmaker, startMatchmaker } from "../../support/arena.ts";
import { activityTests } from "./activity.suite.ts";
import { backendsTests } from "./backends.suite.ts";
import { blocksTests } from "./blocks.suite.ts";
import { codesTests, takenCodesTests } from "./codes.suite.ts";
import { comingBackTests } from "./coming-back.suite.ts";
import { creatingTests } from "./creating.suite.ts";
import { decisionsTests } from "./decisions.suite.ts";
import { findingTests } from "./finding.suite.ts";
import { gatewayPortsTests } from "./gateway-ports.suite.ts";
import { isolationTests } from "./isolation.suite.ts";
import { playerKeysTests } from "./keys.suite.ts";
import { limitsTests } from "./limits.suite.ts";
import { lobbiesTests } from "./lobbies.suite.ts";
import { operatorsTests } from "./operators.suite.ts";
import { originsTests } from "./origins.suite.ts";
import { playersTests } from "./players.suite.ts";
import { previewFindTests } from "./preview-find.suite.ts";
import { smallThingsTests } from "./small-things.suite.ts";
import { startedTests } from "./started.suite.ts";
import { viewsTests } from "./views.suite.ts";
import { warningsTests } from "./warnings.suite.ts";
import { watchingTests } from "./watching.suite.ts";

/** The same answers, with live lobbies in Redis: on one server, and spread over a Cluster. */
describe.each(["redis", "cluster"] as const)("matchmaker on %s", (kind) => {
  let matchmaker: Matchmaker;
  const at = () => matchmaker;

  beforeAll(async () => {
    matchmaker = await startMatchmaker(kind, { findWaitS: 3600 });
  });
  afterAll(() => matchmaker?.service.close());

  describe("find", () => findingTests(at));
  describe("lobbies", () => lobbiesTests(at));
  describe("players", () => playersTests(at));
  describe("coming back", () => comingBackTests(at));
  describe("limits and keys", () => limitsTests(at));
  describe("lobbies that are started", () => startedTests(at));
  describe("creating lobbies", () => creatingTests(at));
  describe("lists and the operator's view", () => viewsTests(at));
  describe("watching the list", () => watchingTests(at));
  describe("lobbies that do not work", () => warningsTests(at));
  describe("activity", () => activityTests(at));
  describe("decisions", () => decisionsTests(at));
  describe("previews of finds", () => previewFindTests(at));
  describe("small things", () => smallThingsTests(at));
  describe("ports behind the gateway", () => gatewayPortsTests(at));
  describe("blocks", () => blocksTests(at));
  describe("operators", () => operatorsTests(at));
  describe("origins", () => originsTests(at));
  describe("backends of studios", () => backendsTests(at));
  describe("join codes", () => codesTests(at));
  describe("player keys", () => playerKeysTests(at));
  describe("isolation", () => isolationTests(at));
});

describe("codes that are taken, on redis", () => takenCodesTests("redis"));
