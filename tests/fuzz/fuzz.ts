import { type Chance, createChance } from "./chance.ts";
import { type FuzzConnection, openFuzzConnection, type RawAnswer } from "./connection.ts";
import { type Operation, readOperations } from "./document.ts";
import { codeOf, judge, judgeEvents, parse } from "./judge.ts";
import { type FuzzRequest, nextRequest, type SpentTokens, showRequest, writeRequest } from "./requests.ts";
import { type Ask, createWorld, keepPlayable, setUp, type World } from "./world.ts";

/** So many requests follow each other on one connection, about one game. A failure is shown again by its sequence alone. */
const sequenceLength = 250;
const lanes = 24;
/** So many requests later what they did to the namespace is undone. */
const repairEvery = 50;

export interface FuzzOptions {
  readonly port: number;
  readonly adminToken: string;
  readonly seed: number;
  readonly requests: number;
  /** Only the sequence of this request, up to it. */
  readonly only?: number;
  readonly onSequence?: (report: FuzzReport) => void;
  /** Called with every request and its answer. */
  readonly onAnswer?: (request: FuzzRequest, answer: RawAnswer | null) => void;
}

export interface FuzzReport {
  sent: number;
  readonly failures: string[];
  /** By operation: how often it was called, with what outcomes. */
  readonly outcomes: Map<string, Map<string, number>>;
}

/** Many sequences of requests at a time, over connections that are kept. */
export async function runFuzz(options: FuzzOptions): Promise<FuzzReport> {
  const operations = readOperations();
  const report: FuzzReport = {
    sent: 0,
    failures: [],
    outcomes: new Map(operations.map(({ id }) => [id, new Map<string, number>()])),
  };
  const spent = await spendTokens(options, operations);
  const first = options.only === undefined ? 0 : Math.floor(options.only / sequenceLength);
  const last = options.only === undefined ? Math.ceil(options.requests / sequenceLength) - 1 : first;
  const end = options.only === undefined ? options.requests : options.only + 1;
  let next = first;

  async function runLane(): Promise<void> {
    while (next <= last && report.failures.length < 20) {
      const sequence = next++;
      const count = Math.min(sequenceLength, end - sequence * sequenceLength);
      await runSequence({ ...options, operations, spent, report }, sequence, count);
      options.onSequence?.(report);
    }
  }
  await Promise.all(Array.from({ length: lanes }, runLane));
  return report;
}

interface Lane extends FuzzOptions {
  readonly operations: readonly Operation[];
  readonly spent: SpentTokens;
  readonly report: FuzzReport;
}

async function runSequence(lane: Lane, sequence: number, count: number): Promise<void> {
  const connection = openFuzzConnection(lane.port);
  const world = createWorld(sequence, lane.adminToken);
  const chance = createChance(lane.seed, sequence);
  const streams = createStreams(lane);
  const ask = askWith(connection, lane, world);
  await setUp(world, ask.mustSucceed);
  for (let i = 0; i < count; i++) {
    if (i % repairEvery === repairEvery - 1) await keepPlayable(world, ask.maySucceed);
    await sendOne(connection, lane, world, chance, sequence * sequenceLength + i, streams);
    if (lane.report.failures.length >= 20) break;
  }
  streams.close();
  for (const name of ["game_id", "other_game"]) {
    await ask.maySucceed("games.deleteGame", { game_id: world.known.get(name)![0]!, force: "true" }, lane.adminToken);
  }
  connection.close();
}

async function sendOne(
  connection: FuzzConnection,
  lane: Lane,
  world: World,
  chance: Chance,
  index: number,
  streams: Streams,
): Promise<void> {
  const request = nextRequest(index, lane.operations, world, lane.spent, chance);
  const answer = await connection.send(writeRequest(request), request.method === "HEAD");
  lane.report.sent += 1;
  lane.onAnswer?.(request, answer);
  if (answer === null) {
    fail(lane, request, "The connection was closed without an answer.", null);
    return;
  }
  const issue = judge(lane.operations, request, answer);
  if (issue !== null) fail(lane, request, issue, answer);
  count(lane.report, request, answer);
  if (answer.stream !== null) streams.keep(request, answer.stream);
  if (answer.status === 200 && answer.stream === null) world.learn(request.operation, parse(answer.body));
}

interface Streams {
  keep(request: FuzzRequest, stream: NonNullable<RawAnswer["stream"]>): void;
  close(): void;
}

