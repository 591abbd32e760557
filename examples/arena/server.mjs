import { createServer } from "node:http";
import { WebSocketServer } from "ws";
import { createFoyer, FoyerRefusal } from "./foyer.mjs";
import { createGame } from "./game.mjs";
import { stepsPerSecond } from "./public/rules.js";

// Foyer starts one process like this per lobby and gives it these variables.
const { FOYER_TOKEN, FOYER_API_ENDPOINT, FOYER_LOBBY_ID, FOYER_MAX_PLAYERS, PORT } = process.env;
// The version may set these in its `env`: where to listen, and how long a round lasts.
const { HOST, ARENA_ROUND_S } = process.env;
if (!FOYER_TOKEN || !FOYER_API_ENDPOINT || !PORT) {
  console.error(
    "FOYER_TOKEN, FOYER_API_ENDPOINT and PORT are not set: this server is started by Foyer, see README.md.",
  );
  process.exit(1);
}

const heartbeatMs = 5_000;
const stateMs = 1_000;
const helloWithinMs = 10_000;
const messagesPerSecondMax = 120;
const aloneMaxMs = 120_000;

const foyer = createFoyer({ endpoint: FOYER_API_ENDPOINT, token: FOYER_TOKEN });
const game = createGame({ now: Date.now, random: Math.random, roundS: Number(ARENA_ROUND_S) || 60 });
/** Socket -> its player. A socket is added when Foyer has accepted its token. */
const seats = new Map();
/** Player token -> the call that reports to Foyer that its connection ended. */
const leaving = new Map();
/** The page closes its connection with this reason when its player leaves. Any other end is an accident. */
const leftReason = "left";
let isClosed = false;
let isStartingRound = false;
let isOpening = false;
let isStopping = false;
let steps = 0;
let sent = { gems: -1, roster: -1, phase: "" };
let lastState = "";
let lastAnswerAt = Date.now();

const http = createServer((_request, response) => {
  response
    .writeHead(426, { "content-type": "text/plain" })
    .end("This is a lobby of the arena. Connect with WebSocket.\n");
});
const sockets = new WebSocketServer({ server: http, maxPayload: 2_048 });

sockets.on("connection", (socket) => {
  // The token is in the first message and not in the URL, which would end up in logs.
  const late = setTimeout(() => socket.close(4001, "No token was sent."), helloWithinMs);
  let hello = null;
  let messages = 0;
  const second = setInterval(() => {
    messages = 0;
  }, 1_000);

  socket.on("message", (data) => {
    messages += 1;
    const message = messages > messagesPerSecondMax ? null : parse(data);
    if (!message) return socket.close(4002, "This is not a message of this game.");
    const seat = seats.get(socket);
    if (seat) return receive(seat, message);
    if (hello) return;
    clearTimeout(late);
    hello = admit(socket, message);
  });
  socket.on("error", () => socket.terminate());
  socket.on("close", async (_code, reason) => {
    clearTimeout(late);
    clearInterval(second);
    // A player who leaves while this call runs is admitted first and then leaves, so that the seat becomes free.
    await hello;
    const seat = seats.get(socket);
    if (seat) leave(socket, seat, reason.toString() !== leftReason);
  });
});

/** Frees the seat of a player who left. Foyer holds the seat of a player whose connection broke. */
function leave(socket, { playerId, token }, mayReturn) {
  seats.delete(socket);
  if (mayReturn) game.park(playerId);
  else game.remove(playerId);
  const call = foyer
    .disconnected(token, mayReturn)
    .catch((error) => report("Foyer did not accept a disconnect", error))
    .finally(() => leaving.delete(token));
  leaving.set(token, call);
}

async function admit(socket, { token, name }) {
  try {
    if (typeof token !== "string") throw new Error("The first message must contain a player token.");
    const { playerId, returned } = takeOver(token) ?? (await connect(token));
    seats.set(socket, { playerId, token });
    if (!game.unpark(playerId)) game.add(playerId, name);
    if (returned) tellReturned(playerId);
    const news = { phase: game.phase(), gems: game.gems(), roster: game.roster(), positions: game.positions() };
    send(socket, { type: "welcome", playerId, returned, seatsMax: Number(FOYER_MAX_PLAYERS) || null, news });
  } catch (error) {
    report("a player was not admitted", error);
    // For the player. Foyer's own text is for developers.
    socket.close(4003, "Your seat is not valid. Press Play for another one.");
  }
}

/** A player who reloads the page may be here again before the old connection has ended. Null: the player is not here. */
function takeOver(token) {
  const [old, seat] = [...seats].find(([, { token: known }]) => known === token) ?? [];
  if (!seat) return null;
  seats.delete(old);
  game.park(seat.playerId);
  old.close(4004, "You continued in another tab.");
  return { playerId: seat.playerId, returned: true };
}

async function connect(token) {
  // Else Foyer could get the disconnect of the old connection after the connect of the new one.
  await leaving.get(token);
  const { player_id: playerId, returned } = await foyer.connected(token);
  return { playerId, returned };
}

