/** Keeps the bytes of builds, by the build's id. Whether a build exists is decided by its row, not here. */
export interface BuildArchive {
  /** Keeps a copy of the file's bytes; all of them or, after a crash, none. The file itself may be moved away. */
  put(file: string, buildId: string): Promise<void>;
  has(buildId: string): Promise<boolean>;
  /** Null: its bytes are not there. */
  read(buildId: string): Promise<AsyncIterable<Buffer> | null>;
  remove(buildId: string): Promise<void>;
  /** Removes leftovers without a row that are older than that: of deleted games, and of uploads that a crash ended. */
  removeUnknown(minAgeMs: number): Promise<void>;
}
