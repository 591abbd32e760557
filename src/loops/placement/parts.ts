import type { Engine } from "../../engine/engine.ts";
import type { Logger } from "../../ground/log.ts";
import type { LobbyView } from "../../matchmaker/commands.ts";
import type { Nodes } from "../../nodes/nodes.ts";

/** What assigning lobbies needs. */
export interface PlaceParts {
  readonly engine: Engine;
  readonly nodes: Nodes;
  readonly log: Logger;
  now(): number;
  /** The build that a node must have before it gets the lobby; null: any node may run it. */
  buildOf(namespaceId: string, lobby: LobbyView): Promise<string | null>;
}
