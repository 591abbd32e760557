#!/usr/bin/env node
import { run } from "./run.ts";
import { standardTerminal } from "./terminal.ts";

// Exits explicitly: a forgotten connection or timer must not keep a stopped service alive.
process.exit(await run(process.argv.slice(2), standardTerminal()));
