import type { Operation } from "../../contract/define.ts";
import { type OperationId, operations } from "../../contract/index.ts";
import { pathNames, requiredFlags } from "./operation-input.ts";

/** A call with everything that the operation needs, for help texts. */
export function exampleOf(id: OperationId): string {
  const operation: Operation = operations[id];
  const words = pathNames(operation).map((name) => pathWords[name] ?? anyId);
  const flags = flagsOf[id] ?? requiredFlags(operation).map(writeFlag).join(" ");
  return ["foyer call", id, ...words, flags].join(" ").trimEnd();
}

function writeFlag({ flag, placeholder }: { flag: string; placeholder: string }): string {
  return placeholder === "" ? `--${flag}` : `--${flag} ${values[flag] ?? placeholder}`;
}

const anyId = "0193d1c4-…";

const pathWords: Readonly<Record<string, string>> = {
  game_id: "my-game",
  namespace_id: "prod",
  domain: "play.example.com",
};

const values: Readonly<Record<string, string>> = {
  "display-name": "'My Game'",
  "name-id": "my-game",
  "lobby-count-max": "500",
  "max-players": "16",
  domain: "play.example.com",
  "game-modes": "duel",
  "game-mode": "duel",
  region: "local",
  ports: "@ports.json",
  "version-id": anyId,
  "player-token": "player_…",
  client: "203.0.113.7",
  hostname: "127.0.0.1",
};

const namespaceNames = "--display-name Production --name-id prod";
const version = "--display-name 1.0 --config @version.json";

/** Where the required fields alone would make no good example. */
const flagsOf: Partial<Record<OperationId, string>> = {
  "games.namespaces.createGameNamespace": namespaceNames,
  "games.namespaces.validateGameNamespace": namespaceNames,
  "games.versions.createGameVersion": version,
  "games.versions.validateGameVersion": version,
  "games.builds.createBuild": "--file build.tar.gz",
  "lobbies.join": "--code K7WX2P",
  "lobbies.setState": `--body '{"map":"harbour"}'`,
  "players.resume": "--player-token player_…",
  "players.release": "--player-token player_…",
};
