import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";
import { basename, join, relative } from "node:path";

/**
 * Looks for tokens that tests issued in everything they left below the folder: logs, databases, reports.
 * Returns how many tokens and files were compared, and each file where a token was found.
 */
export function findLeaks(folder) {
  const issuedFile = join(folder, "issued-tokens.txt");
  const lines = existsSync(issuedFile) ? readFileSync(issuedFile, "utf8").split("\n") : [];
  const tokens = [...new Set(lines.filter(Boolean))];
  const search = tokenSearch(tokens);
  const files = filesBelow(folder).filter((file) => file !== issuedFile && basename(file) !== "admin-token");
  const leaks = files.flatMap((file) => {
    const found = new Set();
    for (const chunk of readChunks(file)) for (const token of search(chunk)) found.add(token);
    // Only the kind is named: a report of leaked tokens must not leak them.
    return [...found].map((token) => `${relative(folder, file)} contains ${describeToken(token)}`);
  });
  return { tokenCount: tokens.length, fileCount: files.length, leaks };
}

const kindPattern = /(?:admin|cloud|pub|devplayer|dev|server|lobby|player|session|signin)_/g;

/**
 * There may be a hundred thousand tokens, and the files are large. Tokens of one kind have few lengths, so wherever
 * a kind is named, a piece of each such length is looked up; what follows the token in the file does not matter.
 */
function tokenSearch(tokens) {
  const known = new Set(tokens);
  const lengthsByKind = new Map();
  const odd = [];
  for (const token of tokens) {
    const kind = token.match(kindPattern)?.[0];
    if (kind === undefined || !token.startsWith(kind)) odd.push(token);
    else lengthsByKind.set(kind, (lengthsByKind.get(kind) ?? new Set()).add(token.length));
  }
  return (text) => {
    const found = odd.filter((token) => text.includes(token));
    for (const { index, 0: kind } of text.matchAll(kindPattern)) {
      for (const length of lengthsByKind.get(kind) ?? []) {
        const piece = text.slice(index, index + length);
        if (known.has(piece)) found.push(piece);
      }
    }
    return found;
  };
}

function describeToken(token) {
  const kind = token.match(kindPattern)?.[0];
  return kind !== undefined && token.startsWith(kind) ? `a ${kind.slice(0, -1)} token` : "a configured token";
}

/** Pieces that overlap by more than the longest token, so that every token is whole in one of them. */
function* readChunks(file) {
  const size = 8 * 1024 * 1024;
  const overlap = 4096;
  const descriptor = openSync(file, "r");
  try {
    const buffer = Buffer.alloc(size);
    for (let position = 0; ; position += size - overlap) {
      const count = readSync(descriptor, buffer, 0, size, position);
      yield buffer.toString("latin1", 0, count);
      if (count < size) return;
    }
  } finally {
    closeSync(descriptor);
  }
}

function filesBelow(folder) {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}
