import { StoreUnavailable } from "../ground/unavailable.ts";

/**
 * Turns a driver's error into StoreUnavailable if waiting may help; returns every other error unchanged. `isUndone`:
 * the statement was a rollback or a read, so whatever the error, nothing was changed.
 */
export function toStoreError(error: unknown, { isUndone = false } = {}): unknown {
  const reason = unavailableReason(error);
  if (reason === null) return error;
  const message = `The database is unavailable: ${reason}.`;
  return new StoreUnavailable(message, { cause: error, isUndone: isUndone || isRefusedByServer(error) });
}

/** False: a change that failed with this error was not made. */
export function mayHaveHappened(error: unknown): boolean {
  if (error instanceof StoreUnavailable) return !error.isUndone;
  return !isRefusedByServer(error);
}

/** PostgreSQL undoes a statement that fails with severity ERROR; after a more severe error the outcome is unknown. */
function isRefusedByServer(error: unknown): boolean {
  return error instanceof Error && "severity" in error && error.severity === "ERROR";
}

export function isForeignKeyViolation(error: unknown): boolean {
  const { code, errcode } = fields(error);
  return code === "23503" || errcode === 787;
}

/** The database undid the whole statement because of another one: a deadlock or a serialization failure. */
export function isLostRace(error: unknown): boolean {
  if (!(error instanceof StoreUnavailable)) return false;
  const { code } = fields(error.cause);
  return code === "40P01" || code === "40001";
}

/** The file is not an SQLite database, or it is corrupt. */
export function isDamaged(error: unknown): boolean {
  const { errcode } = fields(error);
  return errcode !== null && (primaryCode(errcode) === 11 || primaryCode(errcode) === 26);
}

// SQLite's primary result codes: busy, locked, out of memory, read-only, I/O error, full, cannot open, protocol.
const sqliteUnavailable = new Set([5, 6, 7, 8, 10, 13, 14, 15]);

// PostgreSQL's classes 08 (connection), 53 (resources), and single codes: shutting down, crashed, starting up, idle
// time-outs, cancelled by a time-out, lock not available, serialization failure, deadlock, a replica after failover.
const postgresUnavailableClasses = ["08", "53"];
const postgresUnavailable = new Set([
  "57P01",
  "57P02",
  "57P03",
  "57P04",
  "57P05",
  "57014",
  "25P03",
  "25006",
  "55P03",
  "40001",
  "40P01",
  "58030",
]);

const networkUnavailable = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ECONNABORTED",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "EHOSTDOWN",
  "ENETUNREACH",
  "ENETDOWN",
  "EMFILE",
  "ENFILE",
]);

// The pg package reports these without any code.
const uncodedConnectionError = /connection terminated|timeout|not queryable|pool after calling end|connection error/i;

function unavailableReason(error: unknown): string | null {
  if (!(error instanceof Error) || error instanceof StoreUnavailable) return null;
  const { code, errcode, syscall } = fields(error);
  if (errcode !== null) return sqliteUnavailable.has(primaryCode(errcode)) ? error.message : null;
  if (code === null) return uncodedConnectionError.test(error.message) ? error.message : null;
  if (code === "ERR_INVALID_STATE") return "it is closed";
  if (networkUnavailable.has(code)) return code;
  // A missing UNIX socket means that the server is not running.
  if (syscall === "connect") return code;
  if (code.length !== 5) return null;
  // PostgreSQL ends the session with such an error: there was no connection, or it is closed.
  if ("severity" in error && (error.severity === "FATAL" || error.severity === "PANIC"))
    return `${error.message} (${code})`;
  if (postgresUnavailable.has(code) || postgresUnavailableClasses.includes(code.slice(0, 2))) {
    return `${error.message} (${code})`;
  }
  return null;
}

function primaryCode(errcode: number): number {
  return errcode & 0xff;
}

function fields(error: unknown): { code: string | null; errcode: number | null; syscall: string | null } {
  if (!(error instanceof Error)) return { code: null, errcode: null, syscall: null };
  return {
    code: "code" in error && typeof error.code === "string" ? error.code : null,
    errcode: "errcode" in error && typeof error.errcode === "number" ? error.errcode : null,
    syscall: "syscall" in error && typeof error.syscall === "string" ? error.syscall : null,
  };
}
