import type { Logger } from "../../ground/log.ts";
import type { ServerParts } from "../server-parts.ts";
import type { Containers } from "./containers.ts";
import type { Engine } from "./engine.ts";
import type { Owner } from "./owner.ts";
import type { Backoff } from "./patience.ts";

/** Which image a version runs: decided once, the same on every node, so that a rollback runs the old image. */
export interface RecordedImage {
  readonly imageId: string;
  /** The image in its registry, such as registry.example.com/game@sha256:…; null: it is in none. */
  readonly digest: string | null;
}

export interface ImageRecords {
  find(versionId: string, image: string): Promise<RecordedImage | null>;
  /** Records the image unless there is a record already. Resolves with the record that is valid. */
  record(versionId: string, image: string, found: RecordedImage): Promise<RecordedImage>;
}

export interface ContainerMaxima {
  readonly memoryMib: number;
  readonly cpus: number;
  readonly pids: number;
}

export interface DockerOptions {
  /** False: nothing is started, but the containers of an earlier service are watched and stopped. */
  readonly isEnabled: boolean;
  readonly socket: string;
  readonly nodeId: string;
  readonly images: ImageRecords;
  /** Whether the settings of the service allow the image; null: they do. Else what is wrong, as the end of a sentence. */
  findImageIssue(image: string): string | null;
  /** What a version may ask for at most; one from before they were set gets no more. */
  readonly maxima: ContainerMaxima;
  readonly log: Pick<Logger, "warn" | "info">;
  /** How long a start, a stop and the start of the service wait for an engine that does not answer. */
  readonly waitMs: number;
  readonly pullWithinMs: number;
  /** How often the containers are compared with what the engine says, besides its events. */
  readonly syncEveryMs: number;
  /** The pauses between attempts to reach the engine. */
  readonly backoff: Backoff;
}

/** What the parts of this driver need. */
export interface DockerParts extends ServerParts {
  readonly docker: DockerOptions;
  readonly engine: Engine;
  readonly containers: Containers;
  /** Marks the containers of this data folder. */
  readonly owner: Owner;
}
