import type { RedisLink } from "../redis/interface.ts";

/** Lets a node ask another one for what only that one has, such as the log of a lobby on its machine. */
export interface NodeCalls {
  /** The answer of that node; null: it does not know, is down, or did not answer in time. */
  askOne(nodeId: string, question: string, args: readonly unknown[]): Promise<unknown>;
  /** The first answer of any node that is not null; null: no node had one in time. */
  ask(question: string, args: readonly unknown[]): Promise<unknown>;
  /** What every other node answers, null included. */
  askAll: AskNodes;
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
}

/** Uses publish and subscribe of Redis, so nodes need no connection to each other. A lost answer counts as null. */
export async function createNodeCalls(options: NodeCallsOptions): Promise<NodeCalls> {
  const { link, prefix, nodeId } = options;
  const everyone = `${prefix}:questions`;
  const questionsTo = (node: string) => `${prefix}:questions:${node}`;
  const answersTo = (node: string) => `${prefix}:answers:${node}`;
  const open = new Map<string, (answer: unknown) => void>();

  async function answerTo({ id, from, question, args }: Question): Promise<void> {
    if (from === nodeId) return;
    const answer = await options.answer(question, args);
    await link.call("PUBLISH", answersTo(from), [JSON.stringify({ id, answer } satisfies Answer)]);
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
  await listen(answersTo(nodeId), readAnswer, ({ id, answer }) => open.get(id)?.(answer));

  /** Returns all `asked` answers, or those until the first for which `isEnough`, or until the time is over. */
  async function send(
    channel: string,
    asked: number,
    [question, args]: readonly [string, readonly unknown[]],
    isEnough: (answer: unknown) => boolean,
  ): Promise<readonly unknown[]> {
    const id = options.newId();
    const answers: unknown[] = [];
    const answered = new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, answerMs);
      open.set(id, (answer) => {
        answers.push(answer);
        if (answers.length < asked && !isEnough(answer)) return;
        clearTimeout(timer);
        resolve();
      });
    });
    try {
      await link.call("PUBLISH", channel, [JSON.stringify({ id, from: nodeId, question, args } satisfies Question)]);
      await answered;
      return answers;
    } finally {
      open.delete(id);
    }
  }

  const isSome = (answer: unknown) => answer !== null;

  return {
    async askOne(other, question, args) {
      if (!options.othersAlive().includes(other)) return null;
      return (await send(questionsTo(other), 1, [question, args], isSome)).find(isSome) ?? null;
    },
    async ask(question, args) {
      const asked = options.othersAlive().length;
      if (asked === 0) return null;
      return (await send(everyone, asked, [question, args], isSome)).find(isSome) ?? null;
    },
    async askAll(question, args) {
      const asked = options.othersAlive().length;
      if (asked === 0) return { answers: [], isPartial: false };
      try {
        const answers = await send(everyone, asked, [question, args], () => false);
        return { answers, isPartial: answers.length < asked };
      } catch (error) {
        options.onError(error);
        return { answers: [], isPartial: true };
      }
    },
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function readQuestion(message: unknown): Question | null {
  const { id, from, question, args } = (message ?? {}) as Partial<Question>;
  const isQuestion = [id, from, question].every((part) => typeof part === "string") && Array.isArray(args);
  return isQuestion ? (message as Question) : null;
}

function readAnswer(message: unknown): Answer | null {
  const { id, answer } = (message ?? {}) as Partial<Answer>;
  return typeof id === "string" && answer !== undefined ? { id, answer } : null;
}

function ignore(): void {}
