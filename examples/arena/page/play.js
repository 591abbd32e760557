import { createMatchmaker } from "foyer-sdk/client";
import { enterLobby } from "./connection.js";
import { colours, createDrawing } from "./draw.js";
import { createInput } from "./input.js";
import { bodyAt, field } from "./rules.js";
import { explain, isFinal } from "./words.js";
import { createWorld } from "./world.js";

const byId = (id) => document.getElementById(id);
const canvas = byId("field");
const drawing = createDrawing(canvas);
const input = createInput(canvas, byId("dash"));
const listEveryMs = 2_000;

let matchmaker = null;
/** The same without repeated calls: this page shows its tries to return. */
let impatient = null;
let gameModes = [];
let invitedTo = new URLSearchParams(location.search).get("lobby");
/** The current game: the lobby's connection, its world, and its phase. Null: on the start screen. */
let game = null;
let noticeTimer = 0;
let searchTimer = 0;
const patienceMs = 2_500;
/** Between tries to return to a seat, in seconds. Together they are shorter than Foyer holds the seat. */
const returnPausesS = [0.5, 1, 2, 4, 4, 4, 4];
/** Lobby id -> its row. Rows stay while their lobbies do, so that a refresh does not take the focus away. */
const rows = new Map();
byId("name").value = localStorage.getItem("arena-name") ?? "";
byId("enter").addEventListener("submit", (event) => {
  event.preventDefault();
  void enter(() => (invitedTo ? matchmaker.join(invitedTo) : matchmaker.find({ game_modes: gameModes })), {
    isPrivate: false,
  });
});
byId("private").addEventListener("click", () =>
  enter(() => matchmaker.create({ game_mode: gameModes[0], publicity: "private" }), { isPrivate: true }),
);
byId("by-code").addEventListener("submit", (event) => {
  event.preventDefault();
  void enter(() => matchmaker.join(byId("code-field").value), { isPrivate: true });
});
byId("copy-code").addEventListener("click", copyCode);
byId("round").addEventListener("click", (event) => {
  game?.connection.send({ type: "new-round" });
  // Otherwise the space bar would press the button again instead of dashing.
  event.currentTarget.blur();
});
byId("invite").addEventListener("click", copyInvite);
byId("leave").addEventListener("click", () => leave(null));

await begin();
requestAnimationFrame(frame);

async function begin() {
  showStart(null);
  setBusy(true, "Loading …");
  try {
    // The service gives the page of its demo a public token and the game modes.
    const config = await (await fetch("/play/config.json")).json();
    // The storage is of this tab: a reload, or a broken connection, returns to the seat it has.
    const options = { token: config.public_token, storage: sessionStorage };
    matchmaker = createMatchmaker(options);
    impatient = createMatchmaker({ ...options, retry: { retries: 0 } });
    gameModes = config.game_modes;
  } catch {
    return showStart("The game cannot be reached. Reload the page to try again.");
  }
  void keepListing();
  await comeBack(null);
}

/** Returns to the seat that this tab has, with some tries. `problem`: what to show when it has none. */
async function comeBack(problem) {
  let failure = problem;
  for (const [index, pauseS] of [0, ...returnPausesS].entries()) {
    if (index > 0) setBusy(true, `Returning to your seat … (try ${index + 1} of ${returnPausesS.length + 1})`);
    await new Promise((resolve) => setTimeout(resolve, pauseS * 1000));
    try {
      const answer = await impatient.resume();
      if (!answer) break;
      await take(answer, (lobby) => `Welcome back to lobby ${shortId(lobby)}.`);
      return setBusy(false);
    } catch (error) {
      failure = explain(error);
      if (isFinal(error)) break;
    }
  }
  matchmaker.forget();
  showStart(failure && `You could not return to your seat. ${failure}`);
  setBusy(false);
}

/** Gets a seat from Foyer, connects to the lobby with it, and starts the game. */
async function enter(ask, { isPrivate }) {
  if (byId("play").disabled) return;
  localStorage.setItem("arena-name", byId("name").value.trim());
  setBusy(true, "Looking for a lobby …");
  byId("problem").hidden = true;
  try {
    const askedAt = performance.now();
    const answer = await ask();
    const tookMs = Math.round(performance.now() - askedAt);
    await take(answer, (lobby) => `Seat found in ${tookMs} ms, in lobby ${shortId(lobby)}.`);
    // The address of a private lobby's page is its link, so that it can be shared from the address bar.
    if (isPrivate || invitedTo) history.replaceState(null, "", linkTo(answer.lobby.lobby_id));
  } catch (error) {
    // An invalid invitation must not keep the player from playing.
    if (invitedTo) forgetInvitation();
    showStart(explain(error));
  }
  setBusy(false);
}

