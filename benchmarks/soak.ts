import { readdirSync } from "node:fs";
import { cpus } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { quantile } from "./load.ts";
import { type Churn, createChurn, type Outcome } from "./soak-churn.ts";
import { openClients } from "./soak-client.ts";
import { makeSoakInstallation } from "./soak-installation.ts";
import { markdownTable } from "./table.ts";

// `npm run soak` loads one service with 70 % of what it can do: 10 minutes until as many ended seats are forgotten as end, then
// 10 minutes that count. Then it sends three times as much as the service can do, and lets it drain, which takes 10 minutes.
// `--minutes N` and `--engine redis` change that; `--no-fill` and `--no-drain` leave out the first and the last part.

const connections = 64;
const share = 0.7;
const samples = 24;
/**
 * A collection that the soak asked for holds requests up for a while. At this load the service has answered what came meanwhile
 * after 1 / (1 - share) = 3.3 times as long, from its beginning; what is due within 5 times does not count for p99. Most time must.
 */
const heldUpFactor = 5;
const heldUpMaxShare = 1 / 3;
/** For so long Foyer remembers seats that have ended: under a steady load its heap grows for this time and no longer. */
const rememberedS = 600;
const overloadFactor = 3;
const overloadS = 10;
/** Half of them are the players', and that is more than `max_in_flight`, so that Foyer has to refuse some. */
const overloadConnections = 5000;

interface Check {
  readonly name: string;
  readonly measured: string;
  readonly bound: string;
  /** Null: it was left out. */
  readonly holds: boolean | null;
}

const options = readOptions(process.argv.slice(2));
const soakS = options.minutes * 60;
const installation = await makeSoakInstallation(options.engine);
const checks: Check[] = [];
const odd = new Map<string, number>();
try {
  const today = new Date().toISOString().slice(0, 10);
  console.log(`${today}, ${process.platform} ${process.arch}, ${cpus().length} cores, Node ${process.versions.node}`);
  const clients = await openClients(installation.world.url, connections);
  const churn = createChurn(clients, installation.world, Math.random);
  const streams = await installation.openStreams();
  await churn.begin();
  let ceiling = await measureCeiling(churn);
  if (options.isFilled) {
    console.log("filling: ended seats are remembered for 10 minutes, and the heap grows until then");
    await pace(churn.step, ceiling * share, rememberedS, withProgress(note));
    // What the service can do with so much to remember. A higher load than while it was filled would fill it further.
    ceiling = Math.min(ceiling, await measureCeiling(churn));
  }
  console.log(`measuring: ${options.minutes} minutes`);
  const p99 = await soak(churn, ceiling * share);
  clients.close();
  await overload(ceiling, p99);
  await streams.close();
  await drain();
} finally {
  await installation.stop();
}
report();

function readOptions(words: readonly string[]) {
  const flagValue = (flag: string, otherwise: string) =>
    words.includes(flag) ? (words[words.indexOf(flag) + 1] ?? "") : otherwise;
  const [minutes, engine] = [Number(flagValue("--minutes", "10")), flagValue("--engine", "embedded")];
  if (!(minutes > 0) || (engine !== "embedded" && engine !== "redis")) {
    console.error("npm run soak [-- --minutes N] [--engine embedded|redis] [--no-fill] [--no-drain]");
    process.exit(2);
  }
  return { minutes, engine, isFilled: !words.includes("--no-fill"), isDrained: !words.includes("--no-drain") } as const;
}

/** As many requests as the connections can carry, each after the answer to the one before. */
async function measureCeiling(churn: Churn): Promise<number> {
  const seconds = Math.max(5, Math.min(20, soakS / 6));
  // The first moments count for nothing: the service compiles its code then.
  await closedLoop(churn, 3);
  const ceiling = (await closedLoop(churn, seconds)) / seconds;
  console.log(`ceiling: ${Math.round(ceiling)} requests/s; the load is ${share * 100} % of it`);
  return ceiling;
}

async function closedLoop(churn: Churn, seconds: number): Promise<number> {
  const endsAt = performance.now() + seconds * 1000;
  let good = 0;
  const work = async () => {
    while (performance.now() < endsAt) if (note(await churn.step()).isGood) good += 1;
  };
  await Promise.all(Array.from({ length: connections }, work));
  return good;
}

type OnAnswer = (outcome: Outcome, ms: number, dueAfterS: number) => void;

