import { isOriginAllowed, refuseOrigin } from "../operations/auth/authenticate.ts";
import { blockTable } from "../operations/auth/client-blocks.ts";
import { refuseBlocked } from "../operations/cloud/blocks.ts";
import { isRefusal, refuse } from "../operations/refusal.ts";
import type { LobbyDescription } from "../operations/routing/lobby-description.ts";
import {
  type LocalPort,
  lobbyUnknown,
  type Routes,
  toLocalTarget,
  toNodeTarget,
  toRoute,
} from "../operations/routing/routes.ts";

/** For so long an answer of the service is used without asking again. */
const freshMs = 10_000;
const knownMax = 20_000;
/** So many questions may be open when one about a lobby that is not known comes, and one about a known lobby. */
const asksMax = 64;
const renewalsMax = 1_000;

interface Known {
  readonly lobby: LobbyDescription;
  readonly isBlocked: ReturnType<typeof blockTable>;
  readonly askedAt: number;
}

/**
 * What `foyer gateway` knows about lobbies: it asks the service, and continues with what it knows while the service is
 * away. `ask` gives null for an unknown lobby and rejects when the service does not answer.
 */
export function createRemoteRoutes(parts: {
  ask(lobbyId: string): Promise<LobbyDescription | null>;
  /** Whether the service runs on this machine, so that the ports of its lobbies are reached directly. */
  readonly isServiceHere: boolean;
  readonly serviceUrl: string;
  steadyNow(): number;
  wallClock(): number;
}): Routes {
  const known = new Map<string, Known>();
  const asking = new Map<string, Promise<Known | null>>();

  async function askNow(lobbyId: string): Promise<Known | null> {
    const lobby = await parts.ask(lobbyId);
    known.delete(lobbyId);
    if (lobby === null) return null;
    if (known.size >= knownMax) known.delete(known.keys().next().value!);
    const blocks = lobby.blocks.map((block) => ({ ...block, createTs: 0, note: null }));
    const found = { lobby, isBlocked: blockTable(blocks), askedAt: parts.steadyNow() };
    known.set(lobbyId, found);
    return found;
  }

  const isFullFor = (lobbyId: string) => asking.size >= (known.has(lobbyId) ? renewalsMax : asksMax);

  function askOnce(lobbyId: string): Promise<Known | null> {
    const asked = asking.get(lobbyId);
    if (asked !== undefined) return asked;
    if (isFullFor(lobbyId)) return Promise.reject(new Error("too many lobbies are being looked up"));
    const asks = askNow(lobbyId).finally(() => asking.delete(lobbyId));
    asking.set(lobbyId, asks);
    return asks;
  }

  /** Null: there is no such lobby. "away": the service cannot be asked, and no answer of it may be used. */
  async function learn(lobbyId: string): Promise<Known | null | "away"> {
    const have = known.get(lobbyId);
    if (have !== undefined && parts.steadyNow() - have.askedAt < freshMs) return have;
    // A service that has many questions is not away, so an old answer is not used.
    if (!asking.has(lobbyId) && isFullFor(lobbyId)) return "away";
    try {
      return await askOnce(lobbyId);
    } catch {
      return have ?? "away";
    }
  }

  return {
    async find(lobbyId, label) {
      const found = await learn(lobbyId);
      if (found === "away")
        return refuse("API_UNAVAILABLE", "The service does not answer. Try again shortly.", { retryAfterS: 1 });
      if (found === null) return lobbyUnknown();
      const { lobby } = found;
      const port = Object.hasOwn(lobby.ports, label) ? lobby.ports[label] : undefined;
      const route = toRoute({ ...lobby, port }, label, port === undefined ? null : findTarget(parts, lobby, port));
      return isRefusal(route) ? route : { ...route, hosts: lobby.hosts };
    },
    async admit({ lobbyId }, { client, origin }) {
      const found = known.get(lobbyId);
      if (found === undefined) return lobbyUnknown();
      const blocked = refuseBlocked(found, { id: client }, parts.wallClock());
      if (blocked !== null || origin === undefined) return blocked;
      return isOriginAllowed(origin, found.lobby) ? null : refuseOrigin(origin);
    },
    async hasSeat({ lobbyId }, client) {
      if (known.get(lobbyId)?.lobby.seated.includes(client)) return true;
      // The seat may be newer than what is known.
      const found = await askOnce(lobbyId).catch(() => null);
      return found?.lobby.seated.includes(client) ?? false;
    },
    async isBlocked({ lobbyId, client }) {
      const found = await learn(lobbyId);
      return found !== null && found !== "away" && (found.isBlocked?.(client, parts.wallClock()) ?? false);
    },
    // The lobby itself closes its connections when it ends.
    onStopped() {},
  };
}

function findTarget(
  { isServiceHere, serviceUrl }: { readonly isServiceHere: boolean; readonly serviceUrl: string },
  { node }: LobbyDescription,
  port: LocalPort,
) {
  if (node !== "here") return toNodeTarget(node);
  return isServiceHere ? toLocalTarget(port) : toNodeTarget(serviceUrl);
}
