import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { type Entry, listFiles } from "./list-files.ts";
import { padding, tarEnd, tarHeader } from "./tar.ts";

/** A package of npm in one file. */
interface Package {
  readonly fileName: string;
  readonly bytes: Buffer;
}

/** The SDK that this command itself uses. */
const folder = dirname(createRequire(import.meta.url).resolve("foyer-sdk/package.json"));

/**
 * The SDK of this version as npm packs it, for a game that starts: the same on every machine, and the file belongs to the
 * game. Null: this is a clone in which it is not built.
 */
export function packSdk(): Package | null {
  if (!existsSync(join(folder, "dist"))) return null;
  const about = readFileSync(join(folder, "package.json"));
  const { version } = JSON.parse(about.toString()) as { version: string };
  const blocks = [tarFile("package.json", about)];
  for (const { path, kind } of listFiles(join(folder, "dist"), () => null).entries) {
    if (kind === "file") blocks.push(tarFile(`dist/${path}`, readFileSync(join(folder, "dist", path))));
  }
  return { fileName: `foyer-sdk-${version}.tgz`, bytes: gzipSync(Buffer.concat([...blocks, tarEnd])) };
}

function tarFile(path: string, content: Buffer): Buffer {
  const entry: Entry = {
    path: `package/${path}`,
    kind: "file",
    size: content.length,
    isExecutable: false,
    target: null,
  };
  return Buffer.concat([tarHeader(entry), content, padding(content.length)]);
}
