import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Listener, listenTo } from "../support/event-streams.ts";
import type { Answer, Service } from "../support/harness.ts";
import { createNamespace, until } from "../support/harness.ts";
import {
  connectTo,
  createWorld,
  lobbyPids,
  lobbyVersion,
  type Player,
  startRuntimeService,
  type World,
} from "../support/runtime-world.ts";
import { isRunning } from "./driver.ts";

const version = lobbyVersion({ max_players: 1 }, { BEHAVIOUR: "tidy" });
const pathOf = (world: World, found: Answer) => `${world.namespace.path}/lobbies/${found.json.lobby.lobby_id}`;
const say = (player: Player, text: string) => player.ask(`say ${JSON.stringify(text)}`);
const textsOf = (listener: Listener) =>
  listener.events().map(({ event, data }) => (event === "line" ? data.text : `<${event}>`));

async function endPlayers(dataDir: string): Promise<void> {
  for (const pid of lobbyPids(dataDir).filter(isRunning)) process.kill(-pid, "SIGKILL");
}

describe("following a log", () => {
  let service: Service;
  let world: World;
  let found: Answer;
  let player: Player;

  const follow = (lastEventId?: string, query = "", at = found) =>
    listenTo(service, `${pathOf(world, at)}/logs?follow=true${query}`, {
      token: service.adminToken,
      ...(lastEventId !== undefined && { lastEventId }),
    });

  beforeAll(async () => {
    service = await startRuntimeService();
    world = await createWorld(service, version);
    found = await world.find();
    player = await connectTo(found);
    player.socket.on("error", () => undefined);
    await until(async () => (await service.admin("GET", `${pathOf(world, found)}/logs`)).text.includes("ready"));
  });
  afterAll(async () => {
    await service.admin("DELETE", `${world.namespace.path}?force=true`);
    await until(() => lobbyPids(service.dataDir).length === 0);
    await service.close();
  });

  test("[RT17] existing lines come first, then each line when it is written, of the requested stream", async () => {
    const [out, err] = [await follow(), await follow(undefined, "&stream=stderr")];
    expect(out.status).toBe(200);
    expect(out.headers["content-type"]).toBe("text/event-stream; charset=utf-8");
    await out.first(2);
    await say(player, "first\r\nsecond ");
    await player.ask('complain "oh\\n"');
    await out.first(3);
    await say(player, "half ä€😀\n\nlast\n");
    await until(() => textsOf(out).length === 6 && textsOf(err).length === 1);
    expect(textsOf(out)).toEqual(["starting", "ready: 204", "first", "second half ä€😀", "", "last"]);
    expect(textsOf(err)).toEqual(["oh"]);
    out.leave();
    err.leave();
  });

  test("[RT17] a listener that reconnects with the last id it has seen continues after that line", async () => {
    const all = await follow();
    const events = await all.first(6);
    all.leave();
    const again = await follow(events[3]!.id);
    await say(player, "after\n");
    await again.first(3);
    expect(textsOf(again)).toEqual(["", "last", "after"]);
    again.leave();
    for (const unknown of ["stderr-3", "stdout-99999999", "nonsense"]) {
      const anew = await follow(unknown);
      await anew.first(8);
      expect(textsOf(anew)).toEqual(["<reset>", ...textsOf(all), "after"]);
      anew.leave();
    }
  });

  test("[RT17] no token is sent, also in a line so long that it is sent in pieces", async () => {
    const listener = await follow();
    const before = (await listener.first(7)).length;
    const secret = `lobby_${"a".repeat(40)}.${"b".repeat(40)}`;
    await say(player, `${"x".repeat(16_300)} ${secret} ${"y".repeat(100)}\n`);
    await until(() => textsOf(listener).at(-1)!.endsWith("y"));
    const pieces = listener.events().slice(before);
    expect(pieces.map(({ data }) => data.is_cut ?? false)).toEqual([true, false]);
    const text = pieces.map(({ data }) => data.text).join("");
    expect(text).toBe(`${"x".repeat(16_300)} lobby_[redacted] ${"y".repeat(100)}`);
    listener.leave();
  });

  test("[RT17] [RT18] when the lobby has ended and the whole log was sent, the end says why, and the stream ends", async () => {
    const other = await world.find();
    const listener = await follow(undefined, "", other);
    await listener.first(2);
    await say(await connectTo(other), "without a line break");
    await service.admin("DELETE", pathOf(world, other));
    await listener.ended;
    const [last] = listener.events().slice(-1);
    expect(textsOf(listener)).toEqual(["starting", "ready: 204", "without a line breaksaved", "<end>"]);
    const end = {
      event: "end",
      stop_reason: "operator",
      exit_code: 5,
      exit_signal: null,
      exit_message: "The operator stopped it.",
    };
    expect(last!.data).toEqual(end);
    // Afterwards it is the same at once, and after the last line there is nothing but the end.
    const again = await follow(undefined, "", other);
    await again.ended;
    expect(again.events()).toEqual(listener.events());
    const rest = await follow(last!.id, "", other);
    await rest.ended;
    expect(rest.events().map(({ data }) => data)).toEqual([end]);
  });

  test("[RT18] how a lobby's process ended that was stopped is in the operator's view and in the history", async () => {
    const other = await world.find();
    const lobbyId = other.json.lobby.lobby_id;
    await service.admin("DELETE", pathOf(world, other));
    const exit = { exit_code: 5, exit_signal: null, exit_message: "The operator stopped it." };
    const ofList = async () => (await world.lobbies(true)).find(({ lobby_id }) => lobby_id === lobbyId);
    await until(async () => (await ofList()).exit_code === 5);
    expect(await ofList()).toMatchObject({ stop_reason: "operator", ...exit });
    expect((await service.admin("GET", pathOf(world, other))).lobby).toMatchObject(exit);
    const ofHistory = async () => {
      const { lobbies } = await service.admin("GET", `${world.namespace.path}/lobby-history`);
      return lobbies.find(({ lobby_id }: { lobby_id: string }) => lobby_id === lobbyId);
    };
    await until(async () => (await ofHistory())?.exit_code === 5);
    expect(await ofHistory()).toMatchObject({ stop_reason: "operator", ...exit });
  });

  test("[RT17] another namespace's lobby, a wrong value and a HEAD are answered like any request", async () => {
    const other = await createNamespace(service, world.game);
    const ask = (path: string, method = "GET") => service.request(method, path, { token: service.adminToken });
    const foreign = await ask(`${other.path}/lobbies/${found.json.lobby.lobby_id}/logs?follow=true`);
    expect(foreign.json.code).toBe("CLOUD_LOBBY_NOT_FOUND");
    expect((await ask(`${pathOf(world, found)}/logs?follow=maybe`)).json.code).toBe("API_BAD_QUERY");
    expect((await ask(`${pathOf(world, found)}/logs?follow=false`)).json.stream).toBe("stdout");
    const head = await ask(`${pathOf(world, found)}/logs?follow=true`, "HEAD");
    expect([head.status, head.text]).toEqual([200, ""]);
  });

  test("[RT17] the number of followed logs is limited; a follower that leaves frees a slot", async () => {
    const listeners = await Promise.all(Array.from({ length: 64 }, () => follow()));
    const path = `${pathOf(world, found)}/logs?follow=true`;
    const ask = () => service.request("HEAD", path, { token: service.adminToken });
    expect((await ask()).status).toBe(503);
    for (const listener of listeners) listener.leave();
    await until(async () => (await ask()).status === 200);
  });

  test("[RT17] [EV6] a stream ends with its namespace", async () => {
    const own = await createWorld(service, version);
    const asked = await own.find();
    const token = service.adminToken;
    const listener = await listenTo(service, `${pathOf(own, asked)}/logs?follow=true`, { token });
    await listener.first(2);
    await service.admin("DELETE", `${own.namespace.path}?force=true`);
    await listener.ended;
  });
});

