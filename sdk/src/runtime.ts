/** What Node, Bun and Deno have and browsers do not, without an import that would exclude one of them. */
interface ServerProcess {
  readonly env: Readonly<Record<string, string | undefined>>;
  on(signal: string, listener: () => void): unknown;
  off(signal: string, listener: () => void): unknown;
  exit(code: number): never;
}

const { process } = globalThis as { process?: ServerProcess };
const signals = ["SIGTERM", "SIGINT"];

export function readEnv(): Readonly<Record<string, string | undefined>> {
  return process?.env ?? {};
}

/** Calls back once for the first signal that asks the process to end, and then ends it. The result stops listening. */
export function onStopSignal(stop: () => Promise<void>): () => void {
  const listener = () => {
    stopListening();
    void stop().finally(() => process?.exit(0));
  };
  const stopListening = () => {
    for (const signal of signals) process?.off(signal, listener);
  };
  for (const signal of signals) process?.on(signal, listener);
  return stopListening;
}
