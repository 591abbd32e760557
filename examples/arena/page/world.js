import { bodyAt, move, stepsPerSecond } from "./rules.js";

const stepMs = 1000 / stepsPerSecond;
// Other players are shown this much in the past, so that there is always a later position to move towards.
const delayMs = 110;

/**
 * The page's copy of the game. Its own player moves immediately by the same rules as on the server, and the page corrects
 * it from the server's position; the others move smoothly between the positions from the server.
 */
export function createWorld(selfId) {
  const others = new Map();
  let gems = [];
  let roster = [];
  let own = { body: bodyAt(800, 450), before: { x: 800, y: 450 } };
  let hasOwn = false;
  let seq = 0;
  let steppedAt = performance.now();
  let trail = [];

  function learnOwn([, x, y, vx, vy, dashS, pauseS], ackSeq) {
    if (!hasOwn) {
      hasOwn = true;
      own = { body: { x, y, vx, vy, dashS, pauseS }, before: { x, y } };
      return;
    }
    const then = trail.find((entry) => entry.seq === ackSeq);
    trail = trail.filter((entry) => entry.seq > ackSeq);
    if (!then) return;
    const dx = x - then.x;
    const dy = y - then.y;
    const distance = Math.hypot(dx, dy);
    // A small difference is corrected gradually; a large one means that something happened, such as a hit.
    const share = distance > 60 ? 1 : 0.15;
    if (share === 1) own.body = { ...own.body, vx, vy };
    own.body.x += dx * share;
    own.body.y += dy * share;
    for (const entry of trail) {
      entry.x += dx * share;
      entry.y += dy * share;
    }
  }

  return {
    learn(news, ackSeq, at) {
      if (news.gems) gems = news.gems;
      if (news.roster) roster = news.roster;
      if (!news.positions) return;
      const present = new Set(news.positions.map(([id]) => id));
      for (const id of others.keys()) if (!present.has(id)) others.delete(id);
      for (const position of news.positions) {
        const [id, x, y, vx, vy, dashS] = position;
        if (id === selfId) learnOwn(position, ackSeq);
        else others.set(id, [...(others.get(id) ?? []).slice(-9), { at, x, y, vx, vy, dashS }]);
      }
    },

    /** Runs the steps that are due and passes the input of each on, to be sent. */
    advance(now, readInput, sendInput) {
      if (now - steppedAt > 500) steppedAt = now - stepMs;
      while (now - steppedAt >= stepMs) {
        steppedAt += stepMs;
        const input = readInput();
        seq += 1;
        own = { body: move(own.body, input), before: { x: own.body.x, y: own.body.y } };
        trail.push({ seq, x: own.body.x, y: own.body.y });
        if (trail.length > 120) trail.shift();
        sendInput({ type: "input", seq, x: round(input.x), y: round(input.y), dash: input.dash });
      }
    },

    /** Everything to be drawn at this moment. */
    view(now) {
      const share = Math.min(1, (now - steppedAt) / stepMs);
      const self = { ...own.body, x: mix(own.before.x, own.body.x, share), y: mix(own.before.y, own.body.y, share) };
      const players = roster.flatMap((player) => {
        const body = player.id === selfId ? self : positionAt(others.get(player.id), now - delayMs);
        return body ? [{ ...player, ...body, isSelf: player.id === selfId }] : [];
      });
      return { players, gems: gems.map(([id, x, y, value]) => ({ id, x, y, value })), self };
    },

    roster: () => roster,
  };
}

function positionAt(known, at) {
  if (!known || known.length === 0) return null;
  const next = known.findIndex((entry) => entry.at > at);
  if (next === 0) return known[0];
  // No newer position has arrived: extrapolate for a moment.
  if (next === -1) {
    const last = known[known.length - 1];
    const aheadS = Math.min(0.1, (at - last.at) / 1000);
    return { ...last, x: last.x + last.vx * aheadS, y: last.y + last.vy * aheadS };
  }
  const [from, to] = [known[next - 1], known[next]];
  const share = (at - from.at) / (to.at - from.at);
  return { ...to, x: mix(from.x, to.x, share), y: mix(from.y, to.y, share) };
}

function mix(from, to, share) {
  return from + (to - from) * share;
}

function round(value) {
  return Math.round(value * 1000) / 1000;
}
