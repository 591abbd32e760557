import { readLastLine } from "../../ground/plain-line.ts";
import { redact } from "../../ground/redact.ts";
import type { Runtime } from "../../runtime/runtime.ts";

/** Enough for what runtimes write after the error itself, such as the native frames of V8. */
const readBytes = 16 * 1024;
const keptCharacters = 4096;

/** What the server wrote last, without tokens, in case the program printed its own. */
export async function readLastLines(runtime: Runtime, lobbyId: string): Promise<string> {
  const streams = ["stderr", "stdout"] as const;
  for (const stream of streams) {
    const { text } = await runtime.logs(lobbyId, stream, readBytes, redact).catch(() => ({ text: "" }));
    if (text.trim() !== "") return text;
  }
  return "";
}

/** The part of it that is kept with the lobby. */
export function keptPart(output: string): string {
  return output.slice(-keptCharacters).replace(/^[\udc00-\udfff]/, "");
}

/** The last line of it, fit for a terminal. */
export async function readLastOutput(runtime: Runtime, lobbyId: string): Promise<string> {
  return readLastLine(await readLastLines(runtime, lobbyId));
}
