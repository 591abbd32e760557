import { Ajv } from "ajv";
import {
  type GameModeConfig,
  type RegionConfig,
  type ResolvedGameMode,
  type ResolvedRegion,
  type ResolvedVersionConfig,
  type VersionConfig,
  versionConfig,
} from "../../contract/version-config.ts";
import { gameModesMax, portsMax, regionsMax } from "../../ground/limits.ts";
import type { Issue } from "../refusal.ts";
import { resolveDocker } from "./docker-runtime.ts";
import { createIssueList, shownPlace } from "./issue-list.ts";
import { checkDisplayName } from "./names.ts";
import { listSchemaIssues, type Schema } from "./schema-issues.ts";
import type { SchemaReason } from "./schema-words.ts";
import { checkBuild } from "./version-builds.ts";

/** The last element of an issue's path. */
type VersionIssueReason = SchemaReason | "not_found" | "reserved";

/**
 * Every issue of a version document (docs/decisions/0007), at most 100, one per path, in the order of the document;
 * missing fields come after present ones. `resolved` is null exactly when there are issues.
 */
export function checkVersionConfig(
  config: unknown,
  knownBuilds: ReadonlySet<string> = new Set(),
): { issues: Issue[]; resolved: ResolvedVersionConfig | null } {
  if (config === undefined)
    return { issues: [toIssue({ place: [], reason: "required", message: "is required" })], resolved: null };
  const list = createIssueList<Found>(issuesMax);
  const isWellShaped = fitsSchema(config);
  if (!isWellShaped) {
    for (const issue of listSchemaIssues(versionConfig as Schema, config, issuesMax))
      list.add(issue.place, () => issue);
  }
  for (const issue of issuesBeyondSchema(config, knownBuilds)) {
    if (list.isFull) break;
    list.add(issue.place, () => issue);
  }
  if (isWellShaped && list.all().length === 0) return { issues: [], resolved: resolveVersionConfig(config) };
  return { issues: inDocumentOrder(list.all(), config).map(toIssue), resolved: null };
}

/** Which defaults versions get that are made now; null: those from before 0.2. */
export const versionDefaults = 3;

/** What a lobby is asked for whose version says nothing. */
export const usualHeartbeatS = 30;

/** Fills in every default. The document must have passed checkVersionConfig. */
export function resolveVersionConfig(
  config: VersionConfig,
  defaults: number | null = versionDefaults,
): ResolvedVersionConfig {
  const allRegions = Object.keys(config.regions);
  return {
    regions: mapValues(config.regions, (region, name) => resolveRegion(region, name)),
    game_modes: mapValues(config.game_modes, (mode) => resolveGameMode(mode, allRegions, defaults)),
  };
}

/** What is valid and still likely a mistake. */
export function warnOfVersion(resolved: ResolvedVersionConfig): Issue[] {
  return Object.entries(resolved.game_modes).flatMap(([name, { timeouts, runtime }]) => {
    if ("external" in runtime || (timeouts.heartbeat_s ?? 0) > 0) return [];
    const [reason, message] =
      timeouts.heartbeat_s === 0
        ? ["off", "is 0, so a lobby that hangs is not noticed: it keeps its players, and find sends it more"]
        : ["required", "is not said, so a lobby that hangs before its first heartbeat is not noticed"];
    return [{ path: ["config", "game_modes", name, "timeouts", "heartbeat_s", reason], message }];
  });
}

/** Whether deploying it starts programs on the machine, which needs a token with that right. */
export function needsProcessRuntime(resolved: ResolvedVersionConfig): boolean {
  return Object.values(resolved.game_modes).some((mode) => "process" in mode.runtime);
}

const issuesMax = 100;

// Checks whether a document is valid and stops at the first issue; listSchemaIssues finds as many as are shown.
const fitsSchema = new Ajv({
  allErrors: false,
  coerceTypes: false,
  removeAdditional: false,
  useDefaults: false,
  strict: true,
  allowUnionTypes: true,
  // As in http/validation.ts.
  meta: false,
  validateSchema: false,
}).compile<VersionConfig>(versionConfig);

type Found = { place: string[]; reason: VersionIssueReason; message: string };

function toIssue({ place, reason, message }: Found): Issue {
  return { path: ["config", ...shownPlace(place), reason], message };
}

/**
 * Rules that the schema cannot express, as a generator, so that the search stops when enough issues are found. The
 * document may have any shape: each rule checks only values of the right shape.
 */
