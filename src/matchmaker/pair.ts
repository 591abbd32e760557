/** A game mode in a region: what find goes through, one after the other. Import it from commands.ts. */
export interface Pair {
  readonly gameMode: string;
  readonly region: string;
}

/** The names of game modes and regions have no slash. */
export function pairKey(gameMode: string, region: string): string {
  return `${gameMode}/${region}`;
}
