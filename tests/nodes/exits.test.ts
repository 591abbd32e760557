import { expect, test } from "vitest";
import { listenTo } from "../support/event-streams.ts";
import { type Service, until } from "../support/harness.ts";
import { createWorld, lobbyVersion } from "../support/runtime-world.ts";
import { install } from "./installation.ts";

const exit = { exit_code: 5, exit_signal: null, exit_message: "The operator stopped it." };

test("[RT18] [ND6] how a stopped lobby's process ended is the same on every node, also after all were restarted", async () => {
  const installation = await install();
  const runs = await installation.start("runs");
  const asks = await installation.start("asks", { maxLobbyProcesses: 0 });
  const world = await createWorld(asks, lobbyVersion({}, { BEHAVIOUR: "tidy" }));
  const found = await world.find();
  expect(found.status).toBe(200);
  const path = `${world.namespace.path}/lobbies/${found.json.lobby.lobby_id}`;
  const exitOn = async (node: Service) => {
    const { lobby } = await node.admin("GET", path);
    const { lobbies } = await node.admin("GET", `${world.namespace.path}/lobbies?include_stopped=true`);
    return [lobby, lobbies[0]].map(({ exit_code, exit_signal, exit_message }) => ({
      exit_code,
      exit_signal,
      exit_message,
    }));
  };

  // The end of the log is sent when the process is gone, before its end is recorded.
  const following = await listenTo(asks, `${path}/logs?follow=true`, { token: asks.adminToken });
  await asks.admin("DELETE", path);
  await following.ended;
  expect(following.events().at(-1)?.data).toEqual({ event: "end", stop_reason: "operator", ...exit });
  await until(async () => (await exitOn(asks))[1]?.exit_code === 5);
  expect(await exitOn(asks)).toEqual([exit, exit]);
  expect(await exitOn(runs)).toEqual([exit, exit]);

  await installation.stop(runs);
  await installation.stop(asks);
  const later = await installation.start("later", { maxLobbyProcesses: 0 });
  expect(await exitOn(later)).toEqual([exit, exit]);
  const again = await listenTo(later, `${path}/logs?follow=true`, { token: later.adminToken });
  await again.ended;
  expect(again.events().at(-1)?.data).toEqual({ event: "end", stop_reason: "operator", ...exit });
});
