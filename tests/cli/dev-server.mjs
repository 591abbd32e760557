// A lobby without any library: it answers each connection whose token Foyer accepts, and ends when its text says so.
import { createServer } from "node:http";

const { FOYER_API_ENDPOINT, FOYER_TOKEN, FOYER_GAME_MODE, PORT } = process.env;
const headers = { authorization: `Bearer ${FOYER_TOKEN}`, "content-type": "application/json" };
const post = (path, body) =>
  fetch(`${FOYER_API_ENDPOINT}/matchmaker/${path}`, { method: "POST", headers, body: JSON.stringify(body ?? {}) });
const edition = 1;

createServer(async (request, response) => {
  const answer = await post("players/connected", { player_token: request.headers.player });
  response.end(JSON.stringify({ edition, mode: FOYER_GAME_MODE, status: answer.status, ...(await answer.json()) }));
}).listen(Number(PORT), "127.0.0.1", () => post("lobbies/ready"));