/** Says every minute how the service does. */
function withProgress(onAnswer: OnAnswer): OnAnswer {
  let [minute, times]: [number, number[]] = [1, []];
  return (outcome, ms, dueAfterS) => {
    onAnswer(outcome, ms, dueAfterS);
    if (dueAfterS >= minute * 60) {
      times.sort((a, b) => a - b);
      console.log(
        `minute ${minute}: p50 ${quantile(times, 0.5).toFixed(1)} ms, p99 ${quantile(times, 0.99).toFixed(1)} ms`,
      );
      minute += 1;
      times = [];
    }
    times.push(ms);
  };
}

/**
 * Sends at a steady rate, whether earlier requests were answered or not. A time counts from when the request was due. Those that are
 * due while `openMax` wait for their answers are not made.
 */
async function pace(
  send: () => Promise<Outcome>,
  perSecond: number,
  seconds: number,
  onAnswer: OnAnswer,
  openMax = Number.POSITIVE_INFINITY,
): Promise<void> {
  const startedAt = performance.now();
  const total = Math.floor(perSecond * seconds);
  const calls = new Set<Promise<void>>();
  for (let made = 0; made < total; ) {
    const due = Math.min(total, Math.ceil(((performance.now() - startedAt) / 1000) * perSecond));
    for (; made < due; made++) {
      if (calls.size >= openMax) continue;
      const dueAfterS = made / perSecond;
      const call = send().then((outcome) => {
        calls.delete(call);
        onAnswer(outcome, performance.now() - startedAt - dueAfterS * 1000, dueAfterS);
      });
      calls.add(call);
    }
    await sleep(1);
  }
  await Promise.all(calls);
}

async function soak(churn: Churn, perSecond: number): Promise<number> {
  const thirds: number[][] = [[], [], []];
  const [heaps, descriptors]: [number[], number[]] = [[], []];
  let [sent, bad, isOver] = [0, 0, false];
  const startedAt = performance.now();
  /** From when to when a collection that the soak itself asked for held up requests. Those do not count for p99. */
  const heldUp: { fromS: number; untilS: number }[] = [];
  const looking = (async () => {
    while (!isOver) {
      const held = { fromS: (performance.now() - startedAt) / 1000, untilS: Number.POSITIVE_INFINITY };
      heldUp.push(held);
      heaps.push(await installation.server.heapAfterCollection());
      descriptors.push(countDescriptors(installation.server.pid));
      const tookS = (performance.now() - startedAt) / 1000 - held.fromS;
      held.untilS = held.fromS + Math.max(tookS, Math.min(heldUpFactor * tookS, (soakS / samples) * heldUpMaxShare));
      await sleep((soakS * 1000) / samples);
    }
  })();
  await pace(
    () => churn.step(),
    perSecond,
    soakS,
    withProgress((outcome, ms, dueAfterS) => {
      sent += 1;
      if (!note(outcome).isGood) bad += 1;
      if (heldUp.some(({ fromS, untilS }) => dueAfterS >= fromS && dueAfterS <= untilS)) return;
      thirds[Math.min(2, Math.floor((3 * dueAfterS) / soakS))]!.push(ms);
    }),
  );
  isOver = true;
  await looking;

  const [first, , last] = thirds.map((times) =>
    quantile(
      times.sort((a, b) => a - b),
      0.99,
    ),
  ) as [number, number, number];
  const settled = heaps.slice(Math.floor(heaps.length / 3));
  const growth = slope(settled) * (settled.length - 1);
  const limit = Math.max(2, 0.05 * settled[0]!);
  const later = descriptors.slice(Math.floor(descriptors.length / 3));
  const spread = Math.max(...later) - Math.min(...later);
  checks.push(
    check("answers that the contract has", `${sent - bad} of ${sent}`, "all", bad === 0),
    check(
      "heap after collection",
      `${settled[0]!.toFixed(1)} → ${settled.at(-1)!.toFixed(1)} MiB, line ${growth >= 0 ? "+" : ""}${growth.toFixed(1)}`,
      `line of the last two thirds ≤ +${limit.toFixed(1)} MiB`,
      options.isFilled ? growth <= limit : null,
    ),
    check("descriptors", `${Math.min(...later)} to ${Math.max(...later)}`, "differ by ≤ 4", spread <= 4),
    check("p99", `${first.toFixed(1)} → ${last.toFixed(1)} ms`, "last third ≤ 1.1 × first", last <= 1.1 * first),
  );
  return first;
}

