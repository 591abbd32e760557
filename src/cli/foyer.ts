#!/usr/bin/env node
import { setFlagsFromString } from "node:v8";
import { run } from "./run.ts";
import { standardTerminal } from "./terminal.ts";

// V8 would allocate new sockets directly in the old generation after a while. Minor collections do not free them there, and
// copy all that they refer to, for connections that have long been closed (docs/decisions/0018).
setFlagsFromString("--no-allocation-site-pretenuring");

// Exits explicitly: a forgotten connection or timer must not keep a stopped service alive.
process.exit(await run(process.argv.slice(2), standardTerminal()));