describe("a rotated log", () => {
  test("[RT17] is followed without a gap, and a listener that reconnects too late gets a reset", async () => {
    const service = await startRuntimeService({ lobbyLogKib: 16 });
    const world = await createWorld(service, version);
    const found = await world.find();
    const path = `${pathOf(world, found)}/logs?follow=true`;
    const listener = await listenTo(service, path, { token: service.adminToken });
    const [first] = await listener.first(2);
    const player = await connectTo(found);
    const lines: string[] = [];
    // Two rounds are longer than the log may be; the listener keeps up.
    for (let round = 0; round < 6; round++) {
      const block = Array.from({ length: 100 }, (_, index) => `round ${round} line ${index} ${"z".repeat(100)}`);
      lines.push(...block);
      await say(player, `${block.join("\n")}\n`);
      await until(() => listener.events().length === 2 + lines.length);
    }
    expect(textsOf(listener).slice(2)).toEqual(lines);
    // It takes a moment until so much has been written again that the first lines are no longer kept.
    await until(async () => {
      const late = await listenTo(service, path, { token: service.adminToken, lastEventId: first!.id });
      const [reset, ...others] = await late.first(3).then(() => textsOf(late));
      late.leave();
      return reset === "<reset>" && others.every((line) => lines.includes(line));
    });
    const ids = listener.events().map(({ id }) => Number(id.split("-")[1]));
    expect(ids).toEqual([...ids].sort((a, b) => a - b));
    await service.admin("DELETE", `${world.namespace.path}?force=true`);
    await until(() => lobbyPids(service.dataDir).length === 0);
    await service.close();
  });
});

