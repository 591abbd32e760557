/** A message of another node; null: it is not JSON, so no node wrote it. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
