import type { LobbyExit, LobbyPorts, LobbyToStart, Runtime, UnansweredPort } from "../../src/runtime/runtime.ts";

/** A driver in this process: it runs nothing, notes what it is asked, and lets the test play the lobby server. */
export interface FakeRuntime extends Runtime {
  /** Everything that was started, in order. */
  readonly starts: LobbyToStart[];
  /** Every lobby whose server was to be stopped. */
  readonly stops: string[];
  /** What happens while a server starts; a rejection is a server that cannot be started. */
  whileStarting: (lobby: LobbyToStart) => Promise<void>;
  /** What a server does once it runs. It may fail: a pool may be filled up while the service stops. */
  onceStarted: (lobby: LobbyToStart) => unknown;
  /** What each server has written to its standard output. */
  readonly outputs: Map<string, string>;
  /** The ports of each server on which nothing listens. */
  readonly unanswered: Map<string, readonly UnansweredPort[]>;
  /** The port of a label; by default the same label has the same port in every lobby, and nothing listens there. */
  choosePort: (lobby: LobbyToStart, label: string, index: number) => number;
  /** Ends a server by itself, without a stop. */
  exit(lobbyId: string, exit?: LobbyExit): void;
  startOf(lobbyId: string): LobbyToStart;
}

export function createFakeRuntime(): FakeRuntime {
  const running = new Set<string>();
  const starts: LobbyToStart[] = [];
  const stops: string[] = [];
  const outputs = new Map<string, string>();
  const unanswered = new Map<string, readonly UnansweredPort[]>();
  let tell: (lobbyId: string, exit: LobbyExit) => void = () => {};

  const runtime: FakeRuntime = {
    starts,
    stops,
    outputs,
    unanswered,
    whileStarting: async () => {},
    onceStarted: () => {},
    choosePort: (_lobby, _label, index) => 20_000 + index,
    async start(lobby) {
      starts.push(lobby);
      await runtime.whileStarting(lobby);
      running.add(lobby.lobbyId);
      setImmediate(() => void Promise.resolve(runtime.onceStarted(lobby)).catch(() => undefined));
      return portsOf(lobby, runtime.choosePort);
    },
    async stop(lobbyId) {
      stops.push(lobbyId);
      running.delete(lobbyId);
      return null;
    },
    isRunning: (lobbyId) => running.has(lobbyId),
    exitOf: () => null,
    list: async () => [...running],
    room: () => Number.POSITIVE_INFINITY,
    logs: async (lobbyId, stream, _maxBytes, hide) => ({
      text: stream === "stdout" ? hide(outputs.get(lobbyId) ?? "") : "",
      isTruncated: false,
    }),
    logPiece: async () => ({ bytes: Buffer.alloc(0), start: 0, first: 0, end: 0 }),
    unansweredPorts: async (lobbyId) => (running.has(lobbyId) ? (unanswered.get(lobbyId) ?? []) : null),
    adopt: async (lobbyId) => (running.has(lobbyId) ? portsOf(runtime.startOf(lobbyId), runtime.choosePort) : null),
    close: async () => {},
    onExit(listener) {
      tell = listener;
    },
    exit(lobbyId, exit = { code: 1, signal: null }) {
      running.delete(lobbyId);
      tell(lobbyId, exit);
    },
    startOf(lobbyId) {
      const start = starts.find((each) => each.lobbyId === lobbyId);
      if (!start) throw new Error(`Lobby ${lobbyId} was not started.`);
      return start;
    },
  };
  return runtime;
}

function portsOf(lobby: LobbyToStart, choosePort: FakeRuntime["choosePort"]): LobbyPorts {
  const labels = Object.entries(lobby.ports);
  return Object.fromEntries(
    labels.map(([label, { protocol, routing }], index) => {
      const isTls = ["https", "wss", "tls"].includes(protocol);
      const routed = routing === "gateway" && ({ routing } as const);
      return [label, { hostname: "127.0.0.1", port: choosePort(lobby, label, index), isTls, protocol, ...routed }];
    }),
  );
}
