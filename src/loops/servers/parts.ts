import type { Engine } from "../../engine/engine.ts";
import type { Logger } from "../../ground/log.ts";
import type { LobbyView } from "../../matchmaker/commands.ts";
import type { StartGate } from "../../operations/capacity/crash-backoff.ts";
import type { LobbyExit, LobbyPorts, LobbyToStart, Runtime } from "../../runtime/runtime.ts";
import type { OwnLobbies } from "./own-lobbies.ts";

/** What the supervisor of lobby servers needs. */
export interface SuperviseParts {
  readonly engine: Engine;
  readonly runtime: Runtime;
  readonly gate: StartGate;
  readonly log: Logger;
  /** A terminal has one short line for each lobby that fails; the details are at level debug then. */
  readonly showsLines: boolean;
  readonly ownLobbies: OwnLobbies;
  now(): number;
  /** How to start the lobby; null: its version was deleted. */
  describe(namespaceId: string, lobby: LobbyView): Promise<LobbyToStart | null>;
  /** The ports in the form that lobbies store. */
  portsText(ports: LobbyPorts): string;
  /** Called when the driver counts the lobby's server, or when the server will not be started. */
  counted(lobbyId: string): void;
  /** Called with how a server ended whose lobby had ended before it, if the driver saw the end. */
  noteExit(lobbyId: string, exit: LobbyExit & { readonly message: string | null }): Promise<void>;
}
