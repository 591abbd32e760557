import boardgame from "boardgame.io/dist/cjs/server.js";
import { giveUp, sayReady, serveControl } from "../control.mjs";

// Matches in memory, which is its default store. A player lists matches and joins one; there is no find.
const { rooms, seats } = JSON.parse(process.argv[2]);
const game = { name: "duel", setup: () => ({}), moves: {} };
const server = boardgame.Server({ games: [game], origins: [/127\.0\.0\.1/] });
// A host beside the port: else it listens on every address of the machine.
const { appServer } = await server.run({ port: { port: 0, host: "127.0.0.1" } });
const { port } = appServer.address();

const post = async (path, body) => {
  const headers = { "content-type": "application/json" };
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
  if (!answer.ok) giveUp(`${path} answered ${answer.status}`);
  return answer.json();
};

// A match ends when its last player leaves, so each has one player more who stays and is not counted.
const resident = "resident";
if (rooms > 0) {
  const { matchID } = await post("/games/duel/create", { numPlayers: seats + 1 });
  await post(`/games/duel/${matchID}/join`, { playerName: resident });
  // The others are copies of it in its store: making each by two calls takes a minute for 10,000.
  const { state, metadata } = await server.db.fetch(matchID, { state: true, metadata: true });
  for (let made = 1; made < rooms; made++) {
    const copy = structuredClone({ initialState: state, metadata });
    await server.db.createMatch(`${matchID}-${made}`, copy);
  }
}
const control = await serveControl({
  async rooms() {
    const { matches } = await (await fetch(`http://127.0.0.1:${port}/games/duel`)).json();
    return matches.map(({ matchID, players }) => ({
      id: matchID,
      taken: players.filter(({ name }) => name !== undefined && name !== resident).length,
    }));
  },
  lock: () => Promise.reject(new Error("There is no way to lock a match.")),
});
sayReady(port, control);
