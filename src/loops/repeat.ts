/** Runs a task at once and then again and again with a pause between, never twice at the same time. */
export function repeat(pauseMs: number, task: () => Promise<unknown>, onError: (error: unknown) => void) {
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running = run();

  async function run(): Promise<void> {
    try {
      await task();
    } catch (error) {
      onError(error);
    }
    if (isStopped) return;
    timer = setTimeout(() => {
      running = run();
    }, pauseMs).unref();
  }

  return {
    /** Resolves when a run that is under way has ended. */
    async stop(): Promise<void> {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
