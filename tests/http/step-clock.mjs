import { isMainThread } from "node:worker_threads";

/** Loaded before the service: SIGUSR2 sets the wall clock an hour ahead, and the next one back, and so on. */
const hourMs = 3_600_000;
const real = Date.now;
let stepMs = 0;
Date.now = () => real() + stepMs;
if (isMainThread) {
  process.on("SIGUSR2", () => {
    stepMs = stepMs === 0 ? hourMs : 0;
    process.stderr.write(`the wall clock is ${stepMs} ms ahead\n`);
  });
}
