/**
 * A position is two numbers, such as 1700000000000-3. The positions of one namespace's events increase. A first number
 * of 0 means before every event.
 */
const positionPattern = /^(\d{1,15})-(\d{1,15})$/;

/** Every event is later. */
export const beforeEvents = "0-999999999999999";

/** Null: the text is not a position. */
export function parsePosition(text: string): readonly [number, number] | null {
  const found = positionPattern.exec(text);
  return found && [Number(found[1]), Number(found[2])];
}

/** Whether a position comes after another one. */
export function isLater(position: string, other: string): boolean {
  const [time = 0, number = 0] = position.split("-").map(Number);
  const [otherTime = 0, otherNumber = 0] = other.split("-").map(Number);
  return time > otherTime || (time === otherTime && number > otherNumber);
}
