import type { Chance } from "./chance.ts";

/** Texts that break careless code: line breaks, lone surrogates, NUL, names of prototypes, numbers in words, other scripts. */
export const oddTexts: readonly string[] = [
  "",
  " ",
  "\n",
  "\r\nx-injected: 1",
  "\u2028\u2029",
  "\u0000",
  "a\u0000b",
  "\ud800",
  "\udfff\ud800",
  "\ufeff",
  "\u202ereversed",
  "e\u0301",
  "👩‍👩‍👧‍👦",
  "ß İ ı ſ",
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "null",
  "undefined",
  "NaN",
  "-0",
  "1e999",
  "0x10",
  "true",
  "'; drop table games; --",
  "$1 %s {} {{7*7}}",
  "../../etc/passwd",
  "%00%2f%2e%2e",
  "<script>alert(1)</script>",
  "a".repeat(33),
  "a".repeat(129),
  "é".repeat(300),
  "a".repeat(5000),
  "00000000-0000-0000-0000-000000000000",
  "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
  "validate",
  "new",
  "9999-12-31T23:59:59.999Z",
  "0000-01-01T00:00:00Z",
  "+275760-09-13T00:00:00.000Z",
];

/** They stay as they are in the text of the body, since JavaScript could not write most of them. */
const oddNumberTexts = [
  "0",
  "-0",
  "-1",
  "1.5",
  "1.0",
  "1e3",
  "1E-400",
  "1e400",
  "-1e400",
  "4294967295",
  "4294967296",
  "9007199254740993",
  "18446744073709551616",
  "123456789012345678901234567890",
  "0.1e1",
  "5e-324",
];
const mark = "\u0001number:";

/** A number that keeps its spelling through `writeJson`. */
function oddNumber(chance: Chance): string {
  return `${mark}${chance.pick(oddNumberTexts)}`;
}

/** JSON of the value, with the numbers of `oddNumber` as they are spelt. */
export function writeJson(value: unknown): string {
  return JSON.stringify(value).replace(/"\\u0001number:([^"]*)"/g, "$1");
}

/** A value of any type but what was asked for, most likely. */
export function oddValue(chance: Chance): unknown {
  return chance.pick<() => unknown>([
    () => null,
    () => true,
    () => [],
    () => ({}),
    () => [[]],
    () => ({ a: { b: {} } }),
    () => oddNumber(chance),
    () => oddNumber(chance),
    () => chance.pick(oddTexts),
    () => chance.pick(oddTexts),
    () => Array.from({ length: chance.pick([65, 300, 1000]) }, (_, i) => i),
    () => Object.fromEntries(Array.from({ length: chance.pick([17, 300]) }, (_, i) => [`k${i}`, "v"])),
  ])();
}

type Container = Record<string, unknown> | unknown[];

/** The value with one thing wrong in it, somewhere. */
export function withOneFault(value: unknown, chance: Chance): unknown {
  const copy = structuredClone(value);
  const containers = listContainers(copy);
  if (containers.length === 0) return oddValue(chance);
  const at = chance.pick(containers);
  const keys = Object.keys(at);
  const kind = chance.below(8);
  if (kind === 0 || keys.length === 0) setIn(at, chance.pick(oddTexts), oddValue(chance));
  else if (kind === 1) removeFrom(at, chance.pick(keys));
  else setIn(at, chance.pick(keys), oddValue(chance));
  return copy;
}

function listContainers(value: unknown): Container[] {
  if (typeof value !== "object" || value === null) return [];
  return [value as Container, ...Object.values(value).flatMap(listContainers)];
}

function setIn(at: Container, key: string, value: unknown): void {
  if (Array.isArray(at)) {
    at[Number(key) || 0] = value;
    return;
  }
  // An assignment to __proto__ would set no field.
  Object.defineProperty(at, key, { value, enumerable: true, configurable: true, writable: true });
}

function removeFrom(at: Container, key: string): void {
  if (Array.isArray(at)) at.splice(Number(key), 1);
  else delete at[key];
}

/** The text of a body with something wrong that no value can have. */
export function spoilText(text: string, chance: Chance): Buffer {
  return chance.pick<() => Buffer>([
    () => Buffer.from(text.slice(0, chance.below(text.length + 1))),
    () => Buffer.from(text.replace("{", '{"a":1,"a":2,')),
    () => Buffer.from(text.replace("{", '{"__proto__":{"isAdmin":true},')),
    () => Buffer.from(`\ufeff${text}`),
    () => Buffer.concat([Buffer.from(text.slice(0, -1)), Buffer.from([0xff, 0xc0, 0x80]), Buffer.from(text.slice(-1))]),
    () => Buffer.from(`${text}${text}`),
    () => Buffer.from(`${text},`),
    () => Buffer.from(text.replaceAll('"', "'")),
    () => Buffer.from(`${"[".repeat(20)}${"]".repeat(20)}`),
    () => Buffer.from("[".repeat(5000)),
    () => Buffer.from(`[${"1,".repeat(30_000)}1]`),
    () => Buffer.from(`${text}${" ".repeat(64 * 1024)}`),
    () => Buffer.from(text, "utf16le"),
    () => Buffer.from("\u0000".repeat(10)),
    () => Buffer.from("NaN"),
    () => Buffer.from("display_name=x&name_id=y"),
    () => Buffer.alloc(0),
    () => Buffer.from(`//\n${text}`),
  ])();
}
