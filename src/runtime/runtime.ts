/** Where players reach one port of a lobby. */
interface LobbyPort {
  readonly hostname: string;
  readonly port: number;
  readonly isTls: boolean;
  /** Undefined: an earlier Foyer started the server and did not write it down. */
  readonly protocol?: string;
  /** Players reach it through the gateway, which connects to this port on the machine of the lobby. */
  readonly routing?: "gateway";
  /** The address of that machine on which the lobby listens for the gateway; absent: the loopback address. */
  readonly localHost?: string;
  /** Its server may begin to listen on it after it has called ready. */
  readonly isLazy?: true;
}

export type LobbyPorts = Readonly<Record<string, LobbyPort>>;

/** What a lobby server runs. */
export type Program = ProcessProgram | DockerProgram;

/** A program that Foyer starts on its own machine. */
export interface ProcessProgram {
  readonly kind: "process";
  readonly command: string;
  readonly args: readonly string[];
  /** Null: the folder that the driver creates for this lobby. */
  readonly cwd: string | null;
}

/** A container that Foyer starts with the container engine of its machine. */
export interface DockerProgram {
  readonly kind: "docker";
  /** What the version says; which image that is was decided when the version was first started. */
  readonly image: string;
  readonly versionId: string;
  /** Null: the image's own. */
  readonly command: string | null;
  /** Null: the image's own. */
  readonly args: readonly string[] | null;
  readonly network: "bridge" | "host";
  readonly memoryMib: number;
  /** Null: as many as the machine has. */
  readonly cpus: number | null;
  readonly pids: number;
  readonly pull: "missing" | "never" | "always";
  readonly isReadOnly: boolean;
  /** Null: the image's own. */
  readonly user: string | null;
}

/** Everything a driver needs to start one lobby server. The kind of its program says which driver starts it. */
export interface LobbyToStart<P extends Program = Program> {
  readonly lobbyId: string;
  readonly namespaceId: string;
  readonly program: P;
  /** The version's own variables and those of the contract, without the ports, which the driver chooses. */
  readonly env: Readonly<Record<string, string>>;
  /** Protocol by label; each gets a port of its own. */
  readonly ports: Readonly<
    Record<string, { readonly protocol: string; readonly routing?: string; readonly lazy?: true }>
  >;
}

/** How a lobby server ended. Both are null when the service did not see the end, for example during its restart. */
export interface LobbyExit {
  readonly code: number | null;
  readonly signal: string | null;
  /** The system ended the server because it used too much memory. Absent: not known. */
  readonly isOutOfMemory?: boolean;
  /** The memory that its container may use. */
  readonly memoryMib?: number;
}

/** A port of a lobby server on which nothing listens. */
export interface UnansweredPort {
  readonly label: string;
  readonly port: number;
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
  /** Tries each TCP port of the server once that is not lazy, and returns those where nothing listens. Null: no such server runs. */
  unansweredPorts(lobbyId: string): Promise<readonly UnansweredPort[] | null>;
  /** After a restart of the service: takes over a server that an earlier process started. Null: it has ended. */
  adopt(lobbyId: string, namespaceId: string): Promise<LobbyPorts | null>;
  /** Calls back for every server that ends without being asked to. */
  onExit(listener: (lobbyId: string, exit: LobbyExit) => void): void;
  /** Stops watching. The servers keep running. */
  close(): Promise<void>;
}

/** A driver: the part of the runtime that knows one kind of program. Answers null for lobbies that another driver runs. */
export interface Driver<P extends Program>
  extends Pick<Runtime, "stop" | "list" | "unansweredPorts" | "adopt" | "close"> {
  start(lobby: LobbyToStart<P>): Promise<LobbyPorts>;
}

/**
 * Why a server was not started, as a text for the operator. It names the program or folder as the version does, but no
 * folder of the machine and no value of a variable.
 */
export class LobbyNotStarted extends Error {
  override readonly name = "LobbyNotStarted";
  /** The machine has no free slot, which says nothing about the lobby's version. */
  readonly isShortage: boolean;

  constructor(message: string, more: { readonly cause?: unknown; readonly isShortage?: boolean } = {}) {
    super(message, more.cause === undefined ? {} : { cause: more.cause });
    this.isShortage = more.isShortage ?? false;
  }
}
