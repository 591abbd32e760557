import { expect, test } from "vitest";
import { type LobbyServers, sharedLobbyServers } from "./remote-runtime.ts";

/** Servers of another machine, and what the other nodes were asked about them. */
function elsewhere() {
  const asked: string[] = [];
  const local: LobbyServers = {
    exitOf: () => null,
    logPiece: async () => ({ bytes: Buffer.alloc(0), start: 0, first: 0, end: 0 }),
    isRunning: async () => false,
    askExit: async () => null,
    lostNode: () => null,
  };
  const piece = { bytes: Buffer.from("told").toString("base64"), start: 0, first: 0, end: 4 };
  const answers: Record<string, unknown> = { logPiece: piece, isRunning: true, exitOf: { code: 3, signal: null } };
  const servers = sharedLobbyServers(local, {
    async ask(question) {
      asked.push(`all: ${question}`);
      return answers[question];
    },
    async askOne(nodeId, question, [lobbyId]) {
      asked.push(`${nodeId}: ${question} ${String(lobbyId)}`);
      return answers[question];
    },
    isUp: () => true,
  });
  async function askAll(nodeId: string | null | undefined) {
    asked.length = 0;
    const lobby = { lobbyId: "lobby", nodeId };
    const { bytes } = await servers.logPiece(lobby, "stdout", 0, 10);
    return [bytes.toString(), await servers.isRunning(lobby), (await servers.askExit(lobby))?.code ?? null];
  }
  return { asked, askAll };
}

test("[RT20] only the node that runs a lobby is asked for its log, whether it runs and how it ended", async () => {
  const { asked, askAll } = elsewhere();
  expect(await askAll("far")).toEqual(["told", true, 3]);
  expect(asked).toEqual(["far: logPiece lobby", "far: isRunning lobby", "far: exitOf lobby"]);
});

test("[RT20] no node is asked about a lobby that no node runs, and all nodes about one whose node is unknown", async () => {
  const { asked, askAll } = elsewhere();
  expect(await askAll(null)).toEqual(["", false, null]);
  expect(asked).toEqual([]);
  expect(await askAll(undefined)).toEqual(["told", true, 3]);
  expect(asked).toEqual(["all: logPiece", "all: isRunning", "all: exitOf"]);
});
