import { createServer } from "node:http";
import { createLobbyServer } from "foyer-sdk/server";
import { WebSocketServer } from "ws";
import { createGame } from "./game.mjs";
import { stepsPerSecond } from "./page/rules.js";

// Foyer sets the first two. The version may set the others in its `env`: where to listen, and how long a round lasts.
const { PORT, FOYER_MAX_PLAYERS, HOST, ARENA_ROUND_S } = process.env;

const stateMs = 1_000;
const stateAtLeastMs = 20_000;
const helloWithinMs = 10_000;
const messagesPerSecondMax = 120;
const aloneMaxMs = 120_000;
/** The page closes its connection with this reason when its player leaves. Any other end is an accident. */
const leftReason = "left";
/** What the page shows when the SDK ends a player's connection, by the SDK's reason. */
const endings = {
  replaced: [4004, "You continued in another tab."],
  removed: [4005, "Your seat was given away."],
  stopping: [4000, "This lobby has ended."],
};

const lobby = createLobbyServer({
  onSeatEnded: (playerId) => game.remove(playerId),
  onStopping: (reason) => {
    console.log(`stopping: ${reason}`);
    for (const socket of sockets.clients) socket.close(...endings.stopping);
    // The lobby has ended, so this process has nothing left to do.
    if (reason === "stopped_by_foyer") setImmediate(() => process.exit(0));
  },
  onError: (error) => report("a call to Foyer failed", error),
});
const game = createGame({ now: Date.now, random: Math.random, roundS: Number(ARENA_ROUND_S) || 60 });
/** Socket -> its player. A socket is added when Foyer has accepted its token. */
const seats = new Map();
/** Whether Foyer may have this lobby as closed. */
let isClosed = false;
let isChangingDoor = false;
let steps = 0;
let sent = { gems: -1, roster: -1, phase: "" };
let lastState = { text: "", at: Date.now() };
let isSendingState = false;

const http = createServer((_request, response) => {
  response
    .writeHead(426, { "content-type": "text/plain" })
    .end("This is a lobby of the arena. Connect with WebSocket.\n");
});
const sockets = new WebSocketServer({ server: http, maxPayload: 2_048 });

sockets.on("connection", (socket) => {
  // The token is in the first message and not in the URL, which would end up in logs.
  const late = setTimeout(() => socket.close(4001, "No token was sent."), helloWithinMs);
  let admission = null;
  let messages = 0;
  const second = setInterval(() => {
    messages = 0;
  }, 1_000);

  socket.on("message", (data) => {
    messages += 1;
    const message = messages > messagesPerSecondMax ? null : parse(data);
    if (!message) return socket.close(4002, "This is not a message of this game.");
    const player = seats.get(socket);
    if (player) return receive(socket, player, message);
    if (admission) return;
    clearTimeout(late);
    admission = lobby.admit(String(message.token));
    void enter(socket, admission, message.name);
  });
  socket.on("error", () => socket.terminate());
  socket.on("close", (_code, reason) => {
    clearTimeout(late);
    clearInterval(second);
    if (admission) void leave(socket, admission, reason.toString() !== leftReason);
  });
});

async function enter(socket, admission, name) {
  try {
    const player = await admission;
    const { playerId, returned, signal } = player;
    signal.addEventListener("abort", () => end(socket, player));
    // The connection ended before Foyer answered; `leave` does the rest.
    if (socket.readyState !== socket.OPEN) return;
    seats.set(socket, player);
    if (!game.unpark(playerId)) game.add(playerId, name);
    if (returned) announceReturn(playerId);
    const news = { phase: game.phase(), gems: game.gems(), roster: game.roster(), positions: game.positions() };
    send(socket, { type: "welcome", playerId, returned, seatsMax: Number(FOYER_MAX_PLAYERS) || null, news });
  } catch (error) {
    report("a player was not admitted", error);
    // For the player. Foyer's own text is for developers.
    socket.close(4003, "Your seat is not valid. Press Play for another one.");
  }
}

/** Frees the seat of a player who left. Foyer holds the seat of a player whose connection broke. */
async function leave(socket, admission, mayReturn) {
  void lobby.leave(admission, { mayReturn });
  const player = await admission.catch(() => null);
  seats.delete(socket);
  // Refused, or `end` has dealt with this connection.
  if (!player || player.signal.aborted) return;
  if (mayReturn) game.park(player.playerId);
  else game.remove(player.playerId);
}

/** The SDK says that this connection must end. A player who reloads the page keeps score and colour. */
function end(socket, { playerId, signal }) {
  seats.delete(socket);
  if (signal.reason === "replaced") game.park(playerId);
  else game.remove(playerId);
  socket.close(...endings[signal.reason]);
}

function announceReturn(playerId) {
  console.log(`player ${playerId} returned`);
  for (const [socket, player] of seats) {
    if (player.playerId !== playerId) send(socket, { type: "notice", text: `${game.readName(playerId)} is back.` });
  }
}

function receive(socket, { playerId }, message) {
  if (message.type === "input") game.setInput(playerId, message);
  if (message.type === "new-round") void startRound(socket);
}

/** Closes the lobby first, so that no player is sent into a round that has begun. */
async function startRound(socket) {
  if (!game.isIdle() || isClosed || isChangingDoor) return;
  isChangingDoor = true;
  isClosed = true;
  try {
    await lobby.close();
    game.startRound();
  } catch (error) {
    // Foyer may have closed it and its answer was lost. The next look opens the lobby again.
    report("the lobby could not be closed", error);
    send(socket, { type: "notice", text: "The round cannot start right now. Try again." });
  } finally {
    isChangingDoor = false;
  }
}

/** Opens the lobby when no round runs. A call that failed is repeated at the next look. */
async function openAfterRound() {
  if (!game.isIdle() || !isClosed || isChangingDoor) return;
  isChangingDoor = true;
  try {
    await lobby.open();
    isClosed = false;
  } catch (error) {
    report("the lobby could not be opened", error);
  } finally {
    isChangingDoor = false;
  }
}

setInterval(() => {
  const before = game.phase().name;
  game.step();
  if (before !== "open" && game.isIdle()) void openAfterRound();
  steps += 1;
  // One snapshot every second step is enough: the page interpolates.
  if (steps % 2 === 0) sendNews();
}, 1_000 / stepsPerSecond);

function sendNews() {
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

/** What the list of lobbies shows of this one: when it changes, and now and then, to learn whether Foyer is there. */
async function sendState() {
  const { name: phase } = game.phase();
  const state = { phase, players: game.roster().map(({ name, score }) => ({ name, score })) };
  const text = JSON.stringify(state);
  if (isSendingState || (text === lastState.text && Date.now() - lastState.at < stateAtLeastMs)) return;
  isSendingState = true;
  try {
    await lobby.setState(state);
    lastState = { text, at: Date.now() };
  } catch (error) {
    report("Foyer did not accept the state", error);
    // There are no players and Foyer does not answer, so no more will be sent here.
    if (seats.size === 0 && Date.now() - lastState.at > aloneMaxMs) process.exit(1);
  } finally {
    isSendingState = false;
  }
}

http.listen(Number(PORT), HOST, async () => {
  console.log(`lobby ${lobby.lobbyId} listens on port ${PORT}`);
  try {
    await lobby.ready();
  } catch (error) {
    report("Foyer does not accept this lobby", error);
    process.exit(1);
  }
  setInterval(() => {
    void sendState();
    void openAfterRound();
  }, stateMs);
});

function send(socket, message) {
  if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(message));
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