function* issuesBeyondSchema(config: unknown, knownBuilds: ReadonlySet<string>): Generator<Found> {
  const document = asFields(config);
  const regions = asFields(document.regions);
  // The schema limits their number.
  const takeFirst = (fields: Fields, max: number) => Object.entries(fields).slice(0, max + issuesMax);
  for (const [name, region] of takeFirst(regions, regionsMax)) yield* checkRegion(["regions", name], asFields(region));
  for (const [name, mode] of takeFirst(asFields(document.game_modes), gameModesMax)) {
    yield* checkGameMode(["game_modes", name], asFields(mode), regions);
    yield* checkBuild(
      ["game_modes", name, "runtime", "process"],
      asFields(asFields(asFields(mode).runtime).process),
      knownBuilds,
    );
  }
}

type Fields = Readonly<Record<string, unknown>>;

/** The fields of an object; none for anything else. */
const asFields = (value: unknown): Fields => (isObject(value) ? value : {});

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function* checkRegion(place: string[], region: Fields): Generator<Found> {
  for (const field of ["display_name", "provider_display_name"]) {
    const name = region[field];
    if (typeof name !== "string" || (name === "" && field === "provider_display_name")) continue;
    const { issue } = checkDisplayName(name);
    if (issue) yield { place: [...place, field], reason: displayNameReason(issue), message: issue.message };
  }
  if (typeof region.ping_url === "string" && !isPingUrl(region.ping_url)) {
    const message = "must be an http or https address without a user";
    yield { place: [...place, "ping_url"], reason: "invalid", message };
  }
}

