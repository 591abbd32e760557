/** Where players reach one port of a lobby. */
export interface LobbyPort {
  readonly hostname: string;
  readonly port: number;
  readonly isTls: boolean;
}

/** Everything a driver needs to start one lobby server. */
export interface LobbyToStart {
  readonly lobbyId: string;
  readonly namespaceId: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The version's own variables and those of the contract, without the ports, which the driver chooses. */
  readonly env: Readonly<Record<string, string>>;
  /** Protocol by label; each gets a port of its own. */
  readonly ports: Readonly<Record<string, { readonly protocol: string }>>;
}

/** How a lobby server ended. */
export interface LobbyExit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** Starts, stops and watches lobby servers. A driver knows nothing of seats; the matchmaker nothing of processes. */
export interface Runtime {
  /** Resolves when the server runs, which is before it is ready. Rejects when it cannot be started. */
  start(lobby: LobbyToStart): Promise<Readonly<Record<string, LobbyPort>>>;
  /** Resolves when the server is gone; it is no fault if it was not there. */
  stop(lobbyId: string): Promise<void>;
  /** The lobbies whose servers run now. */
  list(): Promise<readonly string[]>;
  /** What the server has written, the newest part last. */
  logs(lobbyId: string, stream: "stdout" | "stderr"): Promise<string>;
  /** After a restart of the service: takes a server over that an earlier process started. False: it is gone. */
  adopt(lobbyId: string): Promise<boolean>;
  /** Tells of every server that ends without having been asked to. */
  onExit(listener: (lobbyId: string, exit: LobbyExit) => void): void;
}
