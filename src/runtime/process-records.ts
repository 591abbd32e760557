import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { LobbyExit, LobbyPorts } from "./runtime.ts";

/** The record of a lobby's server on disk, with which a later process of the service finds it. */
export interface ProcessRecord {
  readonly lobbyId: string;
  /** Absent: it is a process. */
  readonly kind?: "docker";
  /** The memory of a container. */
  readonly memoryMib?: number;
  /** Null: it was about to be started, or it has ended. */
  readonly pid: number | null;
  /** See readIdentity; null as long as it is not known. */
  readonly identity: string | null;
  readonly ports: LobbyPorts;
  readonly hasEnded: boolean;
  /** When its end was handled; absent in records of an earlier Foyer. */
  readonly exit?: LobbyExit;
}

export interface ProcessRecords {
  folderPath(lobbyId: string): string;
  /** Synchronous, so that nothing can happen between starting a process and recording its id. */
  write(record: ProcessRecord): void;
  /** Every lobby that has a folder. */
  readAll(): Promise<ProcessRecord[]>;
  /**
   * Removes the folders of lobbies that ended long ago, and all but the newest ones of the others that ended. Returns
   * the ended lobbies that remain, with the time of their end.
   */
  prune(endedBefore: number, keep: number): Promise<{ lobbyId: string; at: number }[]>;
}

/**
 * One folder per lobby, with its record and its logs. No sync to disk is needed: no process survives a crash of the
 * machine.
 */
export function createProcessRecords(root: string): ProcessRecords {
  mkdirSync(root, { recursive: true, mode: 0o700 });
  const folderPath = (lobbyId: string) => join(root, lobbyId);

  function read(lobbyId: string): ProcessRecord {
    try {
      // Only this file writes records.
      return JSON.parse(readFileSync(join(folderPath(lobbyId), recordName), "utf8")) as ProcessRecord;
    } catch {
      // The service ended before it wrote a record, so there was no process yet.
      return { lobbyId, pid: null, identity: null, ports: {}, hasEnded: true };
    }
  }

  return {
    folderPath,
    write(record) {
      const folder = folderPath(record.lobbyId);
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const draft = join(folder, `${recordName}.new`);
      writeFileSync(draft, JSON.stringify(record), { mode: 0o600 });
      renameSync(draft, join(folder, recordName));
    },
    async readAll() {
      const names = await readdir(root);
      return names.filter((name) => lobbyIdPattern.test(name)).map(read);
    },
    async prune(endedBefore, keep) {
      const ended: { lobbyId: string; at: number }[] = [];
      for (const { lobbyId, hasEnded } of await this.readAll()) {
        if (!hasEnded) continue;
        const at = await stat(join(folderPath(lobbyId), recordName)).then(
          ({ mtimeMs }) => mtimeMs,
          () => 0,
        );
        ended.push({ lobbyId, at });
      }
      ended.sort((a, b) => b.at - a.at);
      const isKept = ({ at }: { at: number }, index: number) => index < keep && at >= endedBefore;
      for (const [index, lobby] of ended.entries()) {
        if (!isKept(lobby, index)) await rm(folderPath(lobby.lobbyId), { recursive: true, force: true });
      }
      return ended.filter(isKept);
    },
  };
}

const recordName = "process.json";
const lobbyIdPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
