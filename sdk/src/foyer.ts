import { type Call, type ClientOptions, createSend, type Send } from "./call.ts";
import type { OperatorApi, PlayerApi } from "./generated/api.ts";
import { operatorCalls, playerCalls } from "./generated/calls.ts";

/** Every operation of Foyer. */
export interface Foyer extends PlayerApi, OperatorApi {}

/** A client with one method per operation: `foyer.games.namespaces.validateGameNamespace(gameId, { … })`. */
export function createFoyer(options: ClientOptions = {}): Foyer {
  return toMethods({ ...playerCalls, ...operatorCalls }, createSend(options)) as Foyer;
}

/** What games and their servers call. Smaller than the whole client, for web pages. */
export function createPlayerApi(options: ClientOptions = {}): PlayerApi {
  return toMethods(playerCalls, createSend(options)) as PlayerApi;
}

interface Methods {
  [name: string]: Methods | ((...args: unknown[]) => unknown);
}

function toMethods(calls: Readonly<Record<string, Call>>, send: Send): unknown {
  const methods: Methods = {};
  for (const [id, call] of Object.entries(calls)) {
    const parts = id.split(".");
    const name = parts.pop()!;
    let group = methods;
    for (const part of parts) {
      group[part] ??= {};
      // No operation has the name of a group.
      group = group[part] as Methods;
    }
    group[name] = (...args) => send(call, args);
  }
  return methods;
}
