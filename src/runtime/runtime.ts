/** Where players reach one port of a lobby. */
interface LobbyPort {
  readonly hostname: string;
  readonly port: number;
  readonly isTls: boolean;
}

export type LobbyPorts = Readonly<Record<string, LobbyPort>>;

/** Everything a driver needs to start one lobby server. */
export interface LobbyToStart {
  readonly lobbyId: string;
  readonly namespaceId: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Null: the folder that the driver makes for this lobby alone. */
  readonly cwd: string | null;
  /** The version's own variables and those of the contract, without the ports, which the driver chooses. */
  readonly env: Readonly<Record<string, string>>;
  /** Protocol by label; each gets a port of its own. */
  readonly ports: Readonly<Record<string, { readonly protocol: string }>>;
}

/** How a lobby server ended. Both are null when nobody could watch it end, as after a restart of the service. */
export interface LobbyExit {
  readonly code: number | null;
  readonly signal: string | null;
}

export type LogStream = "stdout" | "stderr";

/** Takes secrets out of a text. It knows them by how they look, so it has to see them whole. */
export type Hide = (text: string) => string;

/** The newest part of what a server has written. */
export interface LobbyLog {
  readonly text: string;
  /** There was more before it. */
  readonly isTruncated: boolean;
}

/** Some of what a server has written. Places are counted in bytes from the first one ever written. */
export interface LogPiece {
  readonly bytes: Buffer;
  /** Where the piece begins, which is later than asked for when that is not kept any more. */
  readonly start: number;
  /** Where what is kept begins. */
  readonly first: number;
  /** Where everything written so far ends. */
  readonly end: number;
}

/** Starts, stops and watches lobby servers. A driver knows nothing of seats; the matchmaker nothing of processes. */
export interface Runtime {
  /** Resolves when the server runs, which is before it is ready. Rejects with a LobbyNotStarted when it cannot be started. */
  start(lobby: LobbyToStart): Promise<LobbyPorts>;
  /** Resolves when the server is gone, with how it ended. Null: it was not there, which is no fault. */
  stop(lobbyId: string): Promise<LobbyExit | null>;
  /** The lobbies whose servers run now. */
  list(): Promise<readonly string[]>;
  /** Whether the server may still write something. */
  isRunning(lobbyId: string): boolean;
  /** How a server ended that was there not long ago; null: it runs, or nobody remembers. */
  exitOf(lobbyId: string): LobbyExit | null;
  /** How many more servers may be started now. */
  room(): number;
  /**
   * What the server has written, at most that many bytes from the end, as `hide` lets it be seen. Empty when nothing is
   * kept of it.
   */
  logs(lobbyId: string, stream: LogStream, maxBytes: number, hide: Hide): Promise<LobbyLog>;
  /** What the server has written from that place on, at most that many bytes. */
  logPiece(lobbyId: string, stream: LogStream, from: number, maxBytes: number): Promise<LogPiece>;
  /** After a restart of the service: takes a server over that an earlier process started. Null: it is gone. */
  adopt(lobbyId: string, namespaceId: string): Promise<LobbyPorts | null>;
  /** Tells of every server that ends without having been asked to. */
  onExit(listener: (lobbyId: string, exit: LobbyExit) => void): void;
  /** Stops watching. The servers run on. */
  close(): Promise<void>;
}

/** Why a server was not started, in words for the operator; they name no path, program or variable's value. */
export class LobbyNotStarted extends Error {
  override readonly name = "LobbyNotStarted";
  /** The machine has no room for it, which says nothing about the lobby's version. */
  readonly isShortage: boolean;

  constructor(message: string, more: { readonly cause?: unknown; readonly isShortage?: boolean } = {}) {
    super(message, more.cause === undefined ? {} : { cause: more.cause });
    this.isShortage = more.isShortage ?? false;
  }
}
