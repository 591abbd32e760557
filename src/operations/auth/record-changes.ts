import { isChange } from "../../contract/define.ts";
import { type OperationId, operationList } from "../../contract/index.ts";
import { recordChange, recording } from "../../store/audit.ts";
import type { AuditEntry } from "../../store/db.ts";
import { findGame } from "../../store/games.ts";
import { findNamespace } from "../../store/namespaces.ts";
import type { Caller, Client } from "../callers.ts";
import { isUuid } from "../cloud/pagination.ts";
import type { Context } from "../context.ts";
import type { ChangeDetails, Handlers, ServedHandlers } from "../handlers.ts";
import { isRefusal } from "../refusal.ts";

/** A handler without the types of its operation. */
type AnyHandler = (request: AnyRequest) => Promise<unknown>;
interface AnyRequest {
  readonly caller: Caller;
  readonly client: Client;
  readonly requestId: string;
  readonly params: Readonly<Record<string, string>>;
}

/**
 * Every operation that changes something adds one entry to the audit log when it succeeds: in the handler's
 * transaction, if it uses the store that `record` returns, else before the answer. So no handler can forget it.
 */
export function recordChanges(context: Context, handlers: Handlers): ServedHandlers {
  // The contract decides which handlers get `record`, for the types and here.
  const served = { ...handlers } as unknown as Record<OperationId, AnyHandler>;
  for (const [operationId, operation] of operationList) {
    if (isChange(operation)) served[operationId] = recorded(context, operationId, served[operationId]);
  }
  return served as unknown as ServedHandlers;
}

function recorded(context: Context, operation: OperationId, handler: AnyHandler): AnyHandler {
  const { db } = context;
  return async (request) => {
    // Checks that the store accepts changes before anything is changed that could not be recorded.
    await db.checkWritable();
    const { caller, client, requestId } = request;
    let details: ChangeDetails = await findSubject(context, request.params);
    const change = {
      entry: (): AuditEntry => ({
        auditId: context.newId(),
        at: context.now(),
        operation,
        kind: caller.kind,
        tokenId: "tokenId" in caller ? caller.tokenId : null,
        gameId: details.gameId ?? null,
        namespaceId: details.namespaceId ?? null,
        target: details.target ?? null,
        client: client.id,
        requestId,
      }),
      written: null as AuditEntry | null,
    };
    const record = (more: ChangeDetails = {}) => {
      details = { ...details, ...more };
      return recording(db, change);
    };
    try {
      // By its type, the handler of a change gets `record`.
      const answer = await handler({ ...request, record } as AnyRequest);
      if (!isRefusal(answer) && change.written === null) await recordChange(db, change);
      return answer;
    } finally {
      // Also for a change that was made before a later step failed.
      if (change.written !== null) context.logChange(change.written);
    }
  };
}

/** Finds what the path names, before the change, which may delete it. */
async function findSubject({ db }: Context, params: AnyRequest["params"]): Promise<ChangeDetails> {
  const { game_id, namespace_id, ...others } = params;
  const game = game_id === undefined ? null : await findGame(db, game_id);
  const namespace = game && namespace_id !== undefined ? await findNamespace(db, game.gameId, namespace_id) : null;
  const target = Object.values(others).at(-1) ?? null;
  return {
    gameId: game?.gameId ?? null,
    namespaceId: namespace?.namespaceId ?? null,
    target: target !== null && isUuid(target) ? target.toLowerCase() : target,
  };
}
