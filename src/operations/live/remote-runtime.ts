import { type NodeCalls, NodeSilent } from "../../nodes/calls.ts";
import type { LobbyExit, LogPiece, LogStream, Runtime } from "../../runtime/runtime.ts";

/** A lobby, and the node that runs its server; null: no node does. Undefined: the node is no longer known. */
export interface ServedLobby {
  readonly lobbyId: string;
  readonly nodeId: string | null | undefined;
}

/** Information about lobby servers on all nodes. */
export interface LobbyServers extends Pick<Runtime, "exitOf"> {
  /**
   * The output of the server from that position on, at most that many bytes. Rejects with NodeSilent if its node does not
   * answer in time.
   */
  logPiece(lobby: ServedLobby, stream: LogStream, from: number, maxBytes: number): Promise<LogPiece>;
  /** Whether the server may still write something. Rejects as above. */
  isRunning(lobby: ServedLobby): Promise<boolean>;
  /** As `exitOf`, which knows only this machine. */
  askExit(lobby: ServedLobby): Promise<LobbyExit | null>;
  /** The node that has the log, if it does not take part now. */
  lostNode(lobby: ServedLobby): string | null;
}

/** The lobby servers of this machine. */
export function localLobbyServers(runtime: Runtime): LobbyServers {
  return {
    exitOf: (lobbyId) => runtime.exitOf(lobbyId),
    logPiece: ({ lobbyId }, stream, from, maxBytes) => runtime.logPiece(lobbyId, stream, from, maxBytes),
    isRunning: async ({ lobbyId }) => runtime.isRunning(lobbyId),
    askExit: async ({ lobbyId }) => runtime.exitOf(lobbyId),
    lostNode: () => null,
  };
}

/**
 * The lobby servers of every node: asks the node that runs the lobby for what this machine does not have. Asks all
 * nodes only about a lobby whose node is no longer known.
 */
export function sharedLobbyServers(
  local: LobbyServers,
  calls: Pick<NodeCalls, "ask" | "askOne" | "isUp">,
): LobbyServers {
  async function ask({ lobbyId, nodeId }: ServedLobby, question: string, ...more: unknown[]): Promise<unknown> {
    if (nodeId === null) return null;
    return nodeId === undefined
      ? calls.ask(question, [lobbyId, ...more])
      : calls.askOne(nodeId, question, [lobbyId, ...more]);
  }

  return {
    exitOf: local.exitOf,
    async logPiece(lobby, stream, from, maxBytes) {
      const own = await local.logPiece(lobby, stream, from, maxBytes);
      if (own.end > 0) return own;
      // Another node answers with the result of answerForLobbyServers.
      const sent = (await ask(lobby, "logPiece", stream, from, maxBytes)) as SentPiece | null;
      return sent === null ? own : { ...sent, bytes: Buffer.from(sent.bytes, "base64") };
    },
    async isRunning(lobby) {
      return (await local.isRunning(lobby)) || (await ask(lobby, "isRunning")) === true;
    },
    async askExit(lobby) {
      // As above.
      return local.exitOf(lobby.lobbyId) ?? ((await ask(lobby, "exitOf").catch(nullIfSilent)) as LobbyExit | null);
    },
    lostNode: ({ nodeId }) => (typeof nodeId === "string" && !calls.isUp(nodeId) ? nodeId : null),
  };
}

/** The end of a lobby is shown without the details that only its node knows. */
function nullIfSilent(error: unknown): null {
  if (error instanceof NodeSilent) return null;
  throw error;
}

type SentPiece = Omit<LogPiece, "bytes"> & { readonly bytes: string };

/** The answers of this node to the others; null: it knows nothing about that lobby. */
export function answerForLobbyServers(local: LobbyServers) {
  return async (question: string, args: readonly unknown[]): Promise<unknown> => {
    // Another node asks the questions above.
    const [lobbyId, stream, ...numbers] = args as [string, LogStream, ...number[]];
    const here = { lobbyId, nodeId: null };
    if (question === "isRunning") return (await local.isRunning(here)) ? true : null;
    if (question === "exitOf") return local.exitOf(lobbyId);
    if (question !== "logPiece") return null;
    const piece = await local.logPiece(here, stream, numbers[0] ?? 0, numbers[1] ?? 0);
    return piece.end === 0 ? null : ({ ...piece, bytes: piece.bytes.toString("base64") } satisfies SentPiece);
  };
}
