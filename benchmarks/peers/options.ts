import type { Peer } from "./peer.ts";

export interface Options {
  readonly isHelp: boolean;
  /** By name. The bare server is always there. */
  readonly peers: readonly string[];
  readonly rooms: readonly number[];
  readonly isLong: boolean;
  readonly isWritten: boolean;
}

const usualRooms: readonly number[] = [100, 1000, 10_000];

/** What the command line asks for, or in words what is wrong with it. A name also stands for its variants. */
export function readOptions(words: readonly string[], names: readonly string[]): Options | string {
  const peers: string[] = [];
  let rooms = usualRooms;
  const flags = new Set<string>();
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (["--help", "-h", "--long", "--write"].includes(word)) {
      flags.add(word);
    } else if (word === "--rooms") {
      rooms = (words[++at] ?? "").split(",").map(Number);
      const isOdd = (value: number) => !Number.isInteger(value) || value < 100 || value > 100_000;
      if (rooms.some(isOdd)) return "--rooms takes numbers from 100 to 100000: --rooms 100,1000";
    } else {
      const meant = names.filter((name) => name === word || name.startsWith(`${word}-`));
      if (meant.length === 0) return `There is no peer ${word}. There are: ${names.join(", ")}.`;
      peers.push(...meant);
    }
  }
  return {
    isHelp: flags.has("--help") || flags.has("-h"),
    peers: peers.length > 0 ? [...new Set(peers)] : names,
    rooms: [...new Set(rooms)],
    isLong: flags.has("--long"),
    isWritten: flags.has("--write"),
  };
}

export function help(peers: readonly Peer[]): string {
  const widest = Math.max(...peers.map((peer) => peer.name.length));
  return `npm run bench:peers -- [PEER …] [--rooms 100,1000] [--long] [--write]

Measures Foyer beside other matchmakers and prints tables in Markdown. The first run installs the other packages, into
benchmarks/peers/node_modules. It needs PostgreSQL and redis-server on the machine, and listens on 127.0.0.1 only.

  PEER        only these, and the bare server; a name also stands for its variants (colyseus-0.16)
  --rooms     numbers of rooms, 100 to 100000 (${usualRooms.join(",")})
  --long      three times as many turns
  --write     also writes the results into benchmarks/README.md and benchmarks/peers/results/

Peers:
${peers.map((peer) => `  ${peer.name.padEnd(widest)}  ${peer.title}`).join("\n")}`;
}
