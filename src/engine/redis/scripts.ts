import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import type { CommandType, NamespaceQueryType } from "../../matchmaker/commands.ts";
import { refusalCodes } from "../../matchmaker/schema.ts";
import type { Script } from "../../redis/interface.ts";
import { luaParts } from "./lua-fields.ts";

/** One script per command and query, the same names in kebab-case: a prelude of what it needs, then its own file. */

const knownCodes: ReadonlySet<string> = new Set(refusalCodes);

const lazyParts = new Set(
  readdirSync(new URL("./lua/prelude/", import.meta.url)).flatMap((file) => /^(.*)\.lazy\.lua$/.exec(file)?.[1] ?? []),
);

/** The prelude of every script: the state of a namespace and how a script runs (docs/decisions/0011). */
const state = ["keys", "postponed", "records", "pools", "deadlines", "views", "state", "expire-due", "frame"];
const ofCommands = [...state, "executing"];
const ofLobbies = [...ofCommands, "living-lobby"];
const ofHolds = [...ofLobbies, "hold-seat"];
const ofParties = [...ofLobbies, "party"];
const ofFinds = [...ofParties, "choosing", "gathering"];
const ofQueries = [...state, "answering"];
const ofPreviews = [...ofQueries, "party", "choosing", "gathering"];

export const commandScripts: { readonly [T in CommandType]: Script } = {
  configure: loadWhole("configure", ofCommands),
  find: load("find", ofFinds),
  join: load("join", ofParties),
  createLobby: loadWhole("create-lobby", ofParties),
  setReady: loadWhole("set-ready", ofLobbies),
  setClosed: loadWhole("set-closed", ofLobbies),
  setOperatorClosed: loadWhole("set-operator-closed", ofLobbies),
  closeRegistered: loadWhole("close-registered", ofCommands),
  endSeats: loadWhole("end-seats", ofCommands),
  setState: loadWhole("set-state", ofLobbies),
  setPorts: loadWhole("set-ports", ofLobbies),
  placeLobby: loadWhole("place-lobby", ofLobbies),
  heartbeat: load("heartbeat", ofHolds),
  stopLobby: loadWhole("stop-lobby", ofLobbies),
  connectPlayer: load("connect-player", ofHolds),
  disconnectPlayer: load("disconnect-player", ofHolds),
  releaseSeats: load("release-seats", ofCommands),
  releasePlayer: load("release-player", ofCommands),
  expire: load("expire", ofCommands),
  restarted: load("restarted", ofCommands),
  removeNamespace: loadWhole("remove-namespace", ofCommands),
};

export const queryScripts: { readonly [T in NamespaceQueryType]: Script } = {
  lobby: load("lobby", ofQueries),
  listLobbies: load("list-lobbies", ofQueries),
  listAllLobbies: load("list-all-lobbies", ofQueries),
  pickLobbies: load("pick-lobbies", ofQueries),
  players: load("players", ofQueries),
  seat: load("seat", ofQueries),
  seatByKey: load("seat-by-key", ofQueries),
  statistics: load("statistics", ofQueries),
  counts: load("counts", ofQueries),
  missingIdle: load("missing-idle", ofQueries),
  previewFind: load("preview-find", ofPreviews),
};

export const nextDueScript: Script = load("next-due", state);
export const eventsAfterScript: Script = load("events-after", ["keys"]);
export const hearingScript: Script = loadWhole("hearing", []);

/** What is in `x.lazy.lua` of the prelude is defined when the first thing of it is asked for. */
function load(name: string, prelude: readonly string[]): Script {
  return asScript(name, [
    ...prelude.map(readPart),
    definedWhenAskedFor(prelude.map(readLazyPart).join("\n")),
    read(name),
  ]);
}

/** For a script that needs such things in every run. */
function loadWhole(name: string, prelude: readonly string[], text = read(name)): Script {
  return asScript(name, [...prelude.flatMap((part) => [readPart(part), readLazyPart(part)]), text]);
}

/** A script from elsewhere that works on the state of a namespace, such as an audit. */
export function scriptOnState(name: string, text: string): Script {
  return loadWhole(name, state, fillIn(text));
}

function readPart(part: string): string {
  return read(`prelude/${part}`);
}

function readLazyPart(part: string): string {
  return lazyParts.has(part) ? read(`prelude/${part}.lazy`) : "";
}

function asScript(name: string, parts: readonly string[]): Script {
  const text = parts.join("\n");
  return { name, text, sha: createHash("sha1").update(text).digest("hex") };
}

function read(file: string): string {
  return fillIn(readFileSync(new URL(`./lua/${file}.lua`, import.meta.url), "utf8"));
}

/** Puts in what begins with a dollar sign, each line of it as far from the edge as the first. */
function fillIn(text: string): string {
  const unknown = [...text.matchAll(/foyer\.refuse\("(\w+)"\)/g)].find(([, code]) => !knownCodes.has(code!));
  if (unknown !== undefined) throw new Error(`${unknown[1]} is not one of the refusal codes in schema.ts.`);
  return text.replace(/^( *)(.*)$/gm, (_line, indent: string, rest: string) => {
    const filled = rest.replace(/\$([a-z][A-Za-z.]*)/g, (_name, name: string) => {
      const part = luaParts[name];
      if (part === undefined) throw new Error(`A script asks for $${name}, which lua-fields.ts does not make.`);
      return part.replaceAll("\n", `\n${indent}`);
    });
    return indent + filled;
  });
}

/** A script is run from its beginning each time, and most runs need less than two thirds of the functions. */
function definedWhenAskedFor(lazy: string): string {
  return `setmetatable(foyer, { __index = function(_, name)
setmetatable(foyer, nil)
${lazy}
return foyer[name]
end })`;
}
