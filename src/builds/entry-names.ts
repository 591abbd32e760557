import { InvalidBuild } from "./invalid-build.ts";

const partMaxBytes = 255;
/** So that the path still fits with that of the data folder before it; Linux allows 4,096 bytes. */
const nameMaxBytes = 3_000;

/** The parts of an entry's name; none for the folder itself. Throws InvalidBuild for a name that is not safe. */
export function parseName(bytes: Buffer): string[] {
  const name = decode(bytes, "A name");
  if (name === "") throw new InvalidBuild("The archive has an entry without a name.");
  if (name.startsWith("/")) throw new InvalidBuild(`The name ${quoted(name)} is absolute.`);
  const parts = name.split("/").filter((part) => part !== "" && part !== ".");
  if (parts.includes("..")) throw new InvalidBuild(`The name ${quoted(name)} has "..".`);
  return parts;
}

/** The target of a symbolic link as text. Whether it stays inside is decided with all entries. */
export function parseTarget(bytes: Buffer, of: string): string {
  const target = decode(bytes, `The target of the link ${quoted(of)}`);
  if (target === "") throw new InvalidBuild(`The link ${quoted(of)} has no target.`);
  if (target.startsWith("/")) throw new InvalidBuild(`The target of the link ${quoted(of)} is absolute.`);
  return target;
}

function decode(bytes: Buffer, what: string): string {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    throw new InvalidBuild(`${what} in the archive is not valid UTF-8.`);
  }
  if (controlCharacter.test(text)) throw new InvalidBuild(`${what}, ${quoted(text)}, has a control character.`);
  if (text.includes("\\")) throw new InvalidBuild(`${what}, ${quoted(text)}, has a backslash.`);
  if (bytes.length > nameMaxBytes) {
    throw new InvalidBuild(`${what}, ${quoted(text)}, has more than ${nameMaxBytes} bytes.`);
  }
  if (text.split("/").some((part) => Buffer.byteLength(part) > partMaxBytes)) {
    throw new InvalidBuild(`${what}, ${quoted(text)}, has a part of more than ${partMaxBytes} bytes.`);
  }
  return text;
}

/** Short, and without characters that a terminal could obey. */
export function quoted(name: string): string {
  const short = [...name].length > 80 ? `${[...name].slice(0, 80).join("")}…` : name;
  return JSON.stringify(short).replace(/[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, "?");
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for.
const controlCharacter = /[\u0000-\u001f\u007f-\u009f]/;
