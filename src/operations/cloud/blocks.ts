import { blocksPerNamespaceMax } from "../../ground/limits.ts";
import type { ClientRange, EndSeats, Outcome } from "../../matchmaker/commands.ts";
import { listBlocks, removeBlock, setBlock } from "../../store/blocks.ts";
import { clientIssues, readClients } from "../auth/client-blocks.ts";
import type { Caller, Client } from "../callers.ts";
import type { NamespaceConfig } from "../config-reader.ts";
import type { Context } from "../context.ts";
import type { Handlers } from "../handlers.ts";
import { isRefusal, refuse } from "../refusal.ts";
import { lookUpNamespace, namespaceNotFound } from "./lookup.ts";
import { cutPage, type PageQuery, parsePageByText, toTimestamp } from "./pagination.ts";

/** Clients that a namespace does not serve. */
export function blockOperations(context: Context) {
  const { db } = context;

  return {
    "games.namespaces.blocks.set": async ({ params, body, record }) => {
      const now = context.now();
      const named = readClients(body.client);
      const untilTs = body.until_ts ? Date.parse(body.until_ts) : null;
      const errors = [
        ...(typeof named === "string" ? [{ path: ["client", named], message: clientIssues[named] }] : []),
        ...(untilTs !== null && !(untilTs > now)
          ? [{ path: ["until_ts", "out_of_range"], message: "must be in the future" }]
          : []),
      ];
      if (typeof named === "string" || errors.length > 0) {
        return refuse("CLOUD_VALIDATION_ERROR", "The block is invalid; see `errors`.", { errors });
      }
      const namespace = await lookUpNamespace(db, params);
      if (isRefusal(namespace)) return namespace;
      const { namespaceId } = namespace;

      const block = { client: named.client, createTs: now, untilTs, note: body.note ?? null };
      const request = { blockId: context.newId(), namespaceId, block, blocksMax: blocksPerNamespaceMax };
      const set = await setBlock(record({ target: block.client }), request);
      if (set === "NAMESPACE_NOT_FOUND") return namespaceNotFound(params.namespace_id);
      if (set === "TOO_MANY") {
        const message = `The namespace has ${blocksPerNamespaceMax} blocks. Remove some, or block a range.`;
        return refuse("CLOUD_QUOTA_REACHED", message);
      }
      await context.configs.changed(namespaceId);
      if (body.end_seats) await endSeats(context, namespaceId, named.range);
      return null;
    },

    "games.namespaces.blocks.list": async ({ params, query }) => {
      const page = parseBlocksPage(query);
      if (isRefusal(page)) return page;
      const namespace = await lookUpNamespace(db, params);
      if (isRefusal(namespace)) return namespace;
      const found = await listBlocks(db, namespace.namespaceId, page, context.now());
      const { rows, more } = cutPage(found, page, ({ client }) => client);
      const blocks = rows.map(({ client, createTs, untilTs, note }) => ({
        client,
        create_ts: toTimestamp(createTs),
        ...(untilTs !== null && { until_ts: toTimestamp(untilTs) }),
        ...(note !== null && { note }),
      }));
      return { blocks, ...more };
    },

    "games.namespaces.blocks.remove": async ({ params, query, record }) => {
      const named = readClients(query.client);
      if (typeof named === "string") {
        const errors = [{ path: ["client"], message: clientIssues[named] }];
        return refuse("API_BAD_QUERY", "The query is invalid; see `errors`.", { errors });
      }
      const namespace = await lookUpNamespace(db, params);
      if (isRefusal(namespace)) return namespace;
      const { namespaceId } = namespace;
      const isRemoved = await removeBlock(record({ target: named.client }), namespaceId, named.client);
      if (isRemoved) await context.configs.changed(namespaceId);
      return null;
    },
  } satisfies Partial<Handlers>;
}

/** Ends seats that were taken before the block. A call in flight is repeated with the new revision, and refused. */
async function endSeats({ engine, now }: Context, namespaceId: string, range: ClientRange): Promise<void> {
  let after: string | null = null;
  do {
    const command: EndSeats = { type: "endSeats", namespaceId, now: now(), range, after };
    const outcome: Outcome<"endSeats"> = await engine.execute<"endSeats">(command);
    if (!outcome.ok) throw new Error(`the rules answered ${outcome.code} to the end of blocked seats`);
    after = outcome.next;
  } while (after !== null);
}

/** By client. */
function parseBlocksPage(query: PageQuery) {
  return parsePageByText(query, (text) => {
    const named = readClients(text);
    return typeof named !== "string" && named.client === text;
  });
}

/**
 * For admission. Null, directly or as a promise: the caller is not a client, or its namespace serves it. Every find
 * runs this.
 */
export function checkClient(context: Context, caller: Caller, client: Client) {
  if (caller.kind !== "pub" && caller.kind !== "origin") return null;
  const { namespaceId } = caller;
  if (context.configs.peek(namespaceId)?.isBlocked === null) return null;
  return context.configs.get(namespaceId).then((config) => config && refuseBlocked(config, client, context.now()));
}

/** Null: the namespace serves the client, or does not exist. */
export function refuseBlocked(
  { isBlocked }: Pick<NamespaceConfig, "isBlocked">,
  client: Pick<Client, "id"> | null,
  now: number,
) {
  if (isBlocked === null || client === null || !isBlocked(client.id, now)) return null;
  return refuse("MATCHMAKER_CLIENT_BLOCKED", "This client is blocked here. The operator of the game can say why.");
}
