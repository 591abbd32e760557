import type { RedisLink, Script } from "../../redis/interface.ts";
import type { WrittenAnswer } from "./read-outcomes.ts";
import { commandScripts } from "./scripts.ts";

/** What a script answers to a command or a query: the position of its last event, the answer, Redis' time. */
type Reply = readonly [position: string, answer: WrittenAnswer, redisNow: number];

/** One command for a script. */
export interface Sent {
  readonly script: Script;
  readonly key: string;
  readonly args: readonly string[];
  /** When its caller gives up. */
  readonly giveUpAt: number;
  /** It takes long by itself. */
  readonly isLong: boolean;
}

/** What players cause, each time little. */
const together: ReadonlySet<Script> = new Set([
  commandScripts.find,
  commandScripts.join,
  commandScripts.connectPlayer,
  commandScripts.disconnectPlayer,
]);

/** So many at most in one run, so that no other namespace waits for long. */
export const commandsMax = 32;
/** With so many runs under way Redis always has the next one; more would only keep it from answering in between. */
const runsMax = 2;
/**
 * Redis does not answer: a command that has waited this long for a run to end is sent anyway, and retried like any
 * other.
 */
const waitMaxMs = 100;

interface Waiting {
  readonly args: readonly string[];
  readonly giveUpAt: number;
  resolve(reply: Reply): void;
  reject(error: unknown): void;
}

/** The commands for one script and one namespace. */
interface Queue {
  readonly script: Script;
  readonly key: string;
  commands: Waiting[];
  runs: number;
  timer: NodeJS.Timeout | undefined;
}

/**
 * Runs scripts. Players' commands for one script and one namespace run together when they are sent in the same turn of
 * the event loop, or while earlier ones are under way. They are decided one after the other as ever, but the script
 * begins once, and writes the changes and events of all of them once, which is more than half of its work
 * (docs/decisions/0017).
 */
export function createBatches(link: RedisLink): (sent: Sent) => Promise<Reply> {
  const queues = new Map<string, Queue>();

  function findQueue(script: Script, key: string): Queue {
    const name = toQueueName({ script, key });
    const queue = queues.get(name) ?? { script, key, commands: [], runs: 0, timer: undefined };
    queues.set(name, queue);
    return queue;
  }

  /** Drops an idle queue, because namespaces change. */
  function forgetIfIdle(queue: Queue): void {
    const isIdle = queue.runs === 0 && queue.commands.length === 0;
    if (isIdle && queues.get(toQueueName(queue)) === queue) queues.delete(toQueueName(queue));
  }

  function sendSome(queue: Queue): void {
    while (queue.commands.length > 0 && queue.runs < runsMax) run(queue);
    clearTimeout(queue.timer);
    queue.timer = undefined;
    if (queue.commands.length > 0) waitForTurn(queue);
    forgetIfIdle(queue);
  }

  function waitForTurn(queue: Queue): void {
    queue.timer ??= setTimeout(() => {
      queue.timer = undefined;
      while (queue.commands.length > 0) run(queue);
    }, waitMaxMs);
  }

  function run(queue: Queue): void {
    const commands = queue.commands.splice(0, commandsMax);
    const args = commands.length === 1 ? commands[0]!.args : joinArgs(commands);
    // Each command carries its own deadline to the script, so that waiting for the last one lets none happen too late.
    const giveUpAt = Math.max(...commands.map((command) => command.giveUpAt));
    queue.runs += 1;
    link
      .run(queue.script, queue.key, args, giveUpAt)
      .then(
        (reply) => {
          const [position, answer, redisNow] = reply as Reply;
          if (commands.length === 1) return commands[0]!.resolve([position, answer, redisNow]);
          const [, ...answers] = answer as unknown as readonly ["ALL", ...WrittenAnswer[]];
          for (const [at, command] of commands.entries()) command.resolve([position, answers[at]!, redisNow]);
        },
        (error: unknown) => {
          for (const command of commands) command.reject(error);
        },
      )
      // The answer cannot be read; commands that were already answered are not affected.
      .catch((error: unknown) => {
        for (const command of commands) command.reject(error);
      })
      .finally(() => {
        queue.runs -= 1;
        sendSome(queue);
      });
  }

  return ({ script, key, args, giveUpAt, isLong }) => {
    // The cast is safe: only Foyer's own scripts answer. A long command runs alone, so that the others do not wait for
    // it.
    if (isLong || !together.has(script)) return link.run(script, key, args, giveUpAt) as Promise<Reply>;
    return new Promise((resolve, reject) => {
      const queue = findQueue(script, key);
      queue.commands.push({ args, giveUpAt, resolve, reject });
      if (queue.runs >= runsMax) waitForTurn(queue);
      else if (queue.commands.length === 1) setImmediate(sendSome, queue);
    });
  };
}

/** How many arguments each command has in a script. */
export const argsPerCommand = 11;

/** Where those are that many commands have in common. One that is the same as the command's before is not sent again. */
const sharedAt: ReadonlySet<number> = new Set([3, 4, 10]);

function joinArgs(commands: readonly Waiting[]): string[] {
  return commands.flatMap(({ args }, place) => {
    const before = commands[place - 1]?.args;
    return args.map((arg, at) => (sharedAt.has(at) && arg !== "" && arg === before?.[at] ? "=" : arg));
  });
}

function toQueueName({ script, key }: Pick<Queue, "script" | "key">): string {
  return `${script.sha} ${key}`;
}
