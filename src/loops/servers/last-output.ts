import { readLastLine } from "../../ground/plain-line.ts";
import { redact } from "../../ground/redact.ts";
import type { Runtime } from "../../runtime/runtime.ts";

const keptLogBytes = 4096;

/** What the server wrote last, without tokens, in case the program printed its own. */
export async function readLastLines(runtime: Runtime, lobbyId: string): Promise<string> {
  const streams = ["stderr", "stdout"] as const;
  for (const stream of streams) {
    const { text } = await runtime.logs(lobbyId, stream, keptLogBytes, redact).catch(() => ({ text: "" }));
    if (text.trim() !== "") return text;
  }
  return "";
}

/** The last line of it, fit for a terminal. */
export async function readLastOutput(runtime: Runtime, lobbyId: string): Promise<string> {
  return readLastLine(await readLastLines(runtime, lobbyId));
}