/** Connects to the lobby of a seat and starts the game. */
async function take(answer, describe) {
  const isHere = () => game?.connection === connection;
  const connection = await enterLobby(answer, byId("name").value.trim(), {
    onNews: (news, seq) => isHere() && learn(news, seq),
    onNotice: notify,
    onEnd: (reason) => isHere() && (reason === null ? reconnect() : leave(reason)),
  });
  const { lobby_id: lobbyId, code = null } = answer.lobby;
  const world = createWorld(connection.playerId);
  game = { connection, lobbyId, code, seatsMax: connection.seatsMax, world, phase: null };
  showGame(describe(lobbyId));
  learn(connection.news, 0);
}

/** The connection broke. Foyer holds the seat for a while. */
function reconnect() {
  game = null;
  showStart("The connection to the lobby broke.");
  setBusy(true, "Returning to your seat …");
  void comeBack("The lobby has ended, or your seat was given away.");
}

function learn(news, seq) {
  game.world.learn(news, seq, performance.now());
  if (news.effects) drawing.addEffects(news.effects);
  if (news.roster) showPlayers(news.roster);
  if (news.phase) showPhase(news.phase);
}

function leave(reason) {
  const { connection } = game;
  game = null;
  connection.leave();
  matchmaker.forget();
  forgetInvitation();
  showStart(reason);
}

function forgetInvitation() {
  invitedTo = null;
  history.replaceState(null, "", "/play");
}

let drawnAt = performance.now();

function frame(now) {
  const dtS = Math.min(0.1, (now - drawnAt) / 1000);
  drawnAt = now;
  if (game) {
    game.world.advance(now, input.read, game.connection.send);
    drawing.draw(game.world.view(now), input.stick(), now, dtS);
    showClock();
  } else {
    const self = bodyAt(field.width / 2, field.height / 2);
    drawing.draw({ players: [], gems: idleGems, self }, null, now, dtS);
  }
  requestAnimationFrame(frame);
}

const idleGems = Array.from({ length: 24 }, (_, id) => ({
  id,
  value: id % 9 === 0 ? 5 : 1,
  x: 80 + ((id * 613) % 1440),
  y: 80 + ((id * 397) % 740),
}));

// Browsers draw a background page rarely or never; it still sends the lobby that its player stands still.
setInterval(() => {
  if (document.hidden && game) game.world.advance(performance.now(), input.read, game.connection.send);
}, 250);

function showStart(problem) {
  byId("start").hidden = false;
  byId("hud").hidden = true;
  byId("headline").textContent = "";
  byId("problem").hidden = problem === null;
  byId("problem").textContent = problem ?? "";
  byId("invitation").hidden = invitedTo === null;
  byId("invitation").textContent = invitedTo ? `You are invited to lobby ${shortId(invitedTo)}.` : "";
  byId("play").textContent = invitedTo ? "Join" : "Play";
  document.title = "Arena · a game on Foyer";
}

function showGame(text) {
  byId("start").hidden = true;
  byId("hud").hidden = false;
  byId("lobby-name").textContent = `Lobby ${shortId(game.lobbyId)}`;
  byId("lobby-name").title = game.lobbyId;
  byId("copy-code").hidden = game.code === null;
  byId("copy-code").textContent = spell(game.code ?? "");
  byId("copy-code").title = "Copy the code of this lobby";
  byId("copy-code").setAttribute("aria-label", `Code ${spell(game.code ?? "")}, copy it`);
  document.activeElement?.blur();
  notify(text);
}

function showPlayers(roster) {
  const rows = [...roster].sort((a, b) => b.score - a.score);
  byId("players").replaceChildren(
    ...rows.map(({ id, name, colour, score }) => {
      const row = element("li", id === game.connection.playerId ? "self" : "");
      row.append(dot(colours[colour % colours.length]), element("span", "name", name), element("span", "score", score));
      return row;
    }),
  );
  reserveBars();
  document.title = `${roster.length} in lobby ${shortId(game.lobbyId)} · Arena`;
}

/** On a wide page the players are listed below the field, on a narrow one above it; below it is the dash button. */
function reserveBars() {
  const header = byId("hud").querySelector("header").getBoundingClientRect();
  const players = byId("players").getBoundingClientRect();
  const isBelow = players.top > innerHeight / 2;
  const dash = byId("dash").getBoundingClientRect();
  const bottom = isBelow ? innerHeight - players.top : dash.height > 0 ? innerHeight - dash.top : 8;
  drawing.reserve((isBelow ? header.bottom : Math.max(header.bottom, players.bottom)) + 6, bottom + 6);
}
addEventListener("resize", () => game && reserveBars());

function showPhase(phase) {
  game.phase = { ...phase, endsAt: phase.leftMs === null ? null : performance.now() + phase.leftMs };
  const isOpen = phase.name === "open";
  byId("lobby-state").textContent = isOpen ? "open" : "closed";
  byId("lobby-state").title = isOpen ? "" : "Only invited players can enter while the round runs.";
  byId("lobby-state").classList.toggle("closed", !isOpen);
  byId("round").disabled = !isOpen;
  const { winner } = phase;
  byId("headline").textContent = phase.name === "results" && winner ? `${winner.name} wins with ${winner.score}` : "";
}

