import { setTimeout as sleep } from "node:timers/promises";
import type { LobbyView } from "../../matchmaker/commands.ts";
import { writeUnseenEnd } from "../lobby-end.ts";
import type { NodeChoice, WantedLobby } from "./choose-node.ts";
import type { PlaceParts } from "./parts.ts";

/** A status that shows a full node may be older than the end of a lobby. */
const roomWaitMs = 5_000;
const retryMs = 250;
/** A lobby waits for its build until its time to become ready is over. The sweep looks again whether it still lives. */
const buildWaitMs = 60_000;
const noRoom = writeUnseenEnd("No node that serves its region had a free slot.", { isNoFault: true });
const noBuild = (reason: string) => writeUnseenEnd(`No node that serves its region could prepare its build. ${reason}`);

/** The node that gets a lobby, why no node can have it (the text of its `exit`), or null: it is left to the next sweep. */
type Found = { readonly nodeId: string } | { readonly exit: string } | null;

interface Search {
  readonly namespaceId: string;
  readonly lobby: LobbyView;
  readonly passedOver: Set<string>;
  /** The lobby has ended, or this node stops. */
  isOver(): boolean;
}

/**
 * Waits a moment for a free slot, and longer for a node that is preparing the lobby's build. See docs/decisions/0015.
 */
export async function waitForNode(
  { nodes, buildOf }: PlaceParts,
  choice: NodeChoice,
  { namespaceId, lobby, passedOver, isOver }: Search,
): Promise<Found> {
  let fullMs = 0;
  for (let waitedMs = 0; waitedMs <= buildWaitMs && !isOver(); waitedMs += retryMs) {
    const buildId = await buildOf(namespaceId, lobby);
    const wanted: WantedLobby = { namespaceId, region: lobby.region, buildId };
    const nodeId = choice.choose(wanted, passedOver);
    if (nodeId !== null) {
      choice.noteGiven(nodeId, namespaceId);
      return { nodeId };
    }
    const { isUnderWay, failure } = choice.preparation(wanted);
    if (failure !== null) return { exit: noBuild(failure) };
    if (!isUnderWay && fullMs > roomWaitMs) return { exit: noRoom };
    await sleep(retryMs);
    // The regular reports say when a build is there.
    if (isUnderWay) continue;
    fullMs += retryMs;
    await nodes.report();
  }
  return null;
}
