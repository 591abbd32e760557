import type { LobbyView } from "../../matchmaker/commands.ts";
import { createStartPermit } from "../capacity/start-permit.ts";
import { refuseBlocked } from "../cloud/blocks.ts";
import type { NamespaceConfig } from "../config-reader.ts";
import type { Context } from "../context.ts";
import { isRefusal, type Refusal } from "../refusal.ts";
import { explainPreview } from "./explain-reply.ts";
import { createFindPlan, type FindBody } from "./find-plan.ts";
import { namespaceGone } from "./seat-reply.ts";
import type { SeatRequest } from "./seat-request.ts";

/** What a find would do now, with the refusals of a find. It takes, makes and remembers nothing. */
export async function previewFind(context: Context, asked: SeatRequest, body: FindBody) {
  const { client } = asked;
  const budget = context.seatBudget.take(client, asked.seats);
  if (isRefusal(budget)) return budget;
  budget.settle(false);
  return runPreview(context, asked, body, (config) => refuseBlocked(config, client, context.now()));
}

/** The same for any caller; `check` refuses finds that are not allowed at all. */
export async function runPreview<R extends Refusal>(
  context: Context,
  asked: SeatRequest,
  body: FindBody,
  check: (config: NamespaceConfig) => R | null,
) {
  const { namespaceId, client } = asked;
  const permit = createStartPermit(context, { namespaceId, client, isPreview: true });
  const { plan, refuse, plannedLobby } = createFindPlan(context, asked, body, permit);
  const preview = await permit.retry(() =>
    context.configs.previewFind(namespaceId, (config, longerBy) => check(config) ?? plan(config, longerBy)),
  );
  if (preview === null) return namespaceGone();
  if (isRefusal(preview)) return preview;
  if (!preview.ok) return refuse(preview);
  const lobby = await toPreviewedLobby(context, namespaceId, preview.lobby);
  const explained = body.explain ? explainPreview(preview, plannedLobby(), asked.seats) : {};
  return { lobby, would_create: preview.wouldCreate, ...explained };
}

/** The lobby that would be chosen, without what only seated players may see. */
async function toPreviewedLobby({ configs }: Context, namespaceId: string, lobby: LobbyView | null) {
  if (lobby === null) return null;
  const config = await configs.get(namespaceId);
  const displayName = config?.version?.config.regions[lobby.region]?.display_name ?? lobby.region;
  return { lobby_id: lobby.lobbyId, region: { region_id: lobby.region, display_name: displayName } };
}
