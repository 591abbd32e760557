import { between, bodyAt, field, gemRadius, move, nameLengthMax, playerRadius } from "./page/rules.js";

const countdownMs = 3_000;
const resultsMs = 6_000;
const gemCount = 14;
const bigGemValue = 5;
const dropMax = 3;
const safeAfterHitMs = 1_200;
const colourCount = 8;

/**
 * The game itself, without sockets or Foyer. Clock and random numbers come from outside.
 * Phases: `open` (players may join), then `countdown`, `round`, `results`, and `open` again.
 */
export function createGame({ now, random, roundS }) {
  const players = new Map();
  /** Players whose connection broke. They are not on the field, and get their score and colour back. */
  const away = new Map();
  const gems = new Map();
  let phase = { name: "open", endsAt: null, winner: null };
  let nextGemId = 1;
  let effects = [];
  // Raised with every change, so that the sender knows what is new.
  let gemsRevision = 0;
  let rosterRevision = 0;

  for (let count = 0; count < gemCount; count++) addGem(1);
  addGem(bigGemValue);

  function addGem(value, near = null) {
    const spread = 150;
    const x = near ? near.x + (random() - 0.5) * spread : random() * field.width;
    const y = near ? near.y + (random() - 0.5) * spread : random() * field.height;
    const id = nextGemId++;
    gems.set(id, {
      id,
      value,
      x: Math.round(between(40, x, field.width - 40)),
      y: Math.round(between(40, y, field.height - 40)),
      // A gem that a player has just lost cannot be collected in the same step.
      takeableAt: now() + (near ? 350 : 0),
      isExtra: near !== null,
    });
    gemsRevision += 1;
  }

  function setPhase(name, lengthMs, winner = null) {
    phase = { name, endsAt: lengthMs === null ? null : now() + lengthMs, winner };
  }

  function advancePhase() {
    // A round without players ends, so that an empty lobby does not stay closed.
    if (players.size === 0 && phase.name !== "open") return setPhase("open", null);
    if (phase.endsAt === null || now() < phase.endsAt) return;
    if (phase.name === "countdown") {
      for (const player of players.values()) player.score = 0;
      rosterRevision += 1;
      setPhase("round", roundS * 1000);
    } else if (phase.name === "round") {
      const [first] = [...players.values()].sort((a, b) => b.score - a.score);
      setPhase("results", resultsMs, first ? { name: first.name, colour: first.colour, score: first.score } : null);
    } else {
      setPhase("open", null);
    }
  }

  function collect(player) {
    for (const gem of gems.values()) {
      if (now() < gem.takeableAt) continue;
      if (Math.hypot(gem.x - player.body.x, gem.y - player.body.y) > playerRadius + gemRadius) continue;
      gems.delete(gem.id);
      gemsRevision += 1;
      rosterRevision += 1;
      player.score += gem.value;
      effects.push({ kind: "collect", x: gem.x, y: gem.y, value: gem.value, colour: player.colour });
      if (!gem.isExtra) addGem(gem.value);
    }
  }

  /** Two bodies never overlap; a player that is hit by a dash is thrown back and loses a few gems. */
  function collide(one, other) {
    const dx = other.body.x - one.body.x;
    const dy = other.body.y - one.body.y;
    const distance = Math.hypot(dx, dy) || 1;
    const overlap = playerRadius * 2 - distance;
    if (overlap <= 0) return;
    const direction = { x: dx / distance, y: dy / distance };
    push(one.body, direction, -overlap / 2);
    push(other.body, direction, overlap / 2);
    const isOneDashing = one.body.dashS > 0;
    const isOtherDashing = other.body.dashS > 0;
    if (isOneDashing && !isOtherDashing) hit(other, direction);
    if (isOtherDashing && !isOneDashing) hit(one, { x: -direction.x, y: -direction.y });
  }

  function hit(victim, direction) {
    if (now() < victim.safeUntil) return;
    victim.safeUntil = now() + safeAfterHitMs;
    victim.body.vx = direction.x * 1100;
    victim.body.vy = direction.y * 1100;
    const dropped = Math.min(dropMax, victim.score);
    victim.score -= dropped;
    for (let count = 0; count < dropped; count++) addGem(1, victim.body);
    rosterRevision += 1;
    effects.push({ kind: "hit", x: Math.round(victim.body.x), y: Math.round(victim.body.y), colour: victim.colour });
  }

  return {
    add(id, name) {
      const taken = new Set([...players.values(), ...away.values()].map(({ colour }) => colour));
      const colour = [...Array(colourCount).keys()].find((index) => !taken.has(index)) ?? players.size % colourCount;
      const body = bodyAt(field.width * (0.2 + random() * 0.6), field.height * (0.2 + random() * 0.6));
      const input = { x: 0, y: 0, dash: false };
      players.set(id, { id, name: cleanName(name, colour), colour, body, input, seq: 0, score: 0, safeUntil: 0 });
      rosterRevision += 1;
    },

    remove(id) {
      away.delete(id);
      if (players.delete(id)) rosterRevision += 1;
    },

    /** The player's connection broke, and the player may return. */
    park(id) {
      const player = players.get(id);
      if (!player) return;
      away.set(id, player);
      players.delete(id);
      rosterRevision += 1;
    },

    /** Puts a parked player back on the field. False: there is none of this id. */
    unpark(id) {
      const player = away.get(id);
      if (!player) return false;
      away.delete(id);
      player.input = { x: 0, y: 0, dash: false };
      player.seq = 0;
      players.set(id, player);
      rosterRevision += 1;
      return true;
    },

    parked: () => [...away.keys()],
    readName: (id) => players.get(id)?.name ?? "",

    /** `seq` is the page's own count of its steps; the server returns it with the resulting position. */
    setInput(id, { x, y, dash, seq }) {
      const player = players.get(id);
      if (!player || ![x, y, seq].every(Number.isFinite)) return;
      player.input = { x: between(-1, x, 1), y: between(-1, y, 1), dash: dash === true || player.input.dash };
      player.seq = seq;
    },

    /** Whether a round may start now. */
    isIdle: () => phase.name === "open",

    startRound() {
      setPhase("countdown", countdownMs);
    },

    step() {
      advancePhase();
      const all = [...players.values()];
      for (const player of all) {
        player.body = move(player.body, player.input);
        player.input.dash = false;
        collect(player);
      }
      for (const [index, one] of all.entries()) for (const other of all.slice(index + 1)) collide(one, other);
    },

    phase: () => ({ ...phase, leftMs: phase.endsAt === null ? null : Math.max(0, phase.endsAt - now()) }),
    seqOf: (id) => players.get(id)?.seq ?? 0,
    positions: () =>
      [...players.values()].map(({ id, body }) => {
        const { x, y, vx, vy, dashS, pauseS } = body;
        return [id, round(x), round(y), round(vx), round(vy), round(dashS), round(pauseS)];
      }),
    roster: () => [...players.values()].map(({ id, name, colour, score }) => ({ id, name, colour, score })),
    gems: () => [...gems.values()].map(({ id, x, y, value }) => [id, x, y, value]),
    revisions: () => ({ gems: gemsRevision, roster: rosterRevision }),
    takeEffects() {
      const taken = effects;
      effects = [];
      return taken;
    },
  };
}

function push(body, direction, by) {
  body.x = between(playerRadius, body.x + direction.x * by, field.width - playerRadius);
  body.y = between(playerRadius, body.y + direction.y * by, field.height - playerRadius);
}

/** Letters, digits, marks, punctuation and single spaces: nothing that could disturb the list of players. */
function cleanName(name, colour) {
  const text = typeof name === "string" ? name.normalize("NFC").replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, "") : "";
  const short = [...text.replace(/ +/g, " ").trim()].slice(0, nameLengthMax).join("");
  return short === "" ? `Player ${colour + 1}` : short;
}

function round(value) {
  return Math.round(value * 100) / 100;
}
