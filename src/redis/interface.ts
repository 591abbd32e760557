export interface Script {
  readonly name: string;
  readonly text: string;
  /** SHA-1 of the text in hexadecimal, with which Redis identifies it. */
  readonly sha: string;
}

/** One Redis, a Sentinel group or a Cluster, seen the same way. */
export interface RedisLink {
  /**
   * Runs a script on the server that has `key`. It may be sent more than once; scripts recognise a resend. `KEYS[1]` is
   * the key; scripts must not look at any further entry of KEYS. Rejects with EngineUnavailable only (bugs aside), at
   * the latest at `giveUpAt`, which is a time of `performance.now()`.
   */
  run(script: Script, key: string, args: readonly string[], giveUpAt?: number): Promise<unknown>;
  /** Namespaces may be on different servers. */
  readonly isCluster: boolean;
  /** When a command that is sent now is given up, as a time of `performance.now()`. */
  giveUpAt(): number;
  /** A plain command that is safe to repeat. */
  call(command: string, key: string, args?: readonly (string | number)[]): Promise<unknown>;
  /** At most once; `onGap` is called when messages may have been missed (reconnect). Resolves when subscribed. */
  subscribe(channel: string, onMessage: (message: string) => void, onGap: () => void): Promise<void>;
  close(): Promise<void>;
}

/** A server that accepts writes, for checking its configuration. */
export interface RedisPrimary {
  /** Host and port. */
  readonly name: string;
  ask(command: string, ...args: readonly string[]): Promise<unknown>;
}

/** A link with access to its servers. */
export interface RedisConnection extends RedisLink {
  readonly kind: "single" | "sentinel" | "cluster";
  primaries(): readonly RedisPrimary[];
  isConnected(): boolean;
}
