// A lobby of the burst. It ends by itself, also when the benchmark was interrupted.
import "../ready-lobby.mjs";

setTimeout(() => process.exit(), 180_000);
