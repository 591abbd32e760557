import { createLobbyServer } from "foyer-sdk/server";
import { WebSocketServer } from "ws";

// One room. Everyone answers the same question; each player who has the same answer as you is a point for you.
const questions = ["an animal", "a colour", "something in a kitchen", "a reason to be late", "a fruit", "a city"];
const players = new Map();
let round = 0;
let last = null;

const lobby = createLobbyServer({ onSeatEnded: (playerId) => players.delete(playerId) && update() });
const server = new WebSocketServer({ port: Number(process.env.PORT), maxPayload: 1000 }, () => lobby.ready());

server.on("connection", (socket) => {
  socket.on("error", () => socket.terminate());
  socket.once("message", async (data) => {
    const { token, name } = read(data);
    const admission = lobby.admit(token);
    socket.on("close", () => lobby.leave(admission, { mayReturn: true }));
    const player = await admission.catch((refusal) => socket.close(4003, refusal.code));
    if (!player || socket.readyState !== socket.OPEN) return;
    player.signal.addEventListener("abort", () => socket.close(4004, player.signal.reason));
    play(socket, player.playerId, name);
  });
});

function play(socket, id, name) {
  const player = players.get(id) ?? { name: name || `Player ${players.size + 1}`, score: 0, answer: "" };
  player.socket = socket;
  players.set(id, player);
  socket.on("message", (data) => {
    player.answer = read(data).answer.toLowerCase();
    update();
  });
  socket.on("close", () => {
    // A page that was loaded again has a newer connection.
    if (player.socket === socket) player.socket = null;
    update();
  });
  update();
}

/** Ends the round when everyone who is here has answered, and shows all pages where the game stands. */
function update() {
  const here = [...players.values()].filter(({ socket }) => socket);
  if (here.length > 1 && here.every(({ answer }) => answer)) {
    for (const one of here) one.score += here.filter(({ answer }) => answer === one.answer).length - 1;
    last = here.map(({ name, answer }) => `${name}: ${answer}`);
    for (const player of players.values()) player.answer = "";
    round += 1;
  }
  const list = [...players.values()].map(({ name, score, answer }) => ({ name, score, isDone: answer !== "" }));
  const text = JSON.stringify({ question: questions[round % questions.length], last, players: list });
  for (const { socket } of here) socket.send(text);
}

/** What a page sends: texts of a sensible length, or nothing. */
function read(data) {
  let message = null;
  try {
    message = JSON.parse(String(data));
  } catch {}
  const text = (value, length) => (typeof value === "string" ? value.trim().slice(0, length) : "");
  return { token: text(message?.token, 500), name: text(message?.name, 20), answer: text(message?.answer, 40) };
}
