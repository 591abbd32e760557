import { Agent, type RequestOptions, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { hostOf, type Way } from "./own-network.ts";
import { bearer } from "./requests.ts";
import type { ServerProcess } from "./server-process.ts";
import type { World } from "./world.ts";

/** What honest clients got. */
export interface Heard {
  readonly sent: number;
  readonly succeeded: number;
  /** How long each call took, the shortest first. */
  readonly timesMs: readonly number[];
  /** The same without the calls of the first second. */
  readonly laterTimesMs: readonly number[];
}

export const callsPerSecond = 200;

export const paths = { find: "/matchmaker/lobbies/find", validate: "/cloud/games/bench/namespaces/validate" };

/** For how long they call which service. */
export interface Honest {
  readonly world: World;
  readonly admin: string;
  readonly seconds: number;
}

/**
 * Half of the calls are finds of players, each from an address of its own and on a new connection, half validates of
 * one tool on connections that it keeps. A time counts from when the call was due.
 */
export async function callHonestly(foyer: ServerProcess, way: Way, { world, admin, seconds }: Honest): Promise<Heard> {
  const url = `http://${hostOf(way)}:${new URL(foyer.url).port}`;
  const kept = new Agent({ keepAlive: true, maxSockets: 64 });
  const names = { display_name: "Another", name_id: "another" };
  const find = { path: paths.find, token: world.publicToken, body: { game_modes: ["duel"] } };
  const validate = { path: paths.validate, token: admin, body: names };
  const times: number[] = [];
  const laterTimes: number[] = [];
  let succeeded = 0;
  const count = seconds * callsPerSecond;
  const startsAt = performance.now() + 100;
  const calls: Promise<void>[] = [];
  for (let index = 0; index < count; index++) {
    const dueAt = startsAt + (index * 1000) / callsPerSecond;
    await sleep(Math.max(0, dueAt - performance.now()));
    const isFind = index % 2 === 0;
    const { path, token, body } = isFind ? find : validate;
    const client = isFind ? `198.51.${Math.floor(index / 200) % 200}.${1 + (index % 200)}` : "192.0.2.1";
    const from = way === "direct" ? { localAddress: client } : {};
    const headers = { ...bearer(token), ...(way === "direct" ? {} : { "x-forwarded-for": client }) };
    const calling = call(`${url}${path}`, { ...from, headers, agent: isFind ? false : kept }, JSON.stringify(body));
    calls.push(
      calling.then((status) => {
        const ms = performance.now() - dueAt;
        times.push(ms);
        if (index >= callsPerSecond) laterTimes.push(ms);
        if (status === 200) succeeded += 1;
      }),
    );
  }
  await Promise.all(calls);
  kept.destroy();
  for (const list of [times, laterTimes]) list.sort((a, b) => a - b);
  return { sent: count, succeeded, timesMs: times, laterTimesMs: laterTimes };
}

/** Gives the status; 0 when there was no answer. Without an agent on a connection of its own. */
function call(url: string, options: RequestOptions, body: string): Promise<number> {
  return new Promise((resolve) => {
    const sent = request(url, { ...options, method: "POST", timeout: 30_000 }, (response) => {
      response.resume();
      response.once("end", () => resolve(response.statusCode ?? 0));
    });
    sent.once("timeout", () => sent.destroy());
    sent.once("error", () => resolve(0));
    sent.end(body);
  });
}
