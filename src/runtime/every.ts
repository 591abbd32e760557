/** Repeats a task. A failed task is repeated at the next interval: a full disk must not end the service. */
export function every(ms: number, task: () => Promise<unknown>): NodeJS.Timeout {
  let isBusy = false;
  return setInterval(async () => {
    if (isBusy) return;
    isBusy = true;
    await task().catch(() => undefined);
    isBusy = false;
  }, ms).unref();
}
