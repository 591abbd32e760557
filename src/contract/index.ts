import { activity } from "./activity.ts";
import { audit } from "./audit.ts";
import { auth } from "./auth.ts";
import { blocks } from "./blocks.ts";
import { builds } from "./builds.ts";
import { decisions } from "./decisions.ts";
import type { CallerKind, Operation } from "./define.ts";
import { events } from "./events.ts";
import { games } from "./games.ts";
import { lobbies } from "./lobbies.ts";
import { lobbyRecords } from "./lobby-records.ts";
import { lobbyWatch } from "./lobby-watch.ts";
import { namespaceLobbies } from "./namespace-lobbies.ts";
import { namespaces } from "./namespaces.ts";
import { nodes } from "./nodes.ts";
import { players } from "./players.ts";
import { previewFind } from "./preview-find.ts";
import { regions } from "./regions.ts";
import { versions } from "./versions.ts";

/**
 * The whole API as data. Routes, validation, types, openapi.json, the reference page and the tests of bad input are
 * generated from it. See docs/decisions/0001.
 */
export const operations = {
  ...games,
  ...namespaces,
  ...namespaceLobbies,
  ...previewFind,
  ...blocks,
  ...lobbyRecords,
  ...events,
  ...activity,
  ...decisions,
  ...versions,
  ...builds,
  ...audit,
  ...auth,
  ...nodes,
  ...lobbies,
  ...lobbyWatch,
  ...players,
  ...regions,
} as const;

export type Operations = typeof operations;
export type OperationId = keyof Operations;

/** The operations that a caller of this kind may reach. */
export type OperationIdOf<K extends CallerKind> = {
  [Id in OperationId]: K extends Operations[Id]["callers"][number] ? Id : never;
}[OperationId];

export const operationIds = Object.keys(operations) as OperationId[];

export const operationList: readonly (readonly [OperationId, Operation])[] = operationIds.map((id) => [
  id,
  operations[id],
]);
