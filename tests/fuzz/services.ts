import { join } from "node:path";
import { type Server, startServer } from "../support/server.ts";

/** The service under fuzz: no limit per minute, real processes for some lobbies, and no container engine. */
export function startFuzzed(dataDir: string, flags: readonly string[] = []): Promise<Server> {
  const limits = ["--rate-wrong-codes=0", "--rate-wrong-codes-namespace=0", "--max-event-streams=1000"];
  const crowd = [
    "--max-in-flight-per-address=10000",
    "--max-connections-per-address=10000",
    "--max-watches-per-client=1000",
  ];
  const lobbies = ["--process-trust=cloud", "--max-lobby-processes=4", "--find-wait-s=5", "--lobby-stop-grace-s=0"];
  const engine = [`--docker-socket=${join(dataDir, "no.sock")}`, "--docker-wait-s=1"];
  return startServer(dataDir, [...limits, ...crowd, ...lobbies, ...engine, ...flags], {
    FOYER_SECRET: "s".repeat(32),
  });
}
