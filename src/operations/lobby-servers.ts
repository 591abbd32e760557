import type { NodeCalls } from "../nodes/calls.ts";
import type { LobbyExit, LogPiece, LogStream, Runtime } from "../runtime/runtime.ts";

/** What is known of lobby servers, wherever they run. */
export interface LobbyServers extends Pick<Runtime, "exitOf" | "logPiece"> {
  /** Whether the server may still write something. */
  isRunning(lobbyId: string): Promise<boolean>;
  /** As `exitOf`, which knows of this machine only. */
  askExit(lobbyId: string): Promise<LobbyExit | null>;
}

/** Those of this machine. */
export function localLobbyServers(runtime: Runtime): LobbyServers {
  return {
    exitOf: (lobbyId) => runtime.exitOf(lobbyId),
    logPiece: (lobbyId, stream, from, maxBytes) => runtime.logPiece(lobbyId, stream, from, maxBytes),
    isRunning: async (lobbyId) => runtime.isRunning(lobbyId),
    askExit: async (lobbyId) => runtime.exitOf(lobbyId),
  };
}

/** Those of every node: what this machine does not have, one of the others may. */
export function sharedLobbyServers(local: LobbyServers, calls: NodeCalls): LobbyServers {
  return {
    exitOf: local.exitOf,
    async logPiece(lobbyId, stream, from, maxBytes) {
      const own = await local.logPiece(lobbyId, stream, from, maxBytes);
      if (own.end > 0) return own;
      // Border: another node of the same version answers with what answerForLobbyServers gives.
      const sent = (await calls.ask("logPiece", [lobbyId, stream, from, maxBytes])) as SentPiece | null;
      return sent === null ? own : { ...sent, bytes: Buffer.from(sent.bytes, "base64") };
    },
    async isRunning(lobbyId) {
      return (await local.isRunning(lobbyId)) || (await calls.ask("isRunning", [lobbyId])) === true;
    },
    async askExit(lobbyId) {
      // Border: as above.
      return local.exitOf(lobbyId) ?? ((await calls.ask("exitOf", [lobbyId])) as LobbyExit | null);
    },
  };
}

type SentPiece = Omit<LogPiece, "bytes"> & { readonly bytes: string };

/** What this node answers the others; null: it has nothing of that lobby. */
export function answerForLobbyServers(local: LobbyServers) {
  return async (question: string, args: readonly unknown[]): Promise<unknown> => {
    // Border: the questions are those above, asked by another node.
    const [lobbyId, stream, ...numbers] = args as [string, LogStream, ...number[]];
    if (question === "isRunning") return (await local.isRunning(lobbyId)) ? true : null;
    if (question === "exitOf") return local.exitOf(lobbyId);
    if (question !== "logPiece") return null;
    const piece = await local.logPiece(lobbyId, stream, numbers[0] ?? 0, numbers[1] ?? 0);
    return piece.end === 0 ? null : ({ ...piece, bytes: piece.bytes.toString("base64") } satisfies SentPiece);
  };
}
