// Loaded into every server under test: it tells the benchmark how much processor time its own process has used.
process.on("message", (message) => {
  if (message === "cpu") process.send(process.cpuUsage());
});
// A benchmark that was interrupted must not leave its servers running.
process.on("disconnect", () => process.exit());
process.channel?.unref();
