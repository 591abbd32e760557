import { cpus } from "node:os";
import * as attacks from "./attacks.ts";
import * as dashboard from "./dashboard.ts";
import * as find from "./find.ts";
import * as gateway from "./gateway.ts";
import * as journal from "./journal.ts";
import * as lobbyCount from "./lobby-count.ts";
import * as manyLobbies from "./many-lobbies.ts";
import * as memory from "./memory.ts";
import * as redis from "./redis.ts";
import * as restart from "./restart.ts";
import * as startLobby from "./start-lobby.ts";
import * as validateNamespace from "./validate-namespace.ts";

interface Benchmark {
  readonly question: string;
  /** Gives a table in Markdown. */
  run(options: Options): Promise<string>;
}

interface Options {
  /** Three times as many rounds: calmer figures. */
  readonly isLong: boolean;
  /** Also a million lobbies, where lobbies are counted. */
  readonly isMillion: boolean;
}

/** `npm run bench` asks all of them but those of `onlyNamed`; `npm run bench -- validate-namespace` only those named. */
const benchmarks: Readonly<Record<string, Benchmark>> = {
  "validate-namespace": validateNamespace,
  find,
  "lobby-count": lobbyCount,
  journal,
  memory,
  restart,
  "start-lobby": startLobby,
  attacks,
  redis,
  "many-lobbies": manyLobbies,
  gateway,
  dashboard,
};

/** They need other programs on the machine: PostgreSQL and Redis, nginx, or Chromium. */
const onlyNamed = ["redis", "many-lobbies", "gateway", "dashboard"];

// `--engine redis` reads as `redis`.
const flags = ["--long", "--million", "--engine"];
const wanted = process.argv.slice(2).filter((word) => !flags.includes(word));
const unknown = wanted.filter((name) => !Object.hasOwn(benchmarks, name));
if (unknown.length > 0) {
  const known = [...Object.keys(benchmarks), ...flags].join(", ");
  console.error(`There is no benchmark ${unknown.join(", ")}. There are: ${known}.`);
  process.exit(1);
}
const options = { isLong: process.argv.includes("--long"), isMillion: process.argv.includes("--million") };

const today = new Date().toISOString().slice(0, 10);
console.log(`${today}, ${process.platform} ${process.arch}, ${cpus().length} cores, Node ${process.versions.node}`);
for (const [name, benchmark] of Object.entries(benchmarks)) {
  if (wanted.length > 0 ? !wanted.includes(name) : onlyNamed.includes(name)) continue;
  console.log(`\n## ${name}: ${benchmark.question}\n`);
  console.log(await benchmark.run(options));
}
