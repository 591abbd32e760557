import { between, field, gemRadius, playerRadius } from "./rules.js";

export const colours = ["#5b8def", "#f2727f", "#58c896", "#f2b134", "#b183f0", "#3fc1d6", "#f08a4b", "#e46fb7"];
const margin = 16;
// Below this scale a phone shows nothing large enough to hit, so the view follows the player instead.
const scaleMin = 0.55;

/** Draws on the canvas; keeps only visual state: sparks, trails, where players look. */
export function createDrawing(canvas) {
  const context = canvas.getContext("2d");
  const looks = new Map();
  let sparks = [];
  let palette = readPalette();
  // Space for text above and below the field.
  let bars = { top: 66, bottom: 48 };
  let placed = { top: 0, bottom: 0 };
  matchMedia("(prefers-color-scheme: light)").addEventListener("change", () => {
    palette = readPalette();
  });

  function resize() {
    const ratio = Math.min(2, devicePixelRatio || 1);
    const { clientWidth, clientHeight } = canvas;
    const [width, height] = [Math.round(clientWidth * ratio), Math.round(clientHeight * ratio)];
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    return { ratio, width: clientWidth, height: clientHeight };
  }

  function place(size, focus) {
    const { top, bottom } = bars;
    const room = { width: size.width - margin * 2, height: size.height - top - bottom };
    const scale = Math.max(scaleMin, Math.min(room.width / field.width, room.height / field.height));
    const along = (roomLength, start, fieldLength, middle) => {
      const free = roomLength - fieldLength * scale;
      return free >= 0 ? start + free / 2 : start + between(free, roomLength / 2 - middle * scale, 0);
    };
    return {
      scale,
      left: along(room.width, margin, field.width, focus.x),
      top: along(room.height, top, field.height, focus.y),
    };
  }

  function drawFloor() {
    context.fillStyle = palette.floor;
    context.beginPath();
    context.roundRect(0, 0, field.width, field.height, 28);
    context.fill();
    context.fillStyle = palette.dot;
    for (let x = 50; x < field.width; x += 50) {
      for (let y = 50; y < field.height; y += 50) context.fillRect(x - 1.5, y - 1.5, 3, 3);
    }
    context.lineWidth = 3;
    context.strokeStyle = palette.edge;
    context.beginPath();
    context.roundRect(0, 0, field.width, field.height, 28);
    context.stroke();
  }

  function drawGem({ id, x, y, value }, now) {
    const isBig = value > 1;
    const radius = (isBig ? gemRadius * 1.7 : gemRadius) * (1 + 0.06 * Math.sin(now / 260 + id));
    const hue = isBig ? palette.gold : palette.gem;
    context.save();
    context.translate(x, y + Math.sin(now / 420 + id * 1.7) * 3);
    context.fillStyle = hue;
    context.globalAlpha = 0.12;
    disc(context, 0, 0, radius * 1.6);
    context.globalAlpha = 1;
    context.beginPath();
    context.moveTo(0, -radius);
    context.lineTo(radius * 0.78, 0);
    context.lineTo(0, radius);
    context.lineTo(-radius * 0.78, 0);
    context.closePath();
    context.fill();
    context.fillStyle = "rgb(255 255 255 / 35%)";
    context.beginPath();
    context.moveTo(0, -radius);
    context.lineTo(radius * 0.78, 0);
    context.lineTo(0, 0);
    context.closePath();
    context.fill();
    context.restore();
  }

  function drawPlayer(player) {
    const colour = colours[player.colour % colours.length];
    const speed = Math.hypot(player.vx, player.vy);
    const look = looks.get(player.id) ?? { x: 0, y: 1 };
    if (speed > 40) {
      look.x += (player.vx / speed - look.x) * 0.2;
      look.y += (player.vy / speed - look.y) * 0.2;
    }
    looks.set(player.id, look);
    if (player.dashS > 0) sparks.push({ kind: "trail", x: player.x, y: player.y, colour, age: 0, life: 0.3 });

    context.fillStyle = "rgb(0 0 0 / 18%)";
    disc(context, player.x, player.y + 7, playerRadius);
    if (player.isSelf) {
      context.strokeStyle = palette.ink;
      context.globalAlpha = 0.5;
      context.lineWidth = 2.5;
      context.beginPath();
      context.arc(player.x, player.y, playerRadius + 6, 0, Math.PI * 2);
      context.stroke();
      context.globalAlpha = 1;
    }
    context.fillStyle = colour;
    disc(context, player.x, player.y, playerRadius);
    for (const side of [-1, 1]) {
      const x = player.x + look.x * 9 - look.y * side * 9;
      const y = player.y + look.y * 9 + look.x * side * 9;
      context.fillStyle = "#fff";
      disc(context, x, y, 7);
      context.fillStyle = "#15171b";
      disc(context, x + look.x * 2.6, y + look.y * 2.6, 3.5);
    }
    context.font = "600 19px system-ui, 'DejaVu Sans', sans-serif";
    context.textAlign = "center";
    context.fillStyle = palette.ink;
    const isLow = player.y > field.height - 70;
    context.fillText(player.name, player.x, player.y + (isLow ? -playerRadius - 14 : playerRadius + 27));
  }

  function drawSparks(dtS) {
    for (const spark of sparks) spark.age += dtS;
    sparks = sparks.filter(({ age, life }) => age < life);
    for (const { kind, x, y, dx = 0, dy = 0, text, colour, age, life } of sparks) {
      const left = 1 - age / life;
      context.globalAlpha = kind === "trail" ? left * 0.3 : left;
      context.fillStyle = colour;
      if (kind === "text") {
        context.font = "800 26px system-ui, 'DejaVu Sans', sans-serif";
        context.textAlign = "center";
        context.fillText(text, x, y - 30 - age * 60);
      } else {
        disc(context, x + dx * age, y + dy * age, (kind === "trail" ? playerRadius : 6) * left);
      }
    }
    context.globalAlpha = 1;
  }

  function drawStick(stick) {
    context.globalAlpha = 0.22;
    context.fillStyle = palette.soft;
    disc(context, stick.fromX, stick.fromY, 62);
    context.globalAlpha = 0.5;
    disc(context, stick.fromX + stick.x * 44, stick.fromY + stick.y * 44, 26);
    context.globalAlpha = 1;
  }

  return {
    /** Where the visible part of the field is on the page. */
    placed: () => placed,

    /** Keeps the field clear of what is shown above and below it. */
    reserve(top, bottom) {
      bars = { top, bottom };
    },

    addEffects(effects) {
      for (const { kind, x, y, value, colour } of effects) {
        const hue = colours[colour % colours.length];
        if (kind === "collect") sparks.push({ kind: "text", text: `+${value}`, x, y, colour: hue, age: 0, life: 0.8 });
        const count = kind === "hit" ? 18 : 7;
        for (let index = 0; index < count; index++) {
          const angle = (index / count) * Math.PI * 2;
          const speed = kind === "hit" ? 260 : 120;
          const way = { dx: Math.cos(angle) * speed, dy: Math.sin(angle) * speed };
          sparks.push({ kind: "spark", x, y, ...way, colour: hue, age: 0, life: kind === "hit" ? 0.5 : 0.35 });
        }
      }
    },

    draw(view, stick, now, dtS) {
      const size = resize();
      const { scale, left, top } = place(size, view.self);
      placed = { top, bottom: Math.min(top + field.height * scale, size.height - bars.bottom) };
      context.setTransform(size.ratio, 0, 0, size.ratio, 0, 0);
      context.fillStyle = palette.page;
      context.fillRect(0, 0, size.width, size.height);
      context.save();
      context.translate(left, top);
      context.scale(scale, scale);
      drawFloor();
      for (const gem of view.gems) drawGem(gem, now);
      // The own player is drawn last, so that nothing hides it.
      for (const player of [...view.players].sort((a, b) => Number(a.isSelf) - Number(b.isSelf))) drawPlayer(player);
      drawSparks(dtS);
      context.restore();
      if (stick) drawStick(stick);
    },
  };
}

function disc(context, x, y, radius) {
  context.beginPath();
  context.arc(x, y, Math.max(0, radius), 0, Math.PI * 2);
  context.fill();
}

/** The colours of the style sheet, so that the field is dark or light like the page. */
function readPalette() {
  const style = getComputedStyle(document.documentElement);
  const names = ["page", "floor", "dot", "edge", "ink", "soft", "gem", "gold"];
  return Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
}
