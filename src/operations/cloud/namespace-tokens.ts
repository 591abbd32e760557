import { hashToken, newKeptToken } from "../../ground/tokens.ts";
import type { Db } from "../../store/db.ts";
import { insertToken, listTokens, revokeToken } from "../../store/tokens.ts";
import type { DevelopmentServer } from "../callers.ts";
import type { Context } from "../context.ts";
import type { ChangeDetails, Handlers } from "../handlers.ts";
import { isHostname } from "../matchmaking/ports.ts";
import { type Issue, isRefusal, refuse } from "../refusal.ts";
import { lookUpNamespace, namespaceNotFound, quotaReached, quoted } from "./lookup.ts";
import { isName } from "./names.ts";
import { cutPage, isUuid, parsePage } from "./pagination.ts";
import { closeRegisteredLobbies } from "./revoking.ts";
import { toTokenReply } from "./token-reply.ts";

interface NamespaceParams {
  readonly game_id: string;
  readonly namespace_id: string;
}

export function namespaceTokenOperations(context: Context) {
  const { db } = context;

  return {
    "games.namespaces.createGameNamespaceTokenPublic": (request) => createToken(context, request, "pub", null),

    "games.namespaces.createGameNamespaceTokenServer": (request) => createToken(context, request, "server", null),

    "games.namespaces.createGameNamespaceTokenDevelopment": async (request) => {
      const { body } = request;
      const ports = Object.fromEntries(
        Object.entries(body.ports).map(([label, { protocol, port, port_range }]) => [
          label,
          { protocol, port: port ?? null, portRange: port_range ?? null },
        ]),
      );
      const server = { hostname: body.hostname, ports };
      const errors = checkDevelopmentServer(server);
      if (errors.length > 0) {
        return refuse("CLOUD_VALIDATION_ERROR", "The development server is invalid; see `errors`.", { errors });
      }
      return createToken(context, request, "dev", server);
    },

    "games.namespaces.listTokens": async ({ params, query }) => {
      const page = parsePage(query);
      if (isRefusal(page)) return page;
      const namespace = await lookUpNamespace(db, params);
      if (isRefusal(namespace)) return namespace;
      const { rows, more } = cutPage(await listTokens(db, namespace, page), page, (row) => row.tokenId);
      return { tokens: rows.map((row) => toTokenReply(row, context.tokenUses)), ...more };
    },

    "games.namespaces.revokeToken": async ({ params, query, record }) => {
      const namespace = await lookUpNamespace(db, params);
      if (isRefusal(namespace)) return namespace;
      const tokenId = params.token_id.toLowerCase();
      const kind = isUuid(tokenId) ? await revokeToken(record(), namespace, tokenId, context.now()) : null;
      if (kind === null) {
        return refuse("CLOUD_TOKEN_NOT_FOUND", `The namespace has no token ${quoted(params.token_id)}.`);
      }
      const action = query.lobbies ?? "unroute";
      if (kind === "server" && action !== "keep") {
        await closeRegisteredLobbies(context, namespace.namespaceId, tokenId, action);
      }
      return null;
    },
  } satisfies Partial<Handlers>;
}

async function createToken(
  context: Context,
  { params, record }: { params: NamespaceParams; record(details: ChangeDetails): Db },
  kind: "pub" | "dev" | "server",
  server: DevelopmentServer | null,
) {
  const namespace = await lookUpNamespace(context.db, params);
  if (isRefusal(namespace)) return namespace;
  const token = newKeptToken(kind);
  const tokenId = context.newId();
  const { maxTokensPerNamespace: tokensMax } = context.config;
  const row = {
    tokenId,
    kind,
    gameId: namespace.gameId,
    namespaceId: namespace.namespaceId,
    details: server && JSON.stringify(server),
    createTs: context.now(),
    lastUsedTs: null,
    expiresTs: null,
    revokeTs: null,
    hash: hashToken(token),
  };
  const inserted = await insertToken(record({ target: tokenId }), row, { tokensMax });
  if (inserted === "TOO_MANY")
    return quotaReached("namespace", tokensMax, "tokens that are not revoked", "max_tokens_per_namespace");
  return inserted === "ok" ? { token, token_id: tokenId } : namespaceNotFound(params.namespace_id);
}

function checkDevelopmentServer(server: DevelopmentServer): Issue[] {
  const issues: Issue[] = [];
  if (!isHostname(server.hostname)) {
    const message = "must be a host name or an IP address, such as 127.0.0.1 or localhost";
    issues.push({ path: ["hostname", "invalid"], message });
  }
  for (const [label, { port, portRange }] of Object.entries(server.ports)) {
    const path = ["ports", label];
    if (!isName(label)) {
      const message = "a port's label is 1 to 32 of a-z, 0-9 and -, without - at either end or twice in a row";
      issues.push({ path: [...path, "invalid"], message });
    } else if ((port === null) === (portRange === null)) {
      issues.push({ path: [...path, "invalid"], message: "give either port or port_range" });
    } else if (portRange && portRange.min > portRange.max) {
      issues.push({ path: [...path, "port_range", "out_of_range"], message: "min must not be greater than max" });
    }
  }
  return issues;
}
