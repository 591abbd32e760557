import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { CommandType, NamespaceQueryType } from "../../matchmaker/commands.ts";
import type { Script } from "./link.ts";

/** One script per command and query, the same names in kebab-case: a prelude of what it needs, then its own file. */

/** What stands before every script: the state of a namespace and how a script runs. The order matters, as in any program. */
const state = ["keys", "records", "pools", "deadlines", "views", "state", "expire-due", "frame"];
const ofLobbies = [...state, "living-lobby"];
const ofParties = [...ofLobbies, "party"];
const ofFinds = [...ofParties, "choosing", "gathering"];

export const commandScripts: { readonly [T in CommandType]: Script } = {
  configure: load("configure", state),
  find: load("find", ofFinds),
  join: load("join", ofParties),
  createLobby: load("create-lobby", ofParties),
  setReady: load("set-ready", ofLobbies),
  setClosed: load("set-closed", ofLobbies),
  setState: load("set-state", ofLobbies),
  setPorts: load("set-ports", ofLobbies),
  placeLobby: load("place-lobby", ofLobbies),
  heartbeat: load("heartbeat", ofLobbies),
  stopLobby: load("stop-lobby", ofLobbies),
  connectPlayer: load("connect-player", ofLobbies),
  disconnectPlayer: load("disconnect-player", ofLobbies),
  releaseSeats: load("release-seats", state),
  expire: load("expire", state),
  restarted: load("restarted", state),
  removeNamespace: load("remove-namespace", state),
};

export const queryScripts: { readonly [T in NamespaceQueryType]: Script } = {
  lobby: load("lobby", state),
  listLobbies: load("list-lobbies", state),
  listAllLobbies: load("list-all-lobbies", state),
  players: load("players", state),
  statistics: load("statistics", state),
  counts: load("counts", state),
  missingIdle: load("missing-idle", state),
  previewFind: load("preview-find", ofFinds),
};

export const nextDueScript: Script = load("next-due", state);
export const eventsAfterScript: Script = load("events-after", ["keys"]);
export const dumpScript: Script = load("dump", state);

function load(name: string, prelude: readonly string[]): Script {
  const files = [...prelude.map((part) => `prelude/${part}`), name];
  const text = files.map((file) => readFileSync(new URL(`./lua/${file}.lua`, import.meta.url), "utf8")).join("\n");
  return { name, text, sha: createHash("sha1").update(text).digest("hex") };
}
