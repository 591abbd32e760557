import { gzipSync } from "node:zlib";
import { archive, endOfTar, longName, pax, type TestEntry, tar, tarEntry } from "../support/tar.ts";

const file: TestEntry = { name: "server.js", content: "play();\n" };
const whole = archive([file, { name: "data.bin", content: Buffer.alloc(20_000, 7) }]);
const links = (length: number): TestEntry[] =>
  Array.from({ length }, (_, index) => ({ name: `l${index}`, type: "2", target: `l${index + 1}/l${index + 1}` }));

/** Archives that are refused: what is wrong, the bytes, and a word of the answer. */
export const hostileArchives: readonly (readonly [title: string, bytes: Buffer, word: string])[] = [
  ["text instead of gzip", Buffer.from("this is not an archive"), "gzip"],
  ["a tar that is not compressed", tar([file]), "gzip"],
  ["gzip of something else", gzipSync("x".repeat(2000)), "tar"],
  ["gzip of nothing", gzipSync(""), "cut off"],
  ["a tar before ustar", archive([{ ...file, magic: "" }]), "tar"],
  ["a wrong checksum", gzipSync(Buffer.concat([tarEntry(file).fill("z", 0, 3), endOfTar])), "tar"],
  ["a size that is not octal", gzipSync(withSize("zzzzzzzzzzz\0")), "tar"],
  ["a negative size", gzipSync(withSize("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff")), "tar"],
  ["gzip cut off", whole.subarray(0, whole.length - 10), "cut off"],
  ["gzip cut off in the middle", whole.subarray(0, whole.length >> 1), "cut off"],
  [
    "a tar cut off in a file",
    gzipSync(tar([file, { name: "b", content: "x".repeat(3000) }]).subarray(0, 2600)),
    "cut off",
  ],
  ["a tar cut off in a header", gzipSync(tarEntry(file).subarray(0, 300)), "cut off"],
  ["a tar without its end", gzipSync(tarEntry(file)), "cut off"],
  ["a tar with half of its end", gzipSync(Buffer.concat([tarEntry(file), Buffer.alloc(512)])), "cut off"],
  ["bytes after the end of the tar", gzipSync(Buffer.concat([tar([file]), Buffer.from("more")])), "after its end"],
  ["another tar after the end", gzipSync(Buffer.concat([tar([file]), tar([file])])), "after its end"],
  ["17 MiB of zeros after the end", gzipSync(Buffer.concat([tar([file]), Buffer.alloc(17 << 20)])), "after its end"],
  ["bytes after the gzip", Buffer.concat([whole, Buffer.from("garbage")]), "gzip"],
  ["zeros and then bytes after the gzip", Buffer.concat([whole, Buffer.from("\0\0garbage")]), "followed by"],
  ["an absolute name", archive([{ name: "/etc/passwd" }]), "absolute"],
  ["an absolute name in pax", archive([pax({ path: "/etc/passwd" }), file]), "absolute"],
  ["a name that leaves the folder", archive([{ name: "../evil" }]), '".."'],
  ["a name that leaves and comes back", archive([{ name: "a/../b" }]), '".."'],
  ["a name of two dots", archive([{ name: "..", type: "5" }]), '".."'],
  ["a long name with two dots", archive([longName(`${"a/".repeat(80)}../b`), file]), '".."'],
  ["two dots from the prefix", archive([{ name: "b", prefix: "a/.." }]), '".."'],
  ["a control character", archive([{ name: "a\u001b[31m" }]), "control character"],
  ["a line break", archive([{ name: "a\nb" }]), "control character"],
  ["a C1 control character", archive([{ name: "a\u0085b" }]), "control character"],
  ["NUL in a pax name", archive([pax({ path: "a\0b" }), file]), "control character"],
  ["a backslash", archive([{ name: "a\\b" }]), "backslash"],
  ["invalid UTF-8", archive([{ name: Buffer.from([0x61, 0xff]) }]), "UTF-8"],
  ["a lone surrogate", archive([{ name: Buffer.from([0xed, 0xa0, 0x80]) }]), "UTF-8"],
  ["a part of 256 bytes", archive([pax({ path: `a/${"é".repeat(128)}` }), file]), "255 bytes"],
  ["a name of 3,001 bytes", archive([pax({ path: "a/".repeat(1500).concat("b") }), file]), "3000 bytes"],
  ["an empty name", archive([{ name: "" }]), "without a name"],
  ["a file that ends with a slash", archive([{ name: "a/" }]), "slash"],
  ["a name twice", archive([file, file]), "twice"],
  ["a name twice, written differently", archive([file, { name: ".//server.js" }]), "twice"],
  [
    "a folder twice",
    archive([
      { name: "a", type: "5" },
      { name: "a/", type: "5" },
    ]),
    "twice",
  ],
  ["a folder in place of a file", archive([file, { name: "server.js", type: "5" }]), "twice"],
  ["a file in place of a folder", archive([{ name: "a/b" }, { name: "a" }]), "twice"],
  ["a link in place of a folder", archive([{ name: "a/b" }, { name: "a", type: "2", target: "b" }]), "twice"],
  ["a link in place of the whole folder", archive([{ name: ".", type: "2", target: "b" }]), "own folder"],
  ["an entry below a link", archive([{ name: "a", type: "2", target: "b" }, { name: "a/c" }]), "below a link"],
  ["an entry deep below a link", archive([{ name: "a", type: "2", target: "." }, { name: "a/c/d/e" }]), "below a link"],
  ["an entry below a file", archive([file, { name: "server.js/x" }]), "below a link"],
  ["an absolute link", archive([{ name: "a", type: "2", target: "/etc/passwd" }]), "absolute"],
  ["a link without a target", archive([{ name: "a", type: "2" }]), "no target"],
  ["a link that leaves the folder", archive([{ name: "a", type: "2", target: "../x" }]), "leaves the folder"],
  ["a link that leaves from a folder", archive([{ name: "a/b", type: "2", target: "../../x" }]), "leaves the folder"],
  ["a link that leaves in the middle", archive([{ name: "a", type: "2", target: "b/../../c" }]), "leaves the folder"],
  [
    "a link that leaves through another link",
    archive([
      { name: "x/up", type: "2", target: ".." },
      { name: "m", type: "2", target: "x/up/.." },
    ]),
    "leaves the folder",
  ],
  [
    "a link that leaves through a later link",
    archive([
      { name: "m", type: "2", target: "x/up/../y" },
      { name: "x/up", type: "2", target: ".." },
    ]),
    "leaves the folder",
  ],
  [
    "a long target that leaves the folder",
    archive([longName(`${"../".repeat(60)}x`, "K"), { name: "a", type: "2" }]),
    "leaves",
  ],
  ["a control character in a target", archive([{ name: "a", type: "2", target: "b\u0007" }]), "control character"],
  ["a backslash in a target", archive([{ name: "a", type: "2", target: "..\\x" }]), "backslash"],
  ["a maze of links", archive(links(50_000)), "links"],
  ["a hard link to nothing", archive([{ name: "a", type: "1", target: "b" }]), "earlier file"],
  ["a hard link to a later file", archive([{ name: "a", type: "1", target: "server.js" }, file]), "earlier file"],
  [
    "a hard link to a folder",
    archive([
      { name: "b", type: "5" },
      { name: "a", type: "1", target: "b" },
    ]),
    "earlier file",
  ],
  [
    "a hard link to a link",
    archive([file, { name: "b", type: "2", target: "server.js" }, { name: "a", type: "1", target: "b" }]),
    "earlier file",
  ],
  ["a hard link outside", archive([{ name: "a", type: "1", target: "../server.js" }]), '".."'],
  ["an absolute hard link", archive([{ name: "a", type: "1", target: "/etc/passwd" }]), "absolute"],
  [
    "a hard link with content",
    archive([file, { name: "a", type: "1", target: "server.js", content: "x" }]),
    "with content",
  ],
  ["a folder with content", archive([{ name: "a", type: "5", content: "x" }]), "with content"],
  ["a character device", archive([{ name: "a", type: "3" }]), "neither a file"],
  ["a block device", archive([{ name: "a", type: "4" }]), "neither a file"],
  ["a pipe", archive([{ name: "a", type: "6" }]), "neither a file"],
  ["a GNU sparse file", archive([{ name: "a", type: "S", magic: "ustar  \0" }]), "neither a file"],
  ["a pax sparse file", archive([pax({ "GNU.sparse.major": "1" }), file]), "sparse"],
  ["a volume of several", archive([{ name: "a", type: "M", magic: "ustar  \0" }]), "neither a file"],
  ["one name for all entries", archive([pax({ path: "x" }, "g"), file]), "all entries"],
  ["a damaged pax header", archive([{ name: "x", type: "x", content: "99 path=a\n" }, file]), "pax"],
  ["a pax header without an equals sign", archive([{ name: "x", type: "x", content: "8 path!\n" }, file]), "pax"],
  ["a pax size that is no number", archive([pax({ size: "1e3" }), file]), "pax"],
  ["a pax header without an entry", archive([file, pax({ path: "b" })]), "without an entry"],
  ["four headers before one entry", archive([pax({}), pax({}), pax({}), pax({}), file]), "too many headers"],
  ["a header of 2 MiB", archive([{ name: "x", type: "x", content: Buffer.alloc(2 << 20) }, file]), "too large"],
  ["100,001 entries", archive(manyFiles(100_001)), "100000"],
  ["100,001 folders that nothing lists", archive(deepFiles(100_001)), "100000"],
  ["files of more than 4 GiB", archive([{ name: "a", size: 4 * 1024 ** 3 + 1 }]), "4 GiB"],
  ["more than 4 GiB in pax", archive([pax({ size: String(4 * 1024 ** 3 + 1) }), { name: "a" }]), "4 GiB"],
];

function withSize(size: string): Buffer {
  const entry = tarEntry(file);
  entry.write(size, 124, "latin1");
  entry.fill(" ", 148, 156);
  const sum = entry.subarray(0, 512).reduce((all, byte) => all + byte, 0);
  entry.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return Buffer.concat([entry, endOfTar]);
}

function manyFiles(count: number): TestEntry[] {
  return Array.from({ length: count }, (_, index) => ({ name: `f${index}` }));
}

/** Each file is 40 folders deep. */
function deepFiles(folders: number): TestEntry[] {
  return Array.from({ length: Math.ceil(folders / 41) }, (_, index) => ({ name: `${index}/${"a/".repeat(39)}f` }));
}
