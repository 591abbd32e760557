import { expect, test } from "vitest";
import { createRemoteRoutes } from "./remote-routes.ts";

const describeLobby = (lobbyId: string, isStopped: boolean) => ({
  ...{ lobbyId, isStopped, namespaceId: "n", maxPlayersDirect: 4, node: "here" as const, hosts: [], seated: [] },
  ...{ blocks: [], domains: [], allowsLocalhost: false, ports: { web: { port: 1, protocol: "http" as const } } },
});

test("[GW41] questions about lobbies that do not exist keep nothing old in use, and are bounded", async () => {
  let now = 0;
  let isStopped = false;
  const routes = createRemoteRoutes({
    ...{ isServiceHere: true, serviceUrl: "http://127.0.0.1:1", steadyNow: () => now, wallClock: () => now },
    ask: (id) => {
      if (id.startsWith("known")) return Promise.resolve(describeLobby(id, isStopped));
      return new Promise(() => undefined);
    },
  });
  expect(await routes.find("known", "web")).toMatchObject({ lobbyId: "known" });
  for (let index = 0; index < 64; index++) void routes.find(`unknown-${index}`, "web");
  expect(await routes.find("unknown-64", "web")).toMatchObject({ code: "API_UNAVAILABLE", retryAfterS: 1 });
  now = 10_000;
  isStopped = true;
  expect(await routes.find("known", "web")).toMatchObject({ code: "MATCHMAKER_LOBBY_STOPPED" });
});

test("[GW41] with too many questions about known lobbies open, what is old is 503 and not used", async () => {
  let now = 0;
  let isHeld = false;
  const routes = createRemoteRoutes({
    ...{ isServiceHere: true, serviceUrl: "http://127.0.0.1:1", steadyNow: () => now, wallClock: () => now },
    ask: async (id) => (isHeld ? new Promise(() => undefined) : describeLobby(id, false)),
  });
  for (let index = 0; index <= 1_000; index++) await routes.find(`known-${index}`, "web");
  now = 10_000;
  isHeld = true;
  for (let index = 0; index < 1_000; index++) void routes.find(`known-${index}`, "web");
  expect(await routes.find("known-1000", "web")).toMatchObject({ code: "API_UNAVAILABLE", retryAfterS: 1 });
});
