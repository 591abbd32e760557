import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestFoyer } from "../../sdk/src/testing.ts";
import { createSdkProject, runProgram, startTestFoyer } from "./sdk-project.ts";

let project: string;
let foyer: TestFoyer;

beforeAll(async () => {
  project = await createSdkProject();
  foyer = await startTestFoyer(project, { gameModes: { duel: { max_players: 2, codes: { enabled: true } } } });
});

afterAll(() => foyer?.stop());

test("[SK10] startFoyer gives a service with a game, a namespace and tokens, and stops it", async () => {
  const script = `
    import { readdirSync } from "node:fs";
    import { tmpdir } from "node:os";
    import { startFoyer } from "foyer-sdk/testing";
    const foyer = await startFoyer();
    const folders = () => readdirSync(tmpdir()).length;
    const { namespace } = await foyer.admin.games.namespaces.getGameNamespace(foyer.gameId, foyer.namespaceId);
    console.log(namespace.name_id, foyer.publicToken.slice(0, 4), foyer.serverToken.slice(0, 7), folders());
    await foyer.stop();
    console.log(folders(), await fetch(foyer.endpoint).catch(() => "no answer"));`;
  writeFileSync(join(project, "whole.js"), script);
  const temporary = join(project, "temporary");
  mkdirSync(temporary);
  const { ended, output } = runProgram(project, "whole.js", { TMPDIR: temporary });
  expect({ code: await ended, output: output() }).toEqual({ code: 0, output: "test pub_ server_ 1\n0 no answer\n" });
});

test("[SK10] a registered lobby has the variables with which a studio's own server runs", async () => {
  const { env, lobbyId, code } = await foyer.registerLobby({ port: 5000 });
  expect(env).toMatchObject({ FOYER_LOBBY_ID: lobbyId, FOYER_LOBBY_CODE: code, FOYER_GAME_MODE: "duel", PORT: "5000" });
  writeFileSync(join(project, "ready.js"), lobbyProgram);
  const { child, printed, ended } = runProgram(project, "ready.js", env);
  await printed("ready");
  const seat = await foyer.matchmaker().join(code!);
  expect(seat).toMatchObject({ lobby: { lobby_id: lobbyId }, ports: { default: { url: "ws://127.0.0.1:5000" } } });
  child.kill("SIGKILL");
  await ended;
  await foyer.admin.games.namespaces.lobbies.stop(foyer.gameId, foyer.namespaceId, lobbyId);
});

const lobbyProgram = `
  import { createLobbyServer } from "foyer-sdk/server";
  const lobby = createLobbyServer({ onStopping: (reason) => console.log("stopping", reason) });
  await lobby.ready();
  console.log("ready", lobby.lobbyId, lobby.code);`;

test.each(["SIGTERM", "SIGINT"] as const)("[SK9] %s ends the lobby and then the process", async (signal) => {
  const { env, lobbyId } = await foyer.registerLobby({ port: 5000 });
  writeFileSync(join(project, "lobby.js"), lobbyProgram);
  const { child, printed, ended, output } = runProgram(project, "lobby.js", env);
  await printed("ready");
  child.kill(signal);
  expect({ code: await ended, last: output().trim().split("\n").at(-1) }).toEqual({ code: 0, last: "stopping signal" });
  await expect(foyer.matchmaker().join(lobbyId)).rejects.toMatchObject({ code: "MATCHMAKER_LOBBY_STOPPED" });
});

test("[SK9] a stop by an operator ends the lobby of a running server", async () => {
  const { env, lobbyId } = await foyer.registerLobby({ port: 5000 });
  writeFileSync(join(project, "stopped.js"), lobbyProgram.replace("({ ", "({ heartbeatMs: 50, "));
  const { child, printed, ended } = runProgram(project, "stopped.js", env);
  await printed("ready");
  await foyer.admin.games.namespaces.lobbies.stop(foyer.gameId, foyer.namespaceId, lobbyId);
  await printed("stopping stopped_by_foyer");
  child.kill("SIGTERM");
  expect(await ended).toBe(0);
});

test("[SK5] with a development token the same program runs on mock answers; without any it says what to do", async () => {
  const token = await foyer.createDevelopmentToken({ port: 5000 });
  writeFileSync(join(project, "mock.js"), lobbyProgram.replace("({ ", "({ heartbeatMs: 50, "));
  const variables = { FOYER_TOKEN: token, FOYER_API_ENDPOINT: foyer.endpoint };
  const { child, printed, ended, output } = runProgram(project, "mock.js", variables);
  await printed("ready null null");
  child.kill("SIGTERM");
  expect({ code: await ended, output: output() }).toEqual({ code: 0, output: "ready null null\nstopping signal\n" });
  const without = runProgram(project, "mock.js");
  expect(await without.ended).toBe(1);
  expect(without.output()).toMatch(
    /FOYER_TOKEN and FOYER_API_ENDPOINT are not set: run this server with `foyer dev -- node server\.js`/,
  );
});
