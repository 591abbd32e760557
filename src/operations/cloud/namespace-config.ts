import { uint32Max } from "../../ground/limits.ts";
import { setMatchmakerConfig } from "../../store/namespaces.ts";
import type { Context } from "../context.ts";
import type { Handlers } from "../handlers.ts";
import { type Issue, isRefusal } from "../refusal.ts";
import { lookUpNamespace, namespaceNotFound } from "./lookup.ts";

/** The matchmaker configuration of a namespace. */
export function namespaceConfigOperations(context: Context) {
  const { db } = context;

  return {
    "games.namespaces.updateGameNamespaceMatchmakerConfig": async ({ params, body, record }) => {
      const namespace = await lookUpNamespace(db, params);
      if (isRefusal(namespace)) return namespace;
      const revision = await setMatchmakerConfig(record(), namespace.namespaceId, {
        lobbyCountMax: body.lobby_count_max,
        maxPlayers: body.max_players,
        ...(body.max_players_per_client !== undefined && { maxPlayersPerClient: body.max_players_per_client }),
      });
      if (revision === null) return namespaceNotFound(params.namespace_id);
      await context.configs.changed(namespace.namespaceId);
      return null;
    },

    "games.namespaces.validateGameNamespaceMatchmakerConfig": async ({ params, body }) => {
      const namespace = await lookUpNamespace(db, params);
      if (isRefusal(namespace)) return namespace;
      const fields = ["lobby_count_max", "max_players", "max_players_per_client"] as const;
      return { errors: fields.filter((field) => !isUint32(body[field])).map(outOfRange) };
    },
  } satisfies Partial<Handlers>;
}

function isUint32(value: number | null | undefined): boolean {
  return value === null || value === undefined || (Number.isInteger(value) && value >= 0 && value <= uint32Max);
}

function outOfRange(field: string): Issue {
  return { path: [field, "out_of_range"], message: `${field} must be an integer from 0 to ${uint32Max}.` };
}
