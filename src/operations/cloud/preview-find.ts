import { noClient } from "../../matchmaker/client-ranges.ts";
import type { Answer, LobbyView } from "../../matchmaker/commands.ts";
import { clientIssues, readClients } from "../auth/client-blocks.ts";
import type { Client } from "../callers.ts";
import type { Context } from "../context.ts";
import type { Handlers } from "../handlers.ts";
import { checkFindRequest, checkSeats, countSeats } from "../matchmaking/lobby-requests.ts";
import { runPreview } from "../matchmaking/preview.ts";
import { readKeys } from "../matchmaking/seat-request.ts";
import { isRefusal, refuse } from "../refusal.ts";
import { lookUpNamespace, namespaceNotFound } from "./lookup.ts";

type PreviewBody = Parameters<Handlers["games.namespaces.lobbies.previewFind"]>[0]["body"];
type PreviewReply = Extract<
  Awaited<ReturnType<Handlers["games.namespaces.lobbies.previewFind"]>>,
  { would_create: boolean }
>;
type Explain = PreviewReply["explain"];

/** What a player's find would do now, for operators: a refusal is an answer, and private lobbies are named. */
export function previewFindOperations(context: Context) {
  return {
    "games.namespaces.lobbies.previewFind": async ({ params, body }) => {
      const client = readClient(body.client);
      if (isRefusal(client)) return client;
      const invalid = checkSeats(body);
      if (invalid) return invalid;
      const namespace = await lookUpNamespace(context.db, params);
      if (isRefusal(namespace)) return namespace;

      const { namespaceId } = namespace;
      const { client: _, ...find } = body;
      const explained = { ...find, dry_run: true, explain: true };
      const asked = {
        namespaceId,
        client,
        clientId: client.id,
        whenGone: noWait,
        seats: countSeats(body),
        keys: readKeys(body),
        areKeysVouched: true,
        idempotency: null,
      };
      const previewed = checkFindRequest(explained) ?? (await runPreview(context, asked, explained, () => null));
      if (isRefusal(previewed) && previewed.code === "TOKEN_INVALID") return namespaceNotFound(params.namespace_id);
      const { lobby, would_create } = isRefusal(previewed) ? { lobby: null, would_create: false } : previewed;
      const refusal = isRefusal(previewed) ? { code: previewed.code, message: previewed.message } : null;
      // Refusals of find contain the requested explanation, in the form of the contract.
      const explain = (isRefusal(previewed) ? previewed.metadata.explain : previewed.explain) as Explain | undefined;
      const known = explain ?? { summary: refusal?.message ?? "", candidates: [], has_more: false, private_count: 0 };
      return { lobby, would_create, refusal, explain: await namePrivate(context, namespaceId, body, known) };
    },
  } satisfies Partial<Handlers>;
}

const noWait = () => () => {};

/** A player for whom nothing counts but the seats that its address has. */
function readClient(given: PreviewBody["client"]) {
  const place = given?.coordinates ?? null;
  const anyone: Client = { id: noClient, network: null, isLimited: false, place };
  const address = given?.address ?? null;
  if (address === null) return anyone;
  const named = address.includes("/") ? "invalid" : readClients(address);
  if (typeof named !== "string") return { ...anyone, id: named.client };
  const errors = [{ path: ["client", "address"], message: clientIssues.invalid }];
  return refuse("API_BAD_BODY", "The body has an issue.", { errors });
}

const candidatesMax = 20;
const pageSize = 500;
const pagesMax = 10;

/** Adds the private lobbies that the find would have found, as far as there is room for them. */
async function namePrivate(
  context: Context,
  namespaceId: string,
  body: PreviewBody,
  explain: Explain,
): Promise<Explain> {
  const room = candidatesMax - explain.candidates.length;
  if (explain.private_count === 0) return explain;
  const found = room > 0 ? await listPrivate(context, namespaceId, body, room) : [];
  const named = found.map((lobby) => ({
    lobby_id: lobby.lobbyId,
    game_mode_id: lobby.gameMode,
    region_id: lobby.region,
    codes: ["private"],
    message: "It is private, so find never chooses it. Players can join it by id.",
  }));
  const hasMore = explain.has_more || found.length < explain.private_count;
  return { ...explain, candidates: [...explain.candidates, ...named], has_more: hasMore };
}

async function listPrivate({ engine, now }: Context, namespaceId: string, body: PreviewBody, max: number) {
  const regions = body.regions ?? [];
  const isAskedFor = ({ isPrivate, isOutdated, gameMode, region }: LobbyView) =>
    isPrivate &&
    !isOutdated &&
    body.game_modes.includes(gameMode) &&
    (regions.length === 0 || regions.includes(region));
  const found: LobbyView[] = [];
  let after: string | null = null;
  for (let page = 0; page < pagesMax && found.length < max; page++) {
    const listed: Answer<"listAllLobbies"> = await engine.read<"listAllLobbies">({
      type: "listAllLobbies",
      ...{ namespaceId, now: now(), includeStopped: false, after, limit: pageSize },
    });
    found.push(...listed.lobbies.filter(isAskedFor));
    if (listed.next === null) break;
    after = listed.next;
  }
  return found.slice(0, max);
}
