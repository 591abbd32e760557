/** What server and page share. Both run `move` at the same rate, so the page can move its own player immediately. */

export const field = { width: 1600, height: 900 };
export const playerRadius = 28;
export const gemRadius = 13;
export const stepsPerSecond = 30;
export const nameLengthMax = 16;

const walkSpeed = 430;
const dashSpeed = 1250;
const dashS = 0.16;
const dashPauseS = 1.2;
const stepS = 1 / stepsPerSecond;

/** A player's body at rest. */
export function bodyAt(x, y) {
  return { x, y, vx: 0, vy: 0, dashS: 0, pauseS: 0 };
}

/** One step of a body. `input` is a direction of length 0 to 1, and whether the player wants to dash. */
export function move(body, input) {
  const strength = Math.min(1, Math.hypot(input.x, input.y));
  const angle = Math.atan2(input.y, input.x);
  const wantsDash = input.dash && body.pauseS <= 0 && strength > 0.1;
  const dashLeftS = wantsDash ? dashS : Math.max(0, body.dashS - stepS);
  const isDashing = dashLeftS > 0;
  const speed = isDashing ? dashSpeed : walkSpeed * strength;
  const grip = 1 - Math.exp(-(isDashing ? 30 : 9) * stepS);
  const vx = body.vx + (Math.cos(angle) * speed - body.vx) * grip;
  const vy = body.vy + (Math.sin(angle) * speed - body.vy) * grip;
  const x = between(playerRadius, body.x + vx * stepS, field.width - playerRadius);
  const y = between(playerRadius, body.y + vy * stepS, field.height - playerRadius);
  return {
    x,
    y,
    vx: x === body.x + vx * stepS ? vx : 0,
    vy: y === body.y + vy * stepS ? vy : 0,
    dashS: dashLeftS,
    pauseS: wantsDash ? dashPauseS : Math.max(0, body.pauseS - stepS),
  };
}

export function between(least, value, most) {
  return Math.min(most, Math.max(least, value));
}
