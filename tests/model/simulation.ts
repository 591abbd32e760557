import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import type { Engine } from "../../src/engine/engine.ts";
import { EngineUnavailable } from "../../src/ground/unavailable.ts";
import type { Command, CommandType, Event, Outcome } from "../../src/matchmaker/commands.ts";
import { createAuditor } from "./auditor.ts";
import { restart, withNextDue } from "./due.ts";
import { createModel, type Model } from "./model.ts";
import { decide } from "./rules.ts";
import { show } from "./show.ts";
import { createReader, histories, type Step } from "./steps.ts";
import { type StartSubject, type Subject, startInMemory } from "./subjects.ts";

const namespaceIds = ["aaaaaaaa-0000-7000-8000-00000000000a", "bbbbbbbb-0000-7000-8000-00000000000b"] as const;

/** How long one history is; a seed stands for as many as are asked for. */
const historyLength = 300;

export interface Simulated {
  readonly steps: number;
  /** What came of commands, with how often: "find ok", "join LOBBY_FULL". */
  readonly outcomes: ReadonlyMap<string, number>;
}

interface SimulationOptions {
  readonly path?: string | undefined;
  readonly isShrunk?: boolean;
  /** What the histories are run on. */
  readonly start?: StartSubject;
  /** What the command that replays a failure calls it. */
  readonly engineName?: "memory" | "redis" | "cluster";
}

/** Runs the histories of a seed. A failure is made as short as it goes and thrown with the one command that replays it. */
export async function simulate(
  seed: number,
  historyCount: number,
  { path, isShrunk = true, start = startInMemory, engineName = "memory" }: SimulationOptions = {},
): Promise<Simulated> {
  const outcomes = new Map<string, number>();
  let steps = 0;
  let failedAt = Number.POSITIVE_INFINITY;
  const property = fc.asyncProperty(histories(historyLength), async (history) => {
    if (performance.now() - failedAt > shrinkingMsMax) return;
    const count = (_: unknown, outcome: string) => {
      steps += 1;
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    };
    await runHistory(start, history, count).catch((error: unknown) => {
      failedAt = Math.min(failedAt, performance.now());
      throw error;
    });
  });
  const result = await fc.check(property, {
    seed,
    numRuns: historyCount,
    endOnFailure: !isShrunk,
    ...(path !== undefined && { path }),
  });
  if (!result.failed) return { steps, outcomes };

  const [shortest] = result.counterexample!;
  let failure = result.errorInstance;
  const trace: string[] = [];
  // Once more, because only the trace of the shortest history is of use.
  await runHistory(start, shortest, (describe) => trace.push(describe())).catch((error: unknown) => {
    failure = error;
  });
  const engine = engineName === "memory" ? "" : ` --engine ${engineName}`;
  const replay = `npm run simulate --${engine} --seed ${seed} --path ${result.counterexamplePath}`;
  throw new Error(
    `${failure instanceof Error ? failure.message : failure}\nReplay: ${replay}\nSteps (${trace.length}):\n${trace.join("\n")}`,
  );
}

// The shrinking of a failure can take long; after this the shortest so far is reported. A seed itself has all its histories,
// however slow the machine is.
const shrinkingMsMax = 120_000;

type Note = (describe: () => string, outcome: string) => void;

