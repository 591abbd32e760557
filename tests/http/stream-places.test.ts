import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createArena } from "../support/arena.ts";
import { type Listener, listenTo } from "../support/event-streams.ts";
import { readGauge } from "../support/gauge.ts";
import {
  createCloudToken,
  createGame,
  createNamespace,
  type Service,
  startService,
  until,
} from "../support/harness.ts";
import { openRaw } from "../support/raw.ts";
import { freePort } from "../support/services/programs.ts";

let service: Service;
let metricsPort: number;

beforeAll(async () => {
  metricsPort = await freePort();
  service = await startService("sqlite", { metricsPort });
});
afterAll(() => service?.close());

const openStreams = () => readGauge(metricsPort, "foyer_event_streams");

/** A namespace, and the text of a request for its events with a cloud token. */
async function askable() {
  const game = await createGame(service);
  const namespace = await createNamespace(service, game);
  const { token } = await createCloudToken(service, game);
  const path = `${namespace.path}/events`;
  const ask = (at = path) => `GET ${at} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${token}\r\n\r\n`;
  return { namespace, path, token, ask };
}

describe("slots of event streams", () => {
  test("[EV10] pipelined streams hold one slot, and none once the connection is gone", async () => {
    const { path, token, ask } = await askable();
    for (let round = 0; round < 3; round++) {
      const connection = await openRaw(service.port);
      connection.write(ask().repeat(60));
      await until(async () => (await openStreams()) === 1);
      const beside = await listenTo(service, path, { token });
      expect(beside.status).toBe(200);
      beside.leave();
      connection.destroy();
      await until(async () => (await openStreams()) === 0);
    }
    const listeners = await Promise.all(Array.from({ length: 20 }, () => listenTo(service, path, { token })));
    expect(listeners.map(({ status }) => status)).toEqual(listeners.map(() => 200));
    for (const listener of listeners) listener.leave();
    await until(async () => (await openStreams()) === 0);
  });

  test("[EV10] a stream behind other answers takes no slot: the connection ends with the first answer", async () => {
    const { ask } = await askable();
    const connection = await openRaw(service.port);
    connection.write(ask("/openapi.json").repeat(20) + ask().repeat(10));
    expect((await connection.answer())?.status).toBe(200);
    expect(await connection.answer()).toBeNull();
    expect(await openStreams()).toBe(0);
  });

  test("[EV10] a connection whose stream has ended carries the next one", async () => {
    const game = await createGame(service);
    const [one, two] = [await createNamespace(service, game), await createNamespace(service, game)];
    const connection = await openRaw(service.port);
    const ask = (path: string) =>
      `GET ${path}/events HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${service.adminToken}\r\n\r\n`;
    connection.write(ask(one.path));
    await until(async () => (await openStreams()) === 1);
    await service.admin("DELETE", one.path);
    await until(async () => (await openStreams()) === 0);
    connection.write(ask(two.path));
    await until(async () => (await openStreams()) === 1);
    connection.destroy();
    await until(async () => (await openStreams()) === 0);
  });
});

describe("shares of streams", () => {
  /** What is listened to in a namespace of its own, with a token of its game. */
  async function aGame(small: Service, kind: "events" | "logs") {
    const { namespace, register } = await createArena(small);
    const path = kind === "events" ? "events" : `lobbies/${(await register()).lobbyId}/logs?follow=true`;
    const newToken = async () => (await createCloudToken(small, namespace.game)).token;
    const open: Listener[] = [];
    /** Opens as many as it gets. */
    async function openAll(token: string): Promise<number> {
      for (let count = 0; ; count++) {
        const listener = await listenTo(small, `${namespace.path}/${path}`, { token });
        if (listener.status !== 200) return count;
        open.push(listener);
      }
    }
    const leave = (count: number) => {
      for (const listener of open.splice(0, count)) listener.leave();
    };
    return { newToken, openAll, leave, open };
  }

  test.each(["events", "logs"] as const)(
    "[SH1] [SH3] [SH4] who opens all %s it can leaves others their share, between namespaces and between tokens",
    async (kind) => {
      const small = await startService("sqlite", { maxEventStreams: 8, maxLogFollowers: 8 });
      const [greedy, modest] = [await aGame(small, kind), await aGame(small, kind)];
      const [first, second, third] = [await greedy.newToken(), await modest.newToken(), await modest.newToken()];
      expect(await greedy.openAll(first)).toBe(8);
      expect(await modest.openAll(second)).toBe(0);
      greedy.leave(2);
      // Whenever a place comes free it is not for the one that has more than its share.
      await until(async () => {
        expect(await greedy.openAll(first)).toBe(0);
        await modest.openAll(second);
        return modest.open.length === 2;
      });
      expect(await modest.openAll(third)).toBe(0);
      greedy.leave(2);
      await until(async () => {
        expect(await greedy.openAll(first)).toBe(0);
        await modest.openAll(third);
        return modest.open.length === 4;
      });
      // The other kind has places of its own.
      const beside = await aGame(small, kind === "events" ? "logs" : "events");
      expect(await beside.openAll(await beside.newToken())).toBe(8);
      for (const { leave } of [greedy, modest, beside]) leave(8);
      await small.close();
    },
  );
});
