import { randomUUID } from "node:crypto";
import type { Answer, GameAtHand, Service } from "../support/harness.ts";
import { archive } from "../support/tar.ts";

/** An archive that no other test has. */
export function someArchive(): Buffer {
  return archive([{ name: "server.js", content: `play("${randomUUID()}");\n` }]);
}

export interface UploadOptions {
  readonly bytes?: Buffer;
  readonly token?: string;
  /** Without the question mark. */
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string | null>>;
}

export function uploadBuild(service: Service, game: GameAtHand, options: UploadOptions = {}): Promise<Answer> {
  const { bytes = someArchive(), token = service.adminToken, query, headers } = options;
  return service.request("POST", `${game.path}/builds${query === undefined ? "" : `?${query}`}`, {
    token,
    rawBody: bytes,
    headers: { "content-type": "application/gzip", ...headers },
  });
}
