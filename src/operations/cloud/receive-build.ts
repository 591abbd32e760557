import { DiskFull } from "../../builds/disk-space.ts";
import { InvalidBuild } from "../../builds/invalid-build.ts";
import type { ReceivedBuild } from "../../builds/receive-build.ts";
import type { RawBody } from "../../contract/define.ts";
import { uploadsMax } from "../../ground/limits.ts";
import type { Context } from "../context.ts";
import { type Refusal, refuse } from "../refusal.ts";

/** Receives and checks the archive that a client sends. `expected`: the SHA-256 that the client named. */
export async function receiveBuild(
  { builds }: Pick<Context, "builds">,
  body: RawBody,
  expected: string | null,
): Promise<ReceivedBuild | Refusal<"CLOUD_BUILD_INVALID" | "API_UNAVAILABLE">> {
  const release = builds.uploadSlots.take();
  if (release === null) {
    const message = `This node receives ${uploadsMax} builds already. Try again when one of them has arrived.`;
    return refuse("API_UNAVAILABLE", message, { retryAfterS: 10 });
  }
  try {
    const received = await builds.received.receive(body.chunks, body.declaredBytes);
    if (expected === null || expected === received.sha256) return received;
    await received.discard();
    const message = `The SHA-256 of the bytes that arrived is ${received.sha256}, not the given one. Send them again.`;
    return refuse("CLOUD_BUILD_INVALID", message);
  } catch (error) {
    if (error instanceof InvalidBuild) return refuse("CLOUD_BUILD_INVALID", error.message);
    if (!(error instanceof DiskFull)) throw error;
    const message = "The disk of the service's machine is almost full, so it takes no builds now. Free some of it.";
    return refuse("API_UNAVAILABLE", message, { retryAfterS: 60 });
  } finally {
    release();
  }
}