/** A stream stays open while the next requests are sent, so that it has something to say. */
function createStreams(lane: Lane): Streams {
  let open: { request: FuzzRequest; stream: NonNullable<RawAnswer["stream"]> } | null = null;
  function close(): void {
    if (open === null) return;
    const { request, stream } = open;
    open = null;
    stream.close();
    const events = stream.events();
    const issue = judgeEvents(request.operation, events);
    if (issue !== null) fail(lane, request, issue, null);
    const outcomes = lane.report.outcomes.get(request.operation.id)!;
    outcomes.set("events", (outcomes.get("events") ?? 0) + events.length);
  }
  return {
    keep(request, stream) {
      close();
      open = { request, stream };
    },
    close,
  };
}

function count(report: FuzzReport, request: FuzzRequest, answer: RawAnswer): void {
  if (request.method !== request.operation.method) return;
  const outcomes = report.outcomes.get(request.operation.id)!;
  const isMock = request.token?.startsWith("dev_") ?? false;
  const outcome = answer.status < 300 ? (isMock ? "mock" : "ok") : codeOf(answer);
  outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
}

function fail(lane: Lane, request: FuzzRequest, issue: string, answer: RawAnswer | null): void {
  const shown =
    answer === null
      ? ""
      : `\n  → ${answer.status} ${answer.body
          .toString("utf8")
          .slice(0, 500)
          .replace(/\b([a-z]+_)[\w-]{20,}/g, "$1…")}`;
  lane.report.failures.push(
    `${issue}\n  seed ${lane.seed}, request ${request.index}, ${request.operation.id}:\n${showRequest(request)}${shown}\n  Again: npm run fuzz -- --seed ${lane.seed} --only ${request.index}`,
  );
}

/** Requests of the set-up. They are valid, and their answers are judged like the others. */
function askWith(connection: FuzzConnection, lane: Lane, world: World): { mustSucceed: Ask; maySucceed: Ask } {
  const send = async (id: string, params: Readonly<Record<string, string>>, token: string, body: unknown) => {
    const operation = lane.operations.find((each) => each.id === id)!;
    const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => params[name]!);
    const bytes = body === undefined ? null : Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
    const request: FuzzRequest = {
      index: world.sequence * sequenceLength,
      operation,
      method: operation.method,
      target: params.force === undefined ? path : `${path}?force=${params.force}`,
      headers: [
        ["host", "localhost"],
        ...(token === "" ? [] : [["authorization", `Bearer ${token}`] as const]),
        ...(bytes === null ? [] : [["content-type", "application/json"] as const]),
      ],
      body: bytes,
      token,
      isPathOdd: false,
    };
    for (;;) {
      const answer = await connection.send(writeRequest(request), false);
      if (answer === null) throw new Error(`${id} of the set-up got no answer.`);
      const issue = judge(lane.operations, request, answer);
      if (issue !== null) fail(lane, request, issue, answer);
      count(lane.report, request, answer);
      if (answer.status < 300) world.learn(operation, parse(answer.body));
      // A busy service may send the request away; then it is made again.
      if (codeOf(answer) !== "API_UNAVAILABLE") return answer;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };
  return {
    async mustSucceed(id, params, token, body) {
      const answer = await send(id, params, token, body);
      if (answer.status >= 300) throw new Error(`${id} of the set-up: ${answer.status} ${answer.body}`);
      return parse(answer.body);
    },
    async maySucceed(id, params, token, body) {
      return parse((await send(id, params, token, body)).body);
    },
  };
}

/** A token that has expired and one that was revoked; both belong to a game that is there for nothing else. */
async function spendTokens(options: FuzzOptions, operations: readonly Operation[]): Promise<SpentTokens> {
  const connection = openFuzzConnection(options.port);
  const world = createWorld(-1, options.adminToken);
  const report: FuzzReport = { sent: 0, failures: [], outcomes: new Map(operations.map(({ id }) => [id, new Map()])) };
  const lane: Lane = { ...options, operations, spent: { expired: "", revoked: "" }, report };
  const { mustSucceed: ask } = askWith(connection, lane, world);
  const admin = options.adminToken;
  const { game_id } = await ask("games.createGame", {}, admin, { display_name: "Spent", name_id: "spent" });
  const { token: revoked, token_id } = await ask("games.tokens.createCloudToken", { game_id }, admin);
  await ask("games.tokens.revokeToken", { game_id, token_id }, admin);
  const expires_ts = new Date(Date.now() + 2000).toISOString();
  const { token: expired } = await ask("games.tokens.createCloudToken", { game_id }, admin, { expires_ts });
  await new Promise((resolve) => setTimeout(resolve, 2100));
  connection.close();
  return { expired, revoked };
}