function tellReturned(playerId) {
  console.log(`player ${playerId} returned`);
  for (const [socket, seat] of seats) {
    if (seat.playerId !== playerId) send(socket, { type: "notice", text: `${game.readName(playerId)} is back.` });
  }
}

function receive(seat, message) {
  if (message.type === "input") game.setInput(seat.playerId, message);
  if (message.type === "new-round") void startRound(seat);
}

/** Closes the lobby first, so that no player is sent into a round that has begun. */
async function startRound(seat) {
  if (!game.isIdle() || isClosed) return;
  isClosed = true;
  isStartingRound = true;
  try {
    await foyer.setClosed(true);
    game.startRound();
  } catch (error) {
    isClosed = false;
    report("the lobby could not be closed", error);
    for (const [socket, { playerId }] of seats) {
      if (playerId === seat.playerId)
        send(socket, { type: "notice", text: "The round cannot start right now. Try again." });
    }
  } finally {
    isStartingRound = false;
  }
}

/** One call at a time: a late one would open the lobby in the middle of the next round. */
async function openAgain() {
  if (isOpening) return;
  isOpening = true;
  try {
    await foyer.setClosed(false);
    isClosed = false;
  } catch (error) {
    // The heartbeat tries again.
    report("the lobby could not be opened", error);
  } finally {
    isOpening = false;
  }
}

setInterval(() => {
  const before = game.phase().name;
  game.step();
  if (before !== "open" && game.isIdle()) void openAgain();
  steps += 1;
  // One snapshot every second step is enough: the page interpolates.
  if (steps % 2 === 0) tellEverybody();
}, 1_000 / stepsPerSecond);

function tellEverybody() {
  const phase = game.phase();
  const revisions = game.revisions();
  const news = { positions: game.positions() };
  const effects = game.takeEffects();
  if (effects.length > 0) news.effects = effects;
  if (revisions.gems !== sent.gems) news.gems = game.gems();
  if (revisions.roster !== sent.roster) news.roster = game.roster();
  if (phase.name !== sent.phase) news.phase = phase;
  sent = { ...revisions, phase: phase.name };
  const text = JSON.stringify(news);
  for (const [socket, { playerId }] of seats) {
    // A page that does not keep up misses a snapshot instead of getting them all too late.
    if (socket.bufferedAmount > 64_000 && !news.roster && !news.gems && !news.phase) continue;
    socket.send(`{"type":"news","seq":${game.seqOf(playerId)},"news":${text}}`);
  }
}

/** What the list of lobbies shows of this one. */
setInterval(() => {
  const { name: phase } = game.phase();
  const state = { phase, players: game.roster().map(({ name, score }) => ({ name, score })) };
  const text = JSON.stringify(state);
  if (text === lastState) return;
  lastState = text;
  foyer.setState(state).catch((error) => {
    lastState = "";
    report("Foyer did not accept the state", error);
  });
}, stateMs);

/** Sends Foyer the connected players. Foyer frees the seats of players whose disconnect call it missed. */
setInterval(async () => {
  try {
    const playerIds = [...seats.values()].map(({ playerId }) => playerId);
    const known = await foyer.heartbeat(playerIds);
    lastAnswerAt = Date.now();
    const held = new Set(known.players.map(({ player_id }) => player_id));
    for (const playerId of game.parked()) if (!held.has(playerId)) game.remove(playerId);
    // Foyer did not answer when the last round was over, or its answer was lost.
    if (game.isIdle() && !isStartingRound && (known.is_closed || isClosed)) await openAgain();
  } catch (error) {
    if (error instanceof FoyerRefusal && error.meansGone) return stop("Foyer has ended this lobby");
    report("Foyer did not accept the heartbeat", error);
    // There are no players and Foyer is gone, so no more will be sent here.
    if (seats.size === 0 && Date.now() - lastAnswerAt > aloneMaxMs) await stop("Foyer does not answer");
  }
}, heartbeatMs);

/** Foyer stops a lobby with SIGTERM. If another sender ends the lobby, this call lets Foyer know. */
async function stop(why) {
  if (isStopping) return;
  isStopping = true;
  console.log(`stopping: ${why}`);
  for (const socket of sockets.clients) socket.close(4000, "This lobby has ended.");
  // Already stopped, or Foyer does not answer: there is nothing left to do.
  await foyer.stop().catch(() => undefined);
  process.exit(0);
}
process.on("SIGTERM", () => void stop("SIGTERM"));
process.on("SIGINT", () => void stop("SIGINT"));

http.listen(Number(PORT), HOST, async () => {
  console.log(`lobby ${FOYER_LOBBY_ID} listens on port ${PORT}`);
  try {
    await foyer.ready();
  } catch (error) {
    report("Foyer does not accept this lobby", error);
    process.exit(1);
  }
});

function send(socket, message) {
  socket.send(JSON.stringify(message));
}

function parse(data) {
  try {
    const message = JSON.parse(data.toString());
    return typeof message === "object" ? message : null;
  } catch {
    return null;
  }
}

function report(what, error) {
  console.error(`${what}: ${error.message}`);
}
