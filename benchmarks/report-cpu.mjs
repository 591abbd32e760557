import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

// Loaded into every server under test: it tells the benchmark how much processor time its own process has used, and how large
// its heap is after a collection.
process.on("message", (message) => {
  if (message === "cpu") process.send(process.cpuUsage());
  if (message === "heap") {
    setFlagsFromString("--expose-gc");
    runInNewContext("gc")();
    process.send(process.memoryUsage());
  }
});
// A benchmark that was interrupted must not leave its servers running.
process.on("disconnect", () => process.exit());
process.channel?.unref();
