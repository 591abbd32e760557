import { readdirSync } from "node:fs";
import { cpus } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { median } from "./load.ts";
import { type Churn, createChurn, type Outcome } from "./soak-churn.ts";
import { openClients } from "./soak-client.ts";
import { makeSoakInstallation } from "./soak-installation.ts";
import { closedLoop, type OnAnswer, p99Of, pace, slopeOf } from "./soak-load.ts";
import { markdownTable } from "./table.ts";

// `npm run soak` loads one service with 70 % of what it can do: 10 minutes until as many ended seats are forgotten as end, then
// 10 minutes that count. Then it sends three times as much as the service can do, and lets it drain, which takes 10 minutes.
// A machine may change its speed meanwhile, so what the service can do is measured again beside everything that is compared with it.
// `--minutes N` and `--engine redis` change that; `--no-fill` and `--no-drain` leave out the first and the last part.

const connections = 64;
const share = 0.7;
/** A slice: what the service can do, then a load of 70 % of that. */
const sliceS = 25;
/** Before every third slice, while nothing is sent, the soak asks for a collection. The service's own ones are more frequent. */
const slicesPerCollection = 3;
const ceilingS = 4;
const steadyShare = 0.2;
/** The first moments of each do not count: code is compiled, and what the load before it left is answered. */
const warmUpS = 1;
/** For so long Foyer remembers seats that have ended: under a steady load its heap grows for this time and no longer. */
const rememberedS = 600;
const overloadFactor = 3;
const overloadS = 10;
const overloadRounds = 5;
/** Half of them are the players', and that is more than `max_in_flight`. */
const overloadConnections = 5000;

interface Check {
  readonly name: string;
  readonly measured: string;
  readonly bound: string;
  /** Null: it was left out. */
  readonly holds: boolean | null;
}

const options = readOptions(process.argv.slice(2));
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
  await closedLoop(churn.step, connections, 3, note);
  let filling: Slice[] = [];
  if (options.isFilled) {
    console.log("filling: ended seats are remembered for 10 minutes, and the heap grows until then");
    filling = await loadInSlices(churn, rememberedS);
  }
  console.log(`measuring: ${options.minutes} minutes`);
  const slices = await loadInSlices(churn, options.minutes * 60);
  const ceiling = await measureCeiling(churn, ceilingS);
  checkSlices(slices, filling);
  checkP99(slices, ceiling);
  clients.close();
  await overload(ceiling, median(slices.map(({ p99Ms }) => p99Ms)));
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

interface Slice {
  readonly startedAt: number;
  /** After a collection; null: none was asked for. */
  readonly heapMib: number | null;
  readonly descriptors: number;
  /** Requests/s that the connections could carry, each request after the answer to the one before. */
  readonly ceiling: number;
  readonly p99Ms: number;
  /** In times that a request takes at the ceiling: a machine that slows down changes both. */
  readonly times: readonly number[];
  readonly sent: number;
  readonly bad: number;
}

async function loadInSlices(churn: Churn, seconds: number): Promise<Slice[]> {
  const count = Math.max(3, Math.round(seconds / sliceS));
  const slices: Slice[] = [];
  for (let at = 1; at <= count; at++) {
    const slice = await loadSlice(churn, seconds / count, at % slicesPerCollection === 1 || at === count);
    slices.push(slice);
    const { heapMib, ceiling, p99Ms } = slice;
    const heap = heapMib === null ? "" : `, heap ${heapMib.toFixed(1)} MiB`;
    console.log(
      `${at} of ${count}: ${Math.round(ceiling)} requests/s possible, p99 at ${share * 100} % ${p99Ms.toFixed(1)} ms${heap}`,
    );
  }
  return slices;
}

