#!/usr/bin/env -S node --max-semi-space-size=32
import { run } from "./run.ts";
import { standardTerminal } from "./terminal.ts";

// Exiting by hand, since a connection or timer that somebody forgot must not keep a stopped service alive.
process.exit(await run(process.argv.slice(2), standardTerminal()));
