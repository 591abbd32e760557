import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { CommandType, NamespaceQueryType } from "../../matchmaker/commands.ts";
import type { Script } from "../../redis/interface.ts";

/** One script per command and query, the same names in kebab-case: a prelude of what it needs, then its own file. */

/** In a file of the prelude, what stands below this line is made when the first thing of it is asked for. */
const rareLine = "\n-- Rarely:\n";

/** What stands before every script: the state of a namespace and how a script runs. */
const state = ["keys", "records", "pools", "deadlines", "views", "state", "expire-due", "frame"];
const ofCommands = [...state, "executing"];
const ofLobbies = [...ofCommands, "living-lobby"];
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
  heartbeat: load("heartbeat", ofLobbies),
  stopLobby: loadWhole("stop-lobby", ofLobbies),
  connectPlayer: load("connect-player", ofLobbies),
  disconnectPlayer: load("disconnect-player", ofLobbies),
  releaseSeats: load("release-seats", ofCommands),
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
  statistics: load("statistics", ofQueries),
  counts: load("counts", ofQueries),
  missingIdle: load("missing-idle", ofQueries),
  previewFind: load("preview-find", ofPreviews),
};

export const nextDueScript: Script = load("next-due", state);
export const eventsAfterScript: Script = load("events-after", ["keys"]);
export const dumpScript: Script = loadWhole("dump", state);
export const hearingScript: Script = loadWhole("hearing", []);

/** Of what this script needs rarely, nothing is made before it is asked for. */
function load(name: string, prelude: readonly string[]): Script {
  const parts = prelude.map((part) => read(`prelude/${part}`).split(rareLine));
  const [usual, rare] = [parts.map(([before]) => before), parts.map(([, after = ""]) => after)];
  return asScript(name, [...usual, madeWhenAskedFor(rare.join("\n")), read(name)]);
}

/** For a script that needs such things in every run. */
function loadWhole(name: string, prelude: readonly string[]): Script {
  return asScript(name, [...prelude.map((part) => read(`prelude/${part}`)), read(name)]);
}

function asScript(name: string, parts: readonly (string | undefined)[]): Script {
  const text = parts.join("\n");
  return { name, text, sha: createHash("sha1").update(text).digest("hex") };
}

function read(file: string): string {
  return readFileSync(new URL(`./lua/${file}.lua`, import.meta.url), "utf8");
}

/** A script is run from its beginning each time, and most runs need less than two thirds of the functions. */
function madeWhenAskedFor(rare: string): string {
  return `setmetatable(foyer, { __index = function(_, name)
setmetatable(foyer, nil)
${rare}
return foyer[name]
end })`;
}
