import type { Tables } from "../tables.ts";
import {
  type Column,
  domainName,
  exitCode,
  flag,
  id,
  jsonObject,
  limit,
  nameId,
  orAbsent,
  orNull,
  revision,
  sha256Hex,
  text,
  time,
  tokenHash,
  tokenKind,
} from "./columns.ts";

/**
 * The document that `foyer export` writes and `foyer import` reads is a text of lines, each a JSON object:
 *
 *   {"foyer_export":1,"foyer":"0.1.0","export_ts":1760000000000,"without":["live lobbies",…]}
 *   {"game":{"game_id":"…","name_id":"…",…}}
 *   {"version":{…}} {"version_image":{…}} {"build":{…}} {"build_use":{…}} {"namespace":{…}} {"domain":{…}} {"block":{…}}
 *   {"deployment":{…}} {"token":{…}} {"past_lobby":{…}}
 *   {"end":{"rows":{"game":1,"version":2,…},"sha256":"…"}}
 *
 * Rows have the columns of their table and come table by table, in the order below, so that no row refers to a later
 * one. The checksum is that of every byte before the last line.
 */
export const formatVersion = 1;

/** Named in the first line, for people who open the file. */
export const leftOut: readonly string[] = [
  "live lobbies",
  "the audit log",
  "sessions",
  "the secret",
  "the admin token",
];

/**
 * The audit log and sessions are not exported: they belong to this installation. A backup contains the audit log. The archives of builds are files
 * beside the document.
 */
export type TableName = Exclude<keyof Tables, "audit" | "build_chunks" | "sign_in_codes" | "sessions">;

export type Row = Readonly<Record<string, string | number | null>>;

interface TransferTable<T extends TableName> {
  /** The name of its rows in the document. */
  readonly word: string;
  readonly columns: { readonly [C in keyof Tables[T]]: Column<Tables[T][C]> };
  /** The first is the key by which the rows are ordered. */
  readonly unique: readonly (readonly (keyof Tables[T] & string)[])[];
  readonly refers: readonly { readonly by: readonly (keyof Tables[T] & string)[]; readonly to: TableName }[];
  /** Checks several columns together. Returns the end of a sentence, or null if the row is valid. */
  findIssue?(row: Row): string | null;
}

