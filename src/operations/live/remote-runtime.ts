import type { NodeCalls } from "../../nodes/calls.ts";
import type { LobbyExit, LogPiece, LogStream, Runtime } from "../../runtime/runtime.ts";

/** A lobby, and the node that runs its server; null: none does. Undefined: nobody knows any more which one did. */
export interface ServedLobby {
  readonly lobbyId: string;
  readonly nodeId: string | null | undefined;
}

/** What is known of lobby servers, wherever they run. */
export interface LobbyServers extends Pick<Runtime, "exitOf"> {
  /** What the server has written from that place on, at most that many bytes. */
  logPiece(lobby: ServedLobby, stream: LogStream, from: number, maxBytes: number): Promise<LogPiece>;
  /** Whether the server may still write something. */
  isRunning(lobby: ServedLobby): Promise<boolean>;
  /** As `exitOf`, which knows of this machine only. */
  askExit(lobby: ServedLobby): Promise<LobbyExit | null>;
}

/** Those of this machine. */
export function localLobbyServers(runtime: Runtime): LobbyServers {
  return {
    exitOf: (lobbyId) => runtime.exitOf(lobbyId),
    logPiece: ({ lobbyId }, stream, from, maxBytes) => runtime.logPiece(lobbyId, stream, from, maxBytes),
    isRunning: async ({ lobbyId }) => runtime.isRunning(lobbyId),
    askExit: async ({ lobbyId }) => runtime.exitOf(lobbyId),
  };
}

/**
 * Those of every node: what this machine does not have, the one that runs the lobby does. All are asked only about a
 * lobby of which nobody knows any more where it ran.
 */
export function sharedLobbyServers(local: LobbyServers, calls: Pick<NodeCalls, "ask" | "askOne">): LobbyServers {
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
      // Border: another node of the same version answers with what answerForLobbyServers gives.
      const sent = (await ask(lobby, "logPiece", stream, from, maxBytes)) as SentPiece | null;
      return sent === null ? own : { ...sent, bytes: Buffer.from(sent.bytes, "base64") };
    },
    async isRunning(lobby) {
      return (await local.isRunning(lobby)) || (await ask(lobby, "isRunning")) === true;
    },
    async askExit(lobby) {
      // Border: as above.
      return local.exitOf(lobby.lobbyId) ?? ((await ask(lobby, "exitOf")) as LobbyExit | null);
    },
  };
}

type SentPiece = Omit<LogPiece, "bytes"> & { readonly bytes: string };

/** What this node answers the others; null: it has nothing of that lobby. */
export function answerForLobbyServers(local: LobbyServers) {
  return async (question: string, args: readonly unknown[]): Promise<unknown> => {
    // Border: the questions are those above, asked by another node.
    const [lobbyId, stream, ...numbers] = args as [string, LogStream, ...number[]];
    const here = { lobbyId, nodeId: null };
    if (question === "isRunning") return (await local.isRunning(here)) ? true : null;
    if (question === "exitOf") return local.exitOf(lobbyId);
    if (question !== "logPiece") return null;
    const piece = await local.logPiece(here, stream, numbers[0] ?? 0, numbers[1] ?? 0);
    return piece.end === 0 ? null : ({ ...piece, bytes: piece.bytes.toString("base64") } satisfies SentPiece);
  };
}