async function runHistory(start: StartSubject, history: readonly Step[], note: Note): Promise<void> {
  let subject = await start();
  try {
    await runSteps();
  } finally {
    await subject.end();
  }

  async function runSteps(): Promise<void> {
    const models: [Model, Model] = [createModel(namespaceIds[0]), createModel(namespaceIds[1])];
    const auditors = [createAuditor(), createAuditor()] as const;
    const reader = createReader(models);
    const received: Event[] = [];
    const published: Event[] = [];
    let receiving = receive(subject.engine, received);

    for (const step of history) {
      const action = reader.read(step);
      if (action.type === "restart") {
        note(() => `restart at ${action.now}`, "restart");
        const before = await hashesOf(subject);
        subject = await subject.restart();
        await receiving;
        receiving = receive(subject.engine, received);
        const isSame = isDeepStrictEqual(await hashesOf(subject), before);
        expect(isSame, "[I23] what was stored does not load as the state that lived");
        for (const model of models) restart(model, subject.isStateShared);
        continue;
      }
      const { command } = action;
      const { engine, setFailing } = subject;
      const isStoreFailing = action.isStoreFailing && setFailing !== null;
      const at = command.namespaceId === namespaceIds[0] ? 0 : 1;
      // These look at everything there is; what they would find a few steps later is found all the same.
      const isThorough = step.pick % 8 === 0;
      const neighbour = isThorough ? await subject.hash(namespaceIds[1 - at]!) : null;
      // When the store fails the command must have had no effect, so a copy is decided on.
      const model = isStoreFailing ? structuredClone(models[at]) : models[at];
      const wanted = decide(model, command);
      setFailing?.(isStoreFailing);
      const outcome = await executeOn(engine, command);
      note(() => `${JSON.stringify(command)} -> ${JSON.stringify(outcome)}`, nameOf(command, outcome));
      if (outcome === null) {
        expect(isStoreFailing, "[I24] a command failed although the store works");
        for (const lost of models) restart(lost, false);
        await expectSame(engine, models, command.now);
        setFailing?.(false);
        for (const back of models) {
          await engine.execute({ type: "expire", namespaceId: back.namespaceId, now: command.now });
          decide(back, { type: "expire", namespaceId: back.namespaceId, now: command.now });
        }
      } else {
        const isRight = isDeepStrictEqual(outcome, withNextDue(model, outcome, wanted));
        expect(isRight, `by the rules the answer is ${JSON.stringify(wanted)}`);
        models[at] = model;
        const isUntouched = neighbour === null || neighbour === (await subject.hash(namespaceIds[1 - at]!));
        expect(isUntouched, "[I19] another namespace changed");
      }
      setFailing?.(false);
      const violations = subject.isStateShared && !isThorough ? [] : [...(await subject.check(command.namespaceId))];
      const shown = await show(engine, models[at], command.now, isThorough);
      violations.push(
        ...shown.violations,
        ...auditors[at].audit(outcome === null ? null : command, outcome, shown.seen),
      );
      expect(violations.length === 0, violations.join("; "));
      for (const { published: ofOne } of models) published.push(...ofOne.splice(0));
    }
    await subject.engine.close();
    await receiving;
    for (const namespaceId of namespaceIds) {
      const of = (events: readonly Event[]) => events.filter((event) => event.namespaceId === namespaceId);
      const isSame = isDeepStrictEqual(of(received), of(published));
      expect(isSame, "[I2] published events are not what happened, once and in order");
    }
  }
}

function expect(isTrue: boolean, violation: string): asserts isTrue {
  if (!isTrue) throw new Error(violation);
}

async function receive(engine: Engine, received: Event[]): Promise<void> {
  for await (const { position: _, ...event } of engine.events()) received.push(event as Event);
}

/** Null: the store did not take it. */
async function executeOn(engine: Engine, command: Command): Promise<Outcome<CommandType> | null> {
  try {
    return await engine.execute<CommandType>(command);
  } catch (error) {
    if (error instanceof EngineUnavailable) return null;
    throw error;
  }
}

/** While the store takes nothing, reads go on and show what is durable. */
async function expectSame(engine: Engine, models: readonly Model[], now: number): Promise<void> {
  for (const model of models) {
    const { violations } = await show(engine, model, now, false);
    expect(violations.length === 0, `[I24] memory is ahead of the store: ${violations.join("; ")}`);
  }
}

function nameOf(command: Command, outcome: Outcome<CommandType> | null): string {
  return `${command.type} ${outcome === null ? "unavailable" : outcome.ok ? "ok" : outcome.code}`;
}

async function hashesOf(subject: Subject): Promise<string[]> {
  return Promise.all(namespaceIds.map((namespaceId) => subject.hash(namespaceId)));
}
