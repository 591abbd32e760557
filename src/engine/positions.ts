/** Whether a position comes after another one. They are a time and a number, such as 1700000000000-3, and grow. */
export function isLater(position: string, other: string): boolean {
  const [time = 0, number = 0] = position.split("-").map(Number);
  const [otherTime = 0, otherNumber = 0] = other.split("-").map(Number);
  return time > otherTime || (time === otherTime && number > otherNumber);
}
