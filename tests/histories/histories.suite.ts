import { afterAll, beforeAll, expect, test } from "vitest";
import { checkHistory, describeViolations } from "../checker/check-history.ts";
import { createNamespace, type OpenService, type Server } from "../support/server.ts";
import type { Connections } from "./connection.ts";
import { runLoad } from "./load.ts";

/** What many clients see at once, judged by the checker, whatever is behind their connections. */
export function histories(open: OpenService, { operations, seed }: { operations: number; seed: number }): void {
  let server: Server;
  let connections: Connections;
  let close: () => Promise<void>;
  beforeAll(async () => {
    ({ server, connections, close } = await open(80));
  }, 120_000);
  afterAll(async () => {
    await close?.();
  });

  test("[I1] [I4] [I5] [I7] [I9] [I15] [I16] what 64 clients at once see over HTTP is explained by one order of decisions", {
    timeout: 240_000 + operations,
  }, async () => {
    const limits = { reservationMs: 2000, reconnectMs: 3_600_000, perClientMax: 12, lobbyCountMax: 40 };
    const sizes = { capacity: 4, directCapacity: 6 };
    const gameMode = {
      max_players: sizes.capacity,
      max_players_direct: sizes.directCapacity,
      timeouts: { reservation_s: limits.reservationMs / 1000, ready_s: 60, reconnect_s: limits.reconnectMs / 1000 },
    };
    const namespace = await createNamespace(server, "histories", gameMode, {
      lobby_count_max: limits.lobbyCountMax,
      max_players: 100,
      max_players_per_client: limits.perClientMax,
    });
    const startedAt = performance.now();
    const rate = (count: number) => Math.round(count / ((performance.now() - startedAt) / 1000));
    const options = { actors: 64, operations, seed, clients: 24, ...sizes };
    const history = await runLoad(connections, namespace, options, (count) => {
      if (count % 500_000 === 0) console.log(`histories: ${count} operations, ${rate(count)}/s`);
    });
    const count = (type: string, outcome: string) =>
      history.filter((operation) => operation.type === type && operation.outcome === outcome).length;
    const kinds = ["find", "join", "make", "stop", "close", "open", "connect", "drop", "disconnect"];
    const summary = kinds.map((type) => `${type} ${count(type, "ok")}/${count(type, "refused")}`).join(", ");
    console.log(`histories: seed ${seed}, ${history.length} operations, ${rate(history.length)}/s; ${summary}`);

    const checkedFrom = performance.now();
    const violations = checkHistory(history, limits);
    console.log(`histories: checked in ${((performance.now() - checkedFrom) / 1000).toFixed(1)} s`);
    expect(violations.length, describeViolations(violations)).toBe(0);
    expect(history.length).toBeGreaterThanOrEqual(operations);
    // A history in which little happens would prove little.
    for (const type of ["find", "join", "make", "connect"])
      expect(count(type, "refused")).toBeGreaterThan(operations / 2000);
  });
}
