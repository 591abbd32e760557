/** A game mode in a region: what find goes through, one after the other. Import it from commands.ts. */
export interface Pair {
  readonly gameMode: string;
  readonly region: string;
}
