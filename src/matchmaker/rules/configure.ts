import type { Configure, Outcome } from "../commands.ts";
import { accept } from "../outcome.ts";
import { pairKey } from "../pair.ts";
import type { NamespaceRecord } from "../records.ts";
import { putNamespace, type State } from "../state.ts";
import { retireLobbies } from "./retire-lobbies.ts";

/** Lowering a limit removes no player. Of empty lobbies of a version that is no longer deployed the
 * first end immediately, and the others in steps. */
export function configure(state: State, command: Configure): Outcome<"configure"> {
  const { namespaceId } = state;
  const { revision, limits, deployedVersionId } = command;
  const unchanged = configureUnchanged(state, command);
  if (unchanged !== null) return unchanged;

  const idleMinimums = new Map<string, number>();
  for (const { gameMode, region, min } of command.idleMinimums) idleMinimums.set(pairKey(gameMode, region), min);
  putNamespace(state, { revision, ...limits, deployedVersionId, idleMinimums, removedAt: null });
  state.events.push({ type: "namespace.configured", namespaceId, at: state.now, revision, deployedVersionId });
  retireLobbies(state);
  return accept({ isApplied: true });
}

/** The outcome of a command that changes nothing; null: it changes something. */
export function configureUnchanged({ namespace }: State, command: Configure): Outcome<"configure"> | null {
  return namespace !== null && !isNews(namespace, command) ? accept({ isApplied: false }) : null;
}

/**
 * An authoritative row of the store wins over everything else, also with an older revision (a restored backup) or after
 * a failed removal.
 */
function isNews(namespace: NamespaceRecord, { revision, isAuthoritative }: Configure): boolean {
  if (isAuthoritative) return namespace.removedAt !== null || namespace.revision !== revision;
  return namespace.removedAt === null && revision > namespace.revision;
}
