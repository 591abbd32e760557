import type { Flags } from "./flags.ts";

/** Of commands that end or replace something: they ask on a terminal, and need this elsewhere. */
export const confirmFlag: Flags = { yes: { value: null, description: "Do it without asking.", short: "y" } };