/** The schema says when it is too long. */
function isPingUrl(text: string): boolean {
  // A URL parser drops white space and turns backslashes, so what it makes of the text is not what clients are given.
  if (!/^https?:\/\/[^\s\\]+$/i.test(text) || !URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username === "" && password === "" && !/^https?:\/\/[^/?#]*@/i.test(text);
}

function displayNameReason(issue: Issue): VersionIssueReason {
  const reason = issue.path[1];
  return reason === "too_short" || reason === "too_long" ? reason : "invalid";
}

function* checkGameMode(place: string[], mode: Fields, regions: Fields): Generator<Found> {
  const runtime = asFields(mode.runtime);
  yield* checkDirectMaximum(place, mode);
  yield* checkRegionList([...place, "regions"], mode.regions, regions);
  yield* checkCreate([...place, "actions", "create"], asFields(asFields(mode.actions).create));
  yield* checkRouting([...place, "ports"], asFields(mode.ports), runtime);
  if (isObject(mode.runtime)) yield* checkRuntime([...place, "runtime"], runtime);
  for (const kind of ["process", "docker"]) {
    yield* checkEnv([...place, "runtime", kind, "env"], asFields(asFields(runtime[kind]).env));
  }
}

function checkDirectMaximum(place: string[], mode: Fields): Found[] {
  const { max_players: normal, max_players_direct: direct } = mode;
  if (typeof normal !== "number" || typeof direct !== "number" || direct >= normal) return [];
  const message = `must not be less than max_players, which is ${normal}`;
  return [{ place: [...place, "max_players_direct"], reason: "out_of_range", message }];
}

function* checkRegionList(place: string[], list: unknown, regions: Fields): Generator<Found> {
  if (!Array.isArray(list)) return;
  const seen = new Set<unknown>();
  for (const [index, name] of list.entries()) {
    if (typeof name !== "string") continue;
    const at = [...place, String(index)];
    if (seen.has(name)) yield { place: at, reason: "not_unique", message: "names a region that the list has already" };
    else if (!Object.hasOwn(regions, name))
      yield { place: at, reason: "not_found", message: "names a region that the document does not define" };
    seen.add(name);
  }
}

function checkCreate(place: string[], create: Fields): Found[] {
  if (create.enabled !== true || create.public !== false || create.private !== false) return [];
  return [{ place, reason: "invalid", message: "is enabled, but allows neither public nor private lobbies" }];
}

/** The gateway speaks HTTP and WebSocket, to lobbies that Foyer runs. */
function* checkRouting(place: string[], ports: Fields, runtime: Fields): Generator<Found> {
  const isExternal = runtime.external !== undefined && runtime.external !== null;
  for (const [label, port] of Object.entries(ports).slice(0, portsMax + issuesMax)) {
    const { routing, protocol } = asFields(port);
    if (routing !== "gateway") continue;
    const at = [...place, label, "routing"];
    const isHttp = protocol === undefined || protocol === null || protocol === "http" || protocol === "ws";
    if (!isHttp) {
      yield { place: at, reason: "invalid", message: "can be gateway only for the protocols http and ws" };
    } else if (isExternal) {
      const message = "cannot be gateway with external: Foyer reaches only lobbies that it runs";
      yield { place: at, reason: "invalid", message };
    }
  }
}

function checkRuntime(place: string[], runtime: Fields): Found[] {
  const kinds = [runtime.process, runtime.docker, runtime.external];
  const given = kinds.filter((kind) => kind !== undefined && kind !== null);
  if (given.length === 1) return [];
  const count = given.length === 0 ? "none" : given.length;
  const message = `must have exactly one of process, docker and external, not ${count}`;
  return [{ place, reason: "invalid", message }];
}

function* checkEnv(place: string[], env: Fields): Generator<Found> {
  for (const name of Object.keys(env)) {
    if (!/^(?:FOYER_|PORT_|PORT$)/.test(name)) continue;
    yield { place: [...place, name], reason: "reserved", message: "is set by Foyer itself" };
  }
}

function inDocumentOrder(found: Found[], config: unknown): Found[] {
  const keyOrders = new Map<object, Map<string, number>>();
  const positions = new Map(found.map((issue) => [issue, findPosition(issue.place, config, keyOrders)]));
  return found.toSorted((a, b) => comparePositions(positions.get(a) ?? [], positions.get(b) ?? []));
}

function findPosition(place: string[], config: unknown, keyOrders: Map<object, Map<string, number>>): number[] {
  let value = config;
  return place.map((key) => {
    if (typeof value !== "object" || value === null) return 0;
    if (Array.isArray(value)) {
      value = value[Number(key)];
      return Number(key);
    }
    const order = keyOrders.get(value) ?? new Map(Object.keys(value).map((name, index) => [name, index]));
    keyOrders.set(value, order);
    const index = order.get(key);
    // The value is untrusted, so only its own fields are read.
    value = index === undefined ? undefined : (value as Fields)[key];
    return index ?? order.size;
  });
}

/** An issue of a whole comes before the issues of its parts. */
function comparePositions(a: number[], b: number[]): number {
  for (let depth = 0; depth < Math.min(a.length, b.length); depth++) {
    const difference = (a[depth] ?? 0) - (b[depth] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

function mapValues<From, To>(record: Record<string, From>, map: (value: From, name: string) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value, name)]));
}

function resolveRegion(region: RegionConfig, name: string): ResolvedRegion {
  return {
    display_name: checkDisplayName(region.display_name ?? name).value,
    provider_display_name: checkDisplayName(region.provider_display_name ?? "").value,
    latitude: region.latitude ?? 0,
    longitude: region.longitude ?? 0,
    ping_url: region.ping_url ?? null,
  };
}

function resolveGameMode(mode: GameModeConfig, allRegions: string[], defaults: number | null): ResolvedGameMode {
  const { timeouts, actions, runtime } = mode;
  return {
    max_players: mode.max_players,
    max_players_direct: mode.max_players_direct ?? mode.max_players,
    regions: [...(mode.regions ?? allRegions)],
    listable: mode.listable ?? true,
    taggable: mode.taggable ?? false,
    allow_dynamic_max_players: mode.allow_dynamic_max_players ?? false,
    player_keys: mode.player_keys ?? "vouched",
    idle_lobbies: { min: mode.idle_lobbies?.min ?? 0 },
    timeouts: {
      ready_s: timeouts?.ready_s ?? (isFrom(defaults, 3) ? 60 : 300),
      reservation_s: timeouts?.reservation_s ?? 120,
      heartbeat_s: timeouts?.heartbeat_s ?? (isFrom(defaults, 3) ? null : 0),
      registered_heartbeat_s: timeouts?.heartbeat_s ?? (isFrom(defaults, 2) ? usualHeartbeatS : 0),
      empty_s: timeouts?.empty_s ?? 30,
      reconnect_s: timeouts?.reconnect_s ?? 0,
    },
    actions: {
      find: { enabled: actions?.find?.enabled ?? true },
      join: { enabled: actions?.join?.enabled ?? true },
      create: {
        enabled: actions?.create?.enabled ?? false,
        public: actions?.create?.public ?? true,
        private: actions?.create?.private ?? true,
      },
    },
    codes: { enabled: mode.codes?.enabled ?? false, length: mode.codes?.length ?? 6 },
    ports: mapValues(mode.ports ?? { default: {} }, (port) => ({
      protocol: port.protocol ?? "ws",
      ...(port.routing === "gateway" && { routing: port.routing }),
      ...((port.lazy === true || !isFrom(defaults, 3)) && { lazy: true as const }),
    })),
    runtime: resolveRuntime(runtime),
  };
}

function isFrom(defaults: number | null, since: number): boolean {
  return defaults !== null && defaults >= since;
}

function resolveRuntime({ process, docker }: GameModeConfig["runtime"]): ResolvedGameMode["runtime"] {
  if (docker) return { docker: resolveDocker(docker) };
  if (!process) return { external: {} };
  return {
    process: {
      command: process.command,
      args: [...(process.args ?? [])],
      cwd: process.cwd ?? null,
      build_id: process.build_id?.toLowerCase() ?? null,
      env: { ...process.env },
    },
  };
}
