import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { operationList } from "../../../src/contract/index.ts";
import { type Matchmaker, startMatchmaker } from "../../support/arena.ts";
import { wasSeen } from "../seen.ts";
import { activityTests } from "./activity.suite.ts";
import { backendsTests } from "./backends.suite.ts";
import { blockQuotaTests, blocksTests } from "./blocks.suite.ts";
import { codesTests, takenCodesTests } from "./codes.suite.ts";
import { comingBackTests, comingBackWaitingTests } from "./coming-back.suite.ts";
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
import { seatRatesTests } from "./seat-rates.suite.ts";
import { smallThingsTests } from "./small-things.suite.ts";
import { startedTests } from "./started.suite.ts";
import { viewsTests } from "./views.suite.ts";
import { waitingTests } from "./waiting.suite.ts";
import { warningsTests } from "./warnings.suite.ts";
import { watchingTests } from "./watching.suite.ts";

let matchmaker: Matchmaker;
const at = () => matchmaker;

beforeAll(async () => {
  matchmaker = await startMatchmaker("sqlite", { findWaitS: 3600 });
});
afterAll(() => matchmaker?.service.close());

describe("find and join", () => findingTests(at));
describe("what lobbies say", () => lobbiesTests(at));
describe("players", () => playersTests(at));
describe("coming back", () => comingBackTests(at));
describe("coming back to a starting lobby", () => comingBackWaitingTests());
describe("lobbies that Foyer starts", () => startedTests(at));
describe("creating lobbies", () => creatingTests(at));
describe("limits and keys", () => limitsTests(at));
describe("lists and the operator's view", () => viewsTests(at));
describe("watching the list", () => watchingTests(at));
describe("lobbies that do not work", () => warningsTests(at));
describe("activity", () => activityTests(at));
describe("decisions", () => decisionsTests(at));
describe("previews of finds", () => previewFindTests(at));
describe("small things", () => smallThingsTests(at));
describe("ports behind the gateway", () => gatewayPortsTests(at));
describe("blocks", () => blocksTests(at));
describe("the most blocks there may be", () => blockQuotaTests(at));
describe("operators", () => operatorsTests(at));
describe("origins", () => originsTests(at));
describe("backends of studios", () => backendsTests(at));
describe("join codes", () => codesTests(at));
describe("codes that are taken", () => takenCodesTests("sqlite"));
describe("player keys", () => playerKeysTests(at));
describe("isolation", () => isolationTests(at));
describe("seats in a minute", () => seatRatesTests());
describe("waiting", () => waitingTests());

test("every outcome that the contract declares was seen", () => {
  // Logs and the history of lobbies are shown by the tests of the programs that write them.
  const live = operationList.filter(
    ([id, { path }]) =>
      path.startsWith("/matchmaker/") ||
      /^games\.namespaces\.(getActivity|listDecisions|lobbies\.(list|get|setClosed|stop|previewFind)|blocks\.\w+)$/.test(
        id,
      ),
  );
  const declared = live.flatMap(([id, { errors }]) => ["ok", ...errors].map((code) => ({ id, code })));
  declared.push({ id: "games.namespaces.deleteGameNamespace", code: "CLOUD_NAMESPACE_NOT_EMPTY" });
  declared.push({ id: "games.deleteGame", code: "CLOUD_NAMESPACE_NOT_EMPTY" });
  expect(declared.filter(({ id, code }) => !wasSeen("sqlite", id, code))).toEqual([]);
});