describe("logs after another start of the service", () => {
  test("[RT17] [RT8] a lobby that was taken over is followed on, and how its process ended is not known", async () => {
    const before = await startRuntimeService();
    const earlier = await createWorld(before, version);
    const found = await earlier.find();
    const path = `${pathOf(earlier, found)}/logs?follow=true`;
    const first = await listenTo(before, path, { token: before.adminToken });
    await first.first(2);
    await before.close();
    await first.ended;
    expect(textsOf(first)).toEqual(["starting", "ready: 204"]);

    const after = await startRuntimeService({ dataDir: before.dataDir });
    try {
      const listener = await listenTo(after, path, { token: after.adminToken, lastEventId: first.lastId() });
      const player = await connectTo(found);
      await say(player, "still here\n");
      await listener.first(1);
      await after.admin("DELETE", pathOf(earlier, found));
      await listener.ended;
      expect(textsOf(listener)).toEqual(["still here", "saved", "<end>"]);
      expect(listener.events().at(-1)!.data).toMatchObject({
        stop_reason: "operator",
        exit_code: null,
        exit_signal: null,
        exit_message: "The operator stopped it.",
      });
    } finally {
      await after.close();
      await endPlayers(before.dataDir);
    }
  });

  test("[RT13] logs of lobbies of an earlier run are still read though process is left out", async () => {
    const before = await startRuntimeService();
    const earlier = await createWorld(before, version);
    const found = await earlier.find();
    await until(async () => (await before.admin("GET", `${pathOf(earlier, found)}/logs`)).text.includes("ready"));
    await before.close();
    const after = await startRuntimeService({ dataDir: before.dataDir, runtimes: ["external"] });
    try {
      const { text } = await after.admin("GET", `${pathOf(earlier, found)}/logs`);
      expect(text).toBe("starting\nready: 204\n");
      await after.admin("DELETE", pathOf(earlier, found));
      const path = `${pathOf(earlier, found)}/logs?follow=true`;
      const listener = await listenTo(after, path, { token: after.adminToken });
      await listener.ended;
      expect(textsOf(listener)).toEqual(["starting", "ready: 204", "saved", "<end>"]);
    } finally {
      await after.close();
      await endPlayers(before.dataDir);
    }
  });
});