async function loadSlice(churn: Churn, seconds: number, isCollected: boolean): Promise<Slice> {
  const startedAt = performance.now();
  const heapMib = isCollected ? await installation.server.heapAfterCollection() : null;
  const descriptors = countDescriptors(installation.server.pid);
  let [sent, bad] = [0, 0];
  const count = (outcome: Outcome) => {
    sent += 1;
    if (!note(outcome).isGood) bad += 1;
  };
  const ceiling = await measureCeiling(churn, Math.min(ceilingS, seconds / 5), count);
  const times: number[] = [];
  const leftS = seconds - (performance.now() - startedAt) / 1000;
  await pace(churn.step, ceiling * share, Math.max(2 * warmUpS, leftS), (outcome, ms, dueAfterS) => {
    count(outcome);
    if (dueAfterS > warmUpS) times.push(ms);
  });
  const callMs = (1000 * connections) / ceiling;
  const measured = { heapMib, descriptors, ceiling, p99Ms: p99Of(times), times: times.map((ms) => ms / callMs) };
  return { startedAt, ...measured, sent, bad };
}

async function measureCeiling(
  { step }: Churn,
  seconds: number,
  onAnswer: (outcome: Outcome) => unknown = note,
): Promise<number> {
  await closedLoop(step, connections, warmUpS, onAnswer);
  return closedLoop(step, connections, seconds, onAnswer);
}

function checkSlices(slices: readonly Slice[], filling: readonly Slice[]): void {
  const third = Math.floor(slices.length / 3);
  const later = slices.slice(third);
  const heaps = later.map(({ heapMib }) => heapMib).filter((heapMib) => heapMib !== null);
  const { growth, kibPerRequest } = heapGrowth(later, [...filling, ...slices]);
  const limit = Math.max(2, 0.05 * heaps[0]!);
  const descriptors = later.map((slice) => slice.descriptors);
  const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
  const [sent, bad] = [sum(slices.map((slice) => slice.sent)), sum(slices.map((slice) => slice.bad))];
  checks.push(
    check("answers that the contract has", `${sent - bad} of ${sent}`, "all", bad === 0),
    check(
      "heap after collection",
      `${heaps[0]!.toFixed(1)} → ${heaps.at(-1)!.toFixed(1)} MiB, line at an equal load ${growth >= 0 ? "+" : ""}${growth.toFixed(1)} (${kibPerRequest.toFixed(2)} KiB a remembered request)`,
      `line of the last two thirds ≤ +${limit.toFixed(1)} MiB`,
      options.isFilled ? growth <= limit : null,
    ),
    check(
      "descriptors",
      `${Math.min(...descriptors)} to ${Math.max(...descriptors)}`,
      "differ by ≤ 4",
      Math.max(...descriptors) - Math.min(...descriptors) <= 4,
    ),
  );
}

/** `after` is the ceiling after the last slice. */
function checkP99(slices: readonly Slice[], after: number): void {
  const third = Math.floor(slices.length / 3);
  // If the host changed its speed meanwhile, the load was not the share of the ceiling that it should be.
  const isSteady = (slice: Slice) => {
    const [begin, end] = [slice.ceiling, slices[slices.indexOf(slice) + 1]?.ceiling ?? after];
    return Math.max(begin, end) <= (1 + steadyShare) * Math.min(begin, end);
  };
  const first = slices.slice(0, third).filter(isSteady);
  const last = slices.slice(-third).filter(isSteady);
  const canJudge = Math.min(first.length, last.length) >= 2;
  const p99 = (part: readonly Slice[]) => p99Of(part.flatMap(({ times }) => times));
  const p99Ms = (part: readonly Slice[]) => part.map((slice) => slice.p99Ms.toFixed(0)).join(", ");
  checks.push(
    check(
      "p99, in times of a request at the ceiling",
      canJudge
        ? `${p99(first).toFixed(2)} → ${p99(last).toFixed(2)} (in ms ${p99Ms(first)} → ${p99Ms(last)})`
        : "the host was not steady",
      `last third ≤ 1.1 × first, in slices with ceilings before and after that differ by ≤ ${steadyShare * 100} %`,
      canJudge ? p99(last) <= 1.1 * p99(first) : null,
    ),
  );
}

/**
 * How much the heap grows over these slices at an equal load. A faster host takes more requests, and Foyer remembers those of the
 * last ten minutes. What one takes is seen in all slices, of which the first ones remember none.
 */
