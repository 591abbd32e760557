import type { RedisLink } from "../engine/redis/link.ts";

/** Lets one node ask the others for what only one of them has, such as the log of a lobby on its machine. */
export interface NodeCalls {
  /** The first answer that is not null; null: nobody had one, or nobody answered in time. */
  ask(question: string, args: readonly unknown[]): Promise<unknown>;
}

export interface NodeCallsOptions {
  readonly link: RedisLink;
  readonly prefix: string;
  readonly nodeId: string;
  newId(): string;
  /** How many other nodes are up: when all of them have said no, there is nothing to wait for. */
  othersAlive(): number;
  /** Answers the others; null: this node does not know. What it gives must survive JSON. */
  answer(question: string, args: readonly unknown[]): Promise<unknown>;
  onFault(fault: unknown): void;
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

/** Over Redis' publish and subscribe, so nodes need not reach one another. An answer that is lost is an answer of nobody. */
export async function createNodeCalls(options: NodeCallsOptions): Promise<NodeCalls> {
  const { link, prefix, nodeId } = options;
  const everyone = `${prefix}:questions`;
  const answersTo = (node: string) => `${prefix}:answers:${node}`;
  const open = new Map<string, (answer: unknown) => void>();

  async function hear(text: string): Promise<void> {
    // Border: nodes of one installation write these.
    const { id, from, question, args } = JSON.parse(text) as Question;
    if (from === nodeId) return;
    const answer = await options.answer(question, args);
    await link.call("PUBLISH", answersTo(from), [JSON.stringify({ id, answer } satisfies Answer)]);
  }

  await link.subscribe(everyone, (text) => void hear(text).catch(options.onFault), ignore);
  await link.subscribe(
    answersTo(nodeId),
    (text) => {
      const { id, answer } = JSON.parse(text) as Answer;
      open.get(id)?.(answer);
    },
    ignore,
  );

  return {
    async ask(question, args) {
      const id = options.newId();
      let left = options.othersAlive();
      if (left === 0) return null;
      const answered = new Promise<unknown>((resolve) => {
        const timer = setTimeout(() => resolve(null), answerMs);
        open.set(id, (answer) => {
          left -= 1;
          if (answer === null && left > 0) return;
          clearTimeout(timer);
          resolve(answer);
        });
      });
      try {
        await link.call("PUBLISH", everyone, [JSON.stringify({ id, from: nodeId, question, args } satisfies Question)]);
        return await answered;
      } finally {
        open.delete(id);
      }
    },
  };
}

function ignore(): void {}
