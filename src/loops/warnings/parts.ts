import type { Engine } from "../../engine/engine.ts";
import type { Logger } from "../../ground/log.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { OwnLobbies } from "../servers/own-lobbies.ts";

/** What warnings about lobbies need. */
export interface WarningParts {
  readonly engine: Engine;
  readonly runtime: Runtime;
  readonly log: Logger;
  readonly ownLobbies: OwnLobbies;
  now(): number;
  /** Whether this node speaks for lobbies that no node runs. */
  hasLease(): boolean;
}
