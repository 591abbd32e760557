import type { Refusal, RefusalCode } from "./commands.ts";

export function accept<T extends object>(fields: T): { readonly ok: true } & T {
  return { ok: true, ...fields };
}

/** A mistake of the caller that a rule noticed before it wrote anything: the state is as it was. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}

export function refuse(code: RefusalCode): Refusal {
  return { ok: false, code };
}
