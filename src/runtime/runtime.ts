/** Where players reach one port of a lobby. */
interface LobbyPort {
  readonly hostname: string;
  readonly port: number;
  readonly isTls: boolean;
  /** Undefined: an earlier Foyer started the server and did not write it down. */
  readonly protocol?: string;
}

export type LobbyPorts = Readonly<Record<string, LobbyPort>>;

/** Everything a driver needs to start one lobby server. */
export interface LobbyToStart {
  readonly lobbyId: string;
  readonly namespaceId: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Null: the folder that the driver creates for this lobby. */
  readonly cwd: string | null;
  /** The version's own variables and those of the contract, without the ports, which the driver chooses. */
  readonly env: Readonly<Record<string, string>>;
  /** Protocol by label; each gets a port of its own. */
  readonly ports: Readonly<Record<string, { readonly protocol: string }>>;
}

/** How a lobby server ended. Both are null when the service did not see the end, for example during its restart. */
export interface LobbyExit {
  readonly code: number | null;
  readonly signal: string | null;
}

export type LogStream = "stdout" | "stderr";

/** Removes secrets from a text. It recognises them by patterns, so it needs each of them whole. */
export type Hide = (text: string) => string;

/** The newest part of a server's output. */
export interface LobbyLog {
  readonly text: string;
  /** Whether there was earlier output. */
  readonly isTruncated: boolean;
}

/** A part of a server's output. Positions are counted in bytes from the first byte ever written. */
export interface LogPiece {
  readonly bytes: Buffer;
  /** Where the piece begins; later than requested if the requested position is no longer kept. */
  readonly start: number;
  /** Where the kept output begins. */
  readonly first: number;
  /** Where the output written so far ends. */
  readonly end: number;
}

/**
 * Starts, stops and watches lobby servers. A driver knows nothing about seats, and the matchmaker nothing about
 * processes.
 */
export interface Runtime {
  /** Resolves when the server runs, which is before it is ready. Rejects with a LobbyNotStarted when it cannot be started. */
  start(lobby: LobbyToStart): Promise<LobbyPorts>;
  /** Resolves when the server has ended, with its exit. Null: no such server ran, which is not an error. */
  stop(lobbyId: string): Promise<LobbyExit | null>;
  /** The lobbies whose servers run now. */
  list(): Promise<readonly string[]>;
  /** Whether the server may still write something. */
  isRunning(lobbyId: string): boolean;
  /** How a server ended that ran recently; null: it still runs, or its end is not known. */
  exitOf(lobbyId: string): LobbyExit | null;
  /** How many more servers may be started now. */
  room(): number;
  /** The newest output of the server, at most that many bytes, filtered by `hide`. Empty when no output is kept. */
  logs(lobbyId: string, stream: LogStream, maxBytes: number, hide: Hide): Promise<LobbyLog>;
  /** The output of the server from that position on, at most that many bytes. */
  logPiece(lobbyId: string, stream: LogStream, from: number, maxBytes: number): Promise<LogPiece>;
  /** After a restart of the service: takes over a server that an earlier process started. Null: it has ended. */
  adopt(lobbyId: string, namespaceId: string): Promise<LobbyPorts | null>;
  /** Calls back for every server that ends without being asked to. */
  onExit(listener: (lobbyId: string, exit: LobbyExit) => void): void;
  /** Stops watching. The servers keep running. */
  close(): Promise<void>;
}

/** Why a server was not started, as a text for the operator that contains no path, program or value of a variable. */
export class LobbyNotStarted extends Error {
  override readonly name = "LobbyNotStarted";
  /** The machine has no free slot, which says nothing about the lobby's version. */
  readonly isShortage: boolean;

  constructor(message: string, more: { readonly cause?: unknown; readonly isShortage?: boolean } = {}) {
    super(message, more.cause === undefined ? {} : { cause: more.cause });
    this.isShortage = more.isShortage ?? false;
  }
}