function heapGrowth(slices: readonly Slice[], all: readonly Slice[]): { growth: number; kibPerRequest: number } {
  const looks = all.flatMap(({ startedAt, heapMib }) => {
    const remembered = all.filter(
      (past) => past.startedAt < startedAt && past.startedAt >= startedAt - rememberedS * 1000,
    );
    const requests = remembered.reduce((sum, { sent }) => sum + sent, 0);
    return heapMib === null ? [] : [{ startedAt, heapMib, requests }];
  });
  const mibPerRequest = slopeOf(looks.map(({ requests, heapMib }) => [requests, heapMib]));
  const later = looks.filter(({ startedAt }) => startedAt >= slices[0]!.startedAt);
  const perMs = slopeOf(
    later.map(({ startedAt, heapMib, requests }) => [startedAt, heapMib - mibPerRequest * requests]),
  );
  return { growth: perMs * (later.at(-1)!.startedAt - later[0]!.startedAt), kibPerRequest: mibPerRequest * 1024 };
}

/** `before` is the ceiling just before it. A host may change its speed within seconds, so there are rounds, and the median counts. */
async function overload(before: number, p99Ms: number): Promise<void> {
  const clients = await openClients(installation.world.url, overloadConnections);
  const churn = createChurn(clients, installation.world, Math.random);
  await churn.begin();
  const ceilings = [before];
  const goodputs: number[] = [];
  const refusals: number[] = [];
  const normalAfterS: (number | null)[] = [];
  while (goodputs.length < overloadRounds) {
    const perSecond = ceilings.at(-1)!;
    const good = await overloadOnce(churn, perSecond * overloadFactor, refusals);
    normalAfterS.push(await untilNormal(churn, perSecond * share, p99Ms));
    ceilings.push(await measureCeiling(churn, ceilingS));
    goodputs.push(good / ((ceilings.at(-2)! + ceilings.at(-1)!) / 2));
    console.log(`overload ${goodputs.length} of ${overloadRounds}: ${Math.round(good)} good answers/s`);
  }
  clients.close();
  const refusalP99 = refusals.length === 0 ? 0 : p99Of(refusals);
  const percents = goodputs.map((goodput) => Math.round(goodput * 100));
  const isNormal = normalAfterS.every((seconds) => seconds !== null && seconds <= 5);
  checks.push(
    check(
      `goodput at ${overloadFactor} × the ceiling`,
      `${percents.join(", ")} % of the ceilings before and after it (${ceilings.map(Math.round).join(", ")}/s)`,
      "median ≥ 90 % of their mean",
      median(goodputs) >= 0.9,
    ),
    check(
      "refusals",
      refusals.length === 0 ? "none" : `${refusals.length}, p99 ${Math.round(refusalP99)} ms`,
      "p99 ≤ 1,000 ms",
      refusalP99 <= 1000,
    ),
    check(
      "normal again",
      normalAfterS
        .map((seconds) => (seconds === null ? "not within 10 s" : `after ${seconds.toFixed(1)} s`))
        .join(", "),
      "within 5 s",
      isNormal,
    ),
  );
}

/** Returns good answers per second. */
async function overloadOnce(churn: Churn, perSecond: number, refusals: number[]): Promise<number> {
  const startedAt = performance.now();
  let good = 0;
  const onAnswer: OnAnswer = (outcome) => {
    const isWithin = performance.now() - startedAt <= overloadS * 1000;
    if (outcome.isGood && isWithin) good += 1;
    if (outcome.isOverload) refusals.push(outcome.ms);
    else note(outcome);
  };
  // Without a free connection a request could only wait in the client, which would take its time from the service.
  await pace(churn.step, perSecond, overloadS, onAnswer, overloadConnections);
  return good / overloadS;
}

/** The end of the first half second without a refusal and with p99 below three times that of before; null: none came. */
async function untilNormal(churn: Churn, perSecond: number, p99Ms: number): Promise<number | null> {
  const startedAt = performance.now();
  while (performance.now() - startedAt < 10_000) {
    const times: number[] = [];
    let refused = 0;
    await pace(churn.step, perSecond, 0.5, (outcome, ms) => {
      if (outcome.isOverload) refused += 1;
      else note(outcome);
      times.push(ms);
    });
    if (refused === 0 && p99Of(times) <= Math.max(50, 3 * p99Ms)) return (performance.now() - startedAt) / 1000;
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

/** Of a process of this machine, where the system shows it. */
function countDescriptors(pid: number): number {
  return process.platform === "linux" ? readdirSync(`/proc/${pid}/fd`).length : 0;
}
