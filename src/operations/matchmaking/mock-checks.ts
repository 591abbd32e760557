import { codeSymbols } from "../../ground/codes.ts";
import type { CallerOf } from "../callers.ts";
import type { VersionInUse } from "../config-reader.ts";
import type { Context } from "../context.ts";
import { type Issue, isRefusal, refuse } from "../refusal.ts";
import { readDeployed } from "./mock-list.ts";
import { mockRegion } from "./mock-seats.ts";
import { checkVersion, checkWishes, findGameMode, listPairs, readWishes, regionNotFound } from "./new-lobby.ts";

interface MockRequest {
  readonly modes: readonly string[];
  readonly regions: readonly string[];
  readonly body: Parameters<typeof readWishes>[0] & { readonly version?: string | null };
}

/** What the deployed version would refuse, so that the mock teaches the real contract. Null: nothing, or none is deployed. */
export async function checkMock(context: Context, caller: CallerOf<"dev">, request: MockRequest) {
  const version = await readDeployed(context, caller);
  return version && checkAgainst(version, caller, request);
}

/** The code of the mock lobby, always the same; null: lobbies of the game mode have none, or no version is deployed. */
export async function mockCode(context: Context, caller: CallerOf<"dev">, gameMode: string): Promise<string | null> {
  const codes = (await readDeployed(context, caller))?.config.game_modes[gameMode]?.codes;
  return codes?.enabled ? codeSymbols.slice(0, codes.length) : null;
}

function checkAgainst(version: VersionInUse, { server }: CallerOf<"dev">, { modes, regions, body }: MockRequest) {
  const otherVersion = checkVersion(version, body.version);
  if (otherVersion) return otherVersion;
  const wishes = readWishes(body);
  for (const name of modes) {
    const mode = findGameMode(version, name);
    if (isRefusal(mode)) return mode;
    const refusal = checkWishes(name, mode, wishes, true) ?? checkLabels(name, Object.keys(mode.ports), server.ports);
    if (refusal) return refusal;
  }
  // Everything runs on the developer's machine, whose region the mock lists.
  if (regions.length === 0 || regions.includes(mockRegion.region_id)) return null;
  const named = modes.map((name) => [name, version.config.game_modes[name]!] as const);
  return listPairs(version, named, regions, null).length > 0 ? null : regionNotFound(modes, regions);
}

/** A real lobby has every port of its mode; the token may name more. */
function checkLabels(gameMode: string, labels: readonly string[], ports: Readonly<Record<string, unknown>>) {
  const missing = labels.filter((label) => !Object.hasOwn(ports, label));
  if (missing.length === 0) return null;
  const errors: Issue[] = missing.map((label) => ({
    path: ["ports", label],
    message: "is missing in the development token",
  }));
  const message = `The development token has no port ${missing.join(", ")}, which lobbies of the game mode ${gameMode} have. Make a token with it.`;
  return refuse("MATCHMAKER_PORTS_INVALID", message, { errors });
}
