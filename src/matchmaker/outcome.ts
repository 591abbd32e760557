import type { Refusal, RefusalCode } from "./commands.ts";

export function accept<T extends object>(fields: T): { readonly ok: true } & T {
  return { ok: true, ...fields };
}

export function refuse(code: RefusalCode): Refusal {
  return { ok: false, code };
}