function showClock() {
  const { name, endsAt } = game.phase ?? {};
  const left = endsAt ? Math.max(0, Math.ceil((endsAt - performance.now()) / 1000)) : null;
  const clock = name === "round" ? `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}` : "";
  if (byId("clock").textContent !== clock) byId("clock").textContent = clock;
  byId("help").hidden = clock !== "";
  if (name === "countdown") byId("headline").textContent = left > 0 ? String(left) : "Go";
}

async function keepListing() {
  for (;;) {
    if (!game && !document.hidden) {
      // The list is a convenience; when it fails, the next click says why.
      const list = await matchmaker.list({ include_state: true }).catch(() => null);
      if (list) showLobbies(list.lobbies);
    }
    await new Promise((resolve) => setTimeout(resolve, listEveryMs));
  }
}

function showLobbies(lobbies) {
  const shown = lobbies.slice(0, 6);
  byId("running").hidden = shown.length === 0;
  for (const [lobbyId, { row }] of rows) {
    if (shown.some(({ lobby_id }) => lobby_id === lobbyId)) continue;
    row.remove();
    rows.delete(lobbyId);
  }
  for (const lobby of shown) {
    if (!rows.has(lobby.lobby_id)) rows.set(lobby.lobby_id, makeRow(lobby.lobby_id));
    fillRow(rows.get(lobby.lobby_id), lobby);
  }
}

function makeRow(lobbyId) {
  const parts = { row: element("li"), who: element("span", "who"), count: element("span", "count") };
  const join = element("button", "", "Join");
  join.addEventListener("click", () => enter(() => matchmaker.join(lobbyId), { isPrivate: false }));
  parts.row.append(parts.who, parts.count, join);
  byId("lobbies").append(parts.row);
  return { ...parts, join };
}

function fillRow({ who, count, join }, lobby) {
  const { total_player_count: taken, max_players_direct: seats } = lobby;
  const names = (lobby.state?.players ?? []).map(({ name }) => name).join(", ");
  const text = names || `Lobby ${shortId(lobby.lobby_id)}${taken === 0 ? ", no players yet" : ""}`;
  const isFull = taken >= seats;
  setText(who, text);
  setText(count, `${lobby.is_closed ? "in a round, " : ""}${taken}/${seats}`);
  setText(join, isFull ? "Full" : "Join");
  join.disabled = isFull;
  join.setAttribute("aria-label", `${isFull ? "Full" : "Join"}: ${text}`);
}

/** Only when it changed: a screen reader would read it again. */
function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

function copyInvite() {
  byId("invite").blur();
  return copy(linkTo(game.lobbyId), "Invite link copied.");
}

function copyCode() {
  byId("copy-code").blur();
  return copy(spell(game.code), "Code copied. A friend types it on the first screen.");
}

async function copy(text, message) {
  try {
    await navigator.clipboard.writeText(text);
    notify(message);
  } catch {
    // Not every browser lets a page write to the clipboard; the player can still copy the text by hand.
    notify(text);
  }
}

/** In two halves, which are easier to read aloud. Foyer ignores the hyphen. */
function spell(code) {
  const half = Math.ceil(code.length / 2);
  return `${code.slice(0, half)}-${code.slice(half)}`;
}

function linkTo(lobbyId) {
  return `${location.origin}/play?lobby=${encodeURIComponent(lobbyId)}`;
}

function notify(text) {
  byId("notice").textContent = text;
  byId("notice").classList.add("shown");
  clearTimeout(noticeTimer);
  noticeTimer = setTimeout(() => byId("notice").classList.remove("shown"), 3_500);
}

/** `text`: what the player waits for. A new lobby takes a moment to start, and that is said too. */
function setBusy(isBusy, text = "") {
  for (const id of ["play", "private", "join-code"]) byId(id).disabled = isBusy;
  clearTimeout(searchTimer);
  byId("searching").textContent = text;
  if (text === "Looking for a lobby …") {
    searchTimer = setTimeout(() => {
      byId("searching").textContent = "A lobby is being started for you. This takes a moment …";
    }, patienceMs);
  }
}

function element(tag, className = "", text = "") {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = String(text);
  return made;
}

function dot(colour) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 12 12");
  const circle = document.createElementNS("http://www.w3.org/2000/svg", "circle");
  for (const [name, value] of Object.entries({ cx: 6, cy: 6, r: 6, fill: colour })) circle.setAttribute(name, value);
  svg.append(circle);
  return svg;
}

function shortId(lobbyId) {
  return lobbyId.slice(-4);
}

/** For the console and for tests: the state of this page. */
globalThis.arena = {
  lobbyId: () => game?.lobbyId ?? null,
  field: drawing.placed,
  playerId: () => game?.connection.playerId ?? null,
  positions: () =>
    Object.fromEntries(
      (game?.world.view(performance.now()).players ?? []).map(({ name, x, y }) => [
        name,
        { x: Math.round(x), y: Math.round(y) },
      ]),
    ),
};
