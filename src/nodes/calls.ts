import type { RedisLink } from "../redis/interface.ts";
import { parsed } from "./messages.ts";

/** Lets a node ask another one for what only that one has, such as the log of a lobby on its machine. */
export interface NodeCalls {
  /** The answer of that node; null: it does not know, or is down. Rejects with NodeSilent if it did not answer in time. */
  askOne(nodeId: string, question: string, args: readonly unknown[]): Promise<unknown>;
  /** The first answer of any node that is not null; null: no node had one in time. */
  ask(question: string, args: readonly unknown[]): Promise<unknown>;
  /** What every other node answers, null included. */
  askAll: AskNodes;
  /** Whether the node is this one or takes part. */
  isUp(nodeId: string): boolean;
}

/** A node that counts as running did not answer: it is frozen or overloaded, or it has just lost Redis. */
export class NodeSilent extends Error {
  override readonly name = "NodeSilent";
  readonly nodeId: string;

  constructor(nodeId: string) {
    super(`Node "${nodeId}" did not answer within ${answerMs / 1000} s.`);
    this.nodeId = nodeId;
  }
}

export type AskNodes = (question: string, args: readonly unknown[]) => Promise<NodeAnswers>;

interface NodeAnswers {
  readonly answers: readonly unknown[];
  /** A node did not answer in time, or Redis is unavailable. */
  readonly isPartial: boolean;
}

/** What a node says when another one asks; null: it does not know. What it gives must survive JSON. */
export type AnswerNodes = (question: string, args: readonly unknown[]) => Promise<unknown>;

/** For a single node: there are no other nodes to ask. */
export const noCalls: NodeCalls = {
  askOne: async () => null,
  ask: async () => null,
  askAll: async () => ({ answers: [], isPartial: false }),
  isUp: () => true,
};

export interface NodeCallsOptions {
  readonly link: RedisLink;
  readonly prefix: string;
  readonly nodeId: string;
  newId(): string;
  /** The other running nodes: when all of them have answered null, waiting ends. */
  othersAlive(): readonly string[];
  readonly answer: AnswerNodes;
  onError(error: unknown): void;
  /** A node that counts as running did not answer in time. */
  onSilent(nodeId: string): void;
  /** A message arrived that no node of this version writes; it is ignored. */
  onUnreadable(channel: string): void;
}

const answerMs = 2_000;

interface Question {
  readonly id: string;
  readonly from: string;
  readonly question: string;
  readonly args: readonly unknown[];
}

interface Answer {
  readonly id: string;
  readonly answer: unknown;
  /** The node that answers; earlier versions do not write it. */
  readonly from?: string | undefined;
}

/** Uses publish and subscribe of Redis, so nodes need no connection to each other. A lost answer counts as null. */
export async function createNodeCalls(options: NodeCallsOptions): Promise<NodeCalls> {
  const { link, prefix, nodeId } = options;
  const everyone = `${prefix}:questions`;
  const questionsTo = (node: string) => `${prefix}:questions:${node}`;
  const answersTo = (node: string) => `${prefix}:answers:${node}`;
  const open = new Map<string, (answer: Answer) => void>();

  async function answerTo({ id, from, question, args }: Question): Promise<void> {
    if (from === nodeId) return;
    const answer = await options.answer(question, args);
    await link.call("PUBLISH", answersTo(from), [JSON.stringify({ id, answer, from: nodeId } satisfies Answer)]);
  }

  /** A listener must not throw because of a message: no code would catch the error. */
  function listen<T>(channel: string, read: (message: unknown) => T | null, take: (message: T) => void): Promise<void> {
    const onMessage = (text: string) => {
      const message = read(parsed(text));
      if (message === null) options.onUnreadable(channel);
      else take(message);
    };
    return link.subscribe(channel, onMessage, ignore);
  }

  const receiveQuestion = (question: Question) => void answerTo(question).catch(options.onError);
  await listen(everyone, readQuestion, receiveQuestion);
  await listen(questionsTo(nodeId), readQuestion, receiveQuestion);
  await listen(answersTo(nodeId), readAnswer, (answer) => open.get(answer.id)?.(answer));

  /** Returns the answers of the `asked` nodes, or those until the first for which `isEnough`, or until the time is over. */
  async function send(
    channel: string,
    asked: readonly string[],
    [question, args]: readonly [string, readonly unknown[]],
    isEnough: (answer: unknown) => boolean,
  ): Promise<readonly unknown[]> {
    const id = options.newId();
    const { answered, take, stop } = collectAnswers(asked, isEnough, options.onSilent);
    open.set(id, take);
    try {
      await link.call("PUBLISH", channel, [JSON.stringify({ id, from: nodeId, question, args } satisfies Question)]);
      return await answered;
    } finally {
      // If the question could not be sent, no node was silent.
      stop();
      open.delete(id);
    }
  }

  const isSome = (answer: unknown) => answer !== null;

  return {
    async askOne(other, question, args) {
      if (!options.othersAlive().includes(other)) return null;
      const answers = await send(questionsTo(other), [other], [question, args], isSome);
      if (answers.length === 0) throw new NodeSilent(other);
      return answers[0] ?? null;
    },
    async ask(question, args) {
      const asked = options.othersAlive();
      if (asked.length === 0) return null;
      return (await send(everyone, asked, [question, args], isSome)).find(isSome) ?? null;
    },
    async askAll(question, args) {
      const asked = options.othersAlive();
      if (asked.length === 0) return { answers: [], isPartial: false };
      try {
        const answers = await send(everyone, asked, [question, args], () => false);
        return { answers, isPartial: answers.length < asked.length };
      } catch (error) {
        options.onError(error);
        return { answers: [], isPartial: true };
      }
    },
    isUp: (other) => other === nodeId || options.othersAlive().includes(other),
  };
}

function readQuestion(message: unknown): Question | null {
  const { id, from, question, args } = (message ?? {}) as Partial<Question>;
  const isQuestion = [id, from, question].every((part) => typeof part === "string") && Array.isArray(args);
  return isQuestion ? (message as Question) : null;
}

function readAnswer(message: unknown): Answer | null {
  const { id, answer, from } = (message ?? {}) as Partial<Answer>;
  return typeof id === "string" && answer !== undefined ? { id, answer, from } : null;
}

function ignore(): void {}

/** Waits for answers of the `asked` nodes; reports those that were silent when the time is over. */
function collectAnswers(
  asked: readonly string[],
  isEnough: (answer: unknown) => boolean,
  onSilent: NodeCallsOptions["onSilent"],
): { answered: Promise<readonly unknown[]>; take(answer: Answer): void; stop(): void } {
  const answers: unknown[] = [];
  const silent = new Set(asked);
  let finish = () => {};
  const answered = new Promise<readonly unknown[]>((resolve) => {
    finish = () => resolve(answers);
  });
  const timer = setTimeout(() => {
    for (const other of silent) onSilent(other);
    finish();
  }, answerMs);
  return {
    answered,
    stop: () => clearTimeout(timer),
    take({ answer, from }) {
      answers.push(answer);
      if (from !== undefined) silent.delete(from);
      if (answers.length < asked.length && !isEnough(answer)) return;
      clearTimeout(timer);
      finish();
    },
  };
}