async function overload(ceiling: number, p99: number): Promise<void> {
  const clients = await openClients(installation.world.url, overloadConnections);
  const churn = createChurn(clients, installation.world, Math.random);
  await churn.begin();
  const before = performance.now();
  let good = 0;
  const refusals: number[] = [];
  const onAnswer: OnAnswer = (outcome) => {
    const isWithin = performance.now() - before <= overloadS * 1000;
    if (outcome.isGood && isWithin) good += 1;
    if (outcome.isOverload) refusals.push(outcome.ms);
    else note(outcome);
  };
  // Without a free connection a request could only wait in the client, which would take its time from the service.
  await pace(churn.step, ceiling * overloadFactor, overloadS, onAnswer, overloadConnections);
  const normalAfterS = await untilNormal(churn, ceiling * share, p99);
  clients.close();
  refusals.sort((a, b) => a - b);
  const goodput = good / overloadS / ceiling;
  const refusalP99 = refusals.length === 0 ? 0 : quantile(refusals, 0.99);
  checks.push(
    check(
      `goodput at ${overloadFactor} × the ceiling`,
      `${Math.round(goodput * 100)} %`,
      "≥ 90 % of it",
      goodput >= 0.9,
    ),
    check("refusals", `${refusals.length}, p99 ${Math.round(refusalP99)} ms`, "p99 ≤ 1,000 ms", refusalP99 <= 1000),
    check(
      "normal again",
      normalAfterS === null ? "not within 10 s" : `after ${normalAfterS.toFixed(1)} s`,
      "within 5 s",
      normalAfterS !== null && normalAfterS <= 5,
    ),
  );
}

/** The end of the first half second without a refusal and with p99 below three times that of before; null: none came. */
async function untilNormal(churn: Churn, perSecond: number, p99: number): Promise<number | null> {
  const startedAt = performance.now();
  while (performance.now() - startedAt < 10_000) {
    const times: number[] = [];
    let refused = 0;
    await pace(churn.step, perSecond, 0.5, (outcome, ms) => {
      if (outcome.isOverload) refused += 1;
      else note(outcome);
      times.push(ms);
    });
    const isQuick =
      quantile(
        times.sort((a, b) => a - b),
        0.99,
      ) <= Math.max(50, 3 * p99);
    if (refused === 0 && isQuick) return (performance.now() - startedAt) / 1000;
  }
  return null;
}

/** Stops every lobby and waits until what Foyer remembers of them has run out. */
async function drain(): Promise<void> {
  const name = "left after a drain";
  if (!options.isDrained) {
    checks.push(check(name, "not looked at", "nothing", null));
    return;
  }
  await installation.stopLobbies();
  console.log("draining: ended seats and lobbies are remembered for 10 minutes");
  const endsAt = performance.now() + (rememberedS + 120) * 1000;
  let left = await installation.leftovers();
  while (left.length > 0 && !left[0]!.startsWith("stored") && performance.now() < endsAt) {
    await sleep(10_000);
    left = await installation.leftovers();
  }
  checks.push(check(name, left.length === 0 ? "nothing" : left.slice(0, 5).join(", "), "nothing", left.length === 0));
}

function report(): void {
  const rows = checks.map(({ name, measured, bound, holds }) => [
    name,
    measured,
    bound,
    holds === null ? "–" : holds ? "yes" : "NO",
  ]);
  console.log(
    `\n${markdownTable([`soak, ${options.engine}, ${options.minutes} min`, "measured", "bound", "holds"], rows)}\n`,
  );
  for (const [what, count] of odd) console.log(`unexpected: ${count} × ${what}`);
  const broken = checks.filter(({ holds }) => holds === false);
  for (const { name, measured, bound } of broken) console.error(`Broken: ${name}: ${measured}; it must be ${bound}.`);
  process.exit(broken.length === 0 ? 0 : 1);
}

function check(name: string, measured: string, bound: string, holds: boolean | null): Check {
  return { name, measured, bound, holds };
}

function note(outcome: Outcome): Outcome {
  if (!outcome.isGood) odd.set(outcome.what, (odd.get(outcome.what) ?? 0) + 1);
  return outcome;
}

/** Of a line through equally spaced points, per step. */
function slope(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  let [over, under] = [0, 0];
  values.forEach((value, at) => {
    over += (at - middle) * (value - mean);
    under += (at - middle) ** 2;
  });
  return under === 0 ? 0 : over / under;
}

/** Of a process of this machine, where the system shows it. */
function countDescriptors(pid: number): number {
  return process.platform === "linux" ? readdirSync(`/proc/${pid}/fd`).length : 0;
}
