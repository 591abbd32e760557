const directions = {
  KeyW: [0, -1],
  ArrowUp: [0, -1],
  KeyS: [0, 1],
  ArrowDown: [0, 1],
  KeyA: [-1, 0],
  ArrowLeft: [-1, 0],
  KeyD: [1, 0],
  ArrowRight: [1, 0],
};
const stickReach = 70;

/** Keyboard and touch. Dragging anywhere on the field is a joystick centred where the touch began. */
export function createInput(surface, dashButton) {
  const held = new Set();
  let wantsDash = false;
  let stick = null;
  const isTyping = (event) => event.target instanceof HTMLInputElement;

  addEventListener("keydown", (event) => {
    if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.code in directions) held.add(event.code);
    else if (event.code === "Space" && !(event.target instanceof HTMLButtonElement)) wantsDash ||= !event.repeat;
    else return;
    event.preventDefault();
  });
  addEventListener("keyup", (event) => held.delete(event.code));
  // The browser does not report keys that are released while another window has the focus.
  addEventListener("blur", () => held.clear());

  surface.addEventListener("pointerdown", (event) => {
    if (stick !== null) return;
    stick = { id: event.pointerId, fromX: event.clientX, fromY: event.clientY, x: 0, y: 0 };
    surface.setPointerCapture(event.pointerId);
  });
  surface.addEventListener("pointermove", (event) => {
    if (stick?.id !== event.pointerId) return;
    const dx = (event.clientX - stick.fromX) / stickReach;
    const dy = (event.clientY - stick.fromY) / stickReach;
    const length = Math.max(1, Math.hypot(dx, dy));
    stick = { ...stick, x: dx / length, y: dy / length };
  });
  for (const name of ["pointerup", "pointercancel"]) {
    surface.addEventListener(name, (event) => {
      if (stick?.id === event.pointerId) stick = null;
    });
  }
  dashButton.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    wantsDash = true;
  });

  return {
    read() {
      const dash = wantsDash;
      wantsDash = false;
      if (stick && (stick.x !== 0 || stick.y !== 0)) return { x: stick.x, y: stick.y, dash };
      let x = 0;
      let y = 0;
      for (const code of held) {
        x += directions[code][0];
        y += directions[code][1];
      }
      const length = Math.max(1, Math.hypot(x, y));
      return { x: x / length, y: y / length, dash };
    },
    stick: () => stick,
  };
}