/** Every table. A new table or column does not compile until it is added here too. */
export const transferTables: { readonly [T in TableName]: TransferTable<T> } = {
  games: {
    word: "game",
    columns: { game_id: id, name_id: nameId, display_name: text, create_ts: time, delete_ts: orAbsent(time) },
    unique: [["game_id"], ["name_id"]],
    refers: [],
  },
  versions: {
    word: "version",
    columns: {
      version_id: id,
      game_id: id,
      display_name: text,
      create_ts: time,
      config: jsonObject,
      defaults: orAbsent(revision),
      delete_ts: orAbsent(time),
    },
    unique: [["version_id"], ["game_id", "version_id"]],
    refers: [{ by: ["game_id"], to: "games" }],
  },
  version_images: {
    word: "version_image",
    columns: {
      version_image_id: id,
      version_id: id,
      image: text,
      image_id: text,
      digest: orNull(text),
      create_ts: time,
    },
    unique: [["version_image_id"], ["version_id", "image"]],
    refers: [{ by: ["version_id"], to: "versions" }],
  },
  builds: {
    word: "build",
    columns: {
      build_id: id,
      game_id: id,
      display_name: text,
      sha256: sha256Hex,
      size: revision,
      unpacked_size: revision,
      create_ts: time,
      unnamed_ts: time,
    },
    unique: [["build_id"], ["game_id", "sha256"]],
    refers: [{ by: ["game_id"], to: "games" }],
  },
  build_uses: {
    word: "build_use",
    columns: { use_id: id, version_id: id, build_id: id },
    unique: [["use_id"], ["version_id", "build_id"]],
    refers: [
      { by: ["version_id"], to: "versions" },
      { by: ["build_id"], to: "builds" },
    ],
  },
  namespaces: {
    word: "namespace",
    columns: {
      namespace_id: id,
      game_id: id,
      name_id: nameId,
      display_name: text,
      create_ts: time,
      version_id: orNull(id),
      lobby_count_max: limit,
      max_players: limit,
      max_players_per_client: orNull(limit),
      domain_public_auth_enabled: flag,
      allow_localhost: flag,
      revision,
      delete_ts: orAbsent(time),
    },
    unique: [["namespace_id"], ["game_id", "name_id"], ["game_id", "namespace_id"]],
    refers: [
      { by: ["game_id"], to: "games" },
      { by: ["game_id", "version_id"], to: "versions" },
    ],
  },
  domains: {
    word: "domain",
    columns: { domain: domainName, namespace_id: id, create_ts: time },
    unique: [["domain"]],
    refers: [{ by: ["namespace_id"], to: "namespaces" }],
  },
  blocks: {
    word: "block",
    columns: {
      block_id: id,
      namespace_id: id,
      client: text,
      create_ts: time,
      until_ts: orNull(time),
      note: orNull(text),
    },
    unique: [["block_id"], ["namespace_id", "client"]],
    refers: [{ by: ["namespace_id"], to: "namespaces" }],
  },
  deployments: {
    word: "deployment",
    columns: { deployment_id: id, namespace_id: id, version_id: id, deploy_ts: time, rolled_back: orAbsent(flag) },
    unique: [["deployment_id"]],
    refers: [
      { by: ["namespace_id"], to: "namespaces" },
      { by: ["version_id"], to: "versions" },
    ],
  },
  tokens: {
    word: "token",
    columns: {
      token_id: id,
      hash: tokenHash,
      kind: tokenKind,
      game_id: id,
      namespace_id: orNull(id),
      details: orNull(jsonObject),
      create_ts: time,
      last_used_ts: orNull(time),
      expires_ts: orNull(time),
      revoke_ts: orNull(time),
    },
    unique: [["token_id"], ["hash"]],
    refers: [
      { by: ["game_id"], to: "games" },
      { by: ["game_id", "namespace_id"], to: "namespaces" },
    ],
    findIssue(row) {
      if ((row.kind === "cloud") === (row.namespace_id === null)) return null;
      return row.kind === "cloud" ? "a cloud token has no namespace" : `a ${row.kind} token has a namespace`;
    },
  },
  lobby_history: {
    word: "past_lobby",
    columns: {
      lobby_id: id,
      namespace_id: id,
      game_mode: text,
      region: text,
      version_id: id,
      create_ts: time,
      ready_ts: orNull(time),
      stop_ts: time,
      stop_reason: text,
      peak_player_count: limit,
      exit_code: orNull(exitCode),
      exit_signal: orNull(text),
      exit_message: orNull(text),
    },
    unique: [["lobby_id"]],
    refers: [{ by: ["namespace_id"], to: "namespaces" }],
  },
};

/** In the order of a document. */
export const tableNames = Object.keys(transferTables) as readonly TableName[];

export function listColumns(table: TableName): [name: string, column: Column<unknown>][] {
  return Object.entries<Column<unknown>>(transferTables[table].columns);
}

export type RowCounts = Readonly<Record<TableName, number>>;

/** "2 games, 1 namespace"; "nothing" for no rows. */
export function countsInWords(counts: RowCounts): string {
  const parts = tableNames
    .filter((table) => counts[table] > 0)
    .map((table) => `${counts[table]} ${noun(table, counts)}`);
  return parts.length === 0 ? "nothing" : parts.join(", ");
}

function noun(table: TableName, counts: RowCounts): string {
  const singular = transferTables[table].word.replace("_", " ");
  if (counts[table] === 1) return singular;
  return singular.endsWith("y") ? `${singular.slice(0, -1)}ies` : `${singular}s`;
}
