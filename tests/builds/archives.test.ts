import { execFileSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { InvalidBuild } from "../../src/builds/invalid-build.ts";
import { ignoreEntries, readArchive } from "../../src/builds/read-archive.ts";
import { removeUnpacked, unpackArchive } from "../../src/builds/unpack-archive.ts";
import { archive, longName, pax, tar } from "../support/tar.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { hostileArchives } from "./hostile-archives.ts";

/** The bytes in chunks of that size, as a client may send them. */
async function* inChunks(bytes: Buffer, size = 65_536): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function unpacked(bytes: Buffer, size?: number): Promise<string> {
  const folder = join(temporaryFolder(), "unpacked");
  await unpackArchive(inChunks(bytes, size), folder, async () => {});
  return folder;
}

describe("hostile archives", () => {
  test.each(hostileArchives)("[BU4] %s", async (_title, bytes, word) => {
    const error = await readArchive(inChunks(bytes), ignoreEntries).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InvalidBuild);
    expect((error as Error).message).toContain(word);
  });

  test("[BU4] the size of the chunks makes no difference", async () => {
    for (const [title, bytes, word] of hostileArchives.filter(([, bytes]) => bytes.length < 2_000)) {
      const error = await readArchive(inChunks(bytes, 1), ignoreEntries).catch((thrown: unknown) => thrown);
      expect([title, (error as Error).message]).toEqual([title, expect.stringContaining(word)]);
    }
  });

  test("[BU4] a bomb is refused by what its headers say, before it is unpacked", async () => {
    const bomb = archive(Array.from({ length: 5 }, (_, index) => ({ name: `f${index}`, size: 1024 ** 3 })));
    await expect(readArchive(inChunks(bomb), ignoreEntries)).rejects.toThrow(/cut off|tar/);
  });
});

describe("archives that are accepted", () => {
  test("[BU5] files, folders and links are unpacked; owners, times and modes are dropped", async () => {
    const folder = await unpacked(
      archive([
        { name: "./", type: "5", mode: 0o777 },
        { name: "./bin/run", content: "#!/bin/sh\n", mode: 0o6751 },
        { name: "./bin/same", type: "1", target: "bin/run" },
        { name: "./lib", type: "5" },
        { name: "./lib/data.txt", content: "data", mode: 0o666 },
        { name: "./current", type: "2", target: "lib/../bin/run" },
        { name: "./lib/up", type: "2", target: ".." },
        { name: "./dangling", type: "2", target: "nothing/here" },
        { name: "./empty", content: "" },
      ]),
    );
    expect(readFileSync(join(folder, "current"), "utf8")).toBe("#!/bin/sh\n");
    expect(readlinkSync(join(folder, "dangling"))).toBe("nothing/here");
    const mode = (path: string) => lstatSync(join(folder, path)).mode & 0o7777;
    expect(["bin/run", "bin/same", "lib/data.txt", "empty", "bin", "lib", "."].map(mode)).toEqual([
      0o555, 0o555, 0o444, 0o444, 0o555, 0o555, 0o555,
    ]);
    expect(statSync(join(folder, "bin/run")).ino).toBe(statSync(join(folder, "bin/same")).ino);
    expect(statSync(join(folder, "lib/data.txt")).uid).toBe(process.getuid?.());
    await removeUnpacked(folder);
    expect(existsSync(folder)).toBe(false);
  });

  test("[BU5] long names of pax and GNU, in chunks of any size", async () => {
    const long = `${"folder/".repeat(40)}${"n".repeat(255)}`;
    const bytes = archive([
      pax({ path: `pax/${long}`, mtime: "1.5", size: "3" }),
      { name: "short", content: "pax", size: 3 },
      longName(`gnu/${long}`),
      { name: "short", content: "gnu", magic: "ustar  \0" },
      longName(`${"./".repeat(60)}short`, "K"),
      { name: "link", type: "2" },
      pax({ comment: "made by a program" }, "g"),
      { name: "name", prefix: "prefix", content: "ustar" },
    ]);
    for (const size of [1, 511, 100_000]) {
      const folder = await unpacked(bytes, size);
      expect(readFileSync(join(folder, "pax", long), "utf8")).toBe("pax");
      expect(readFileSync(join(folder, "gnu", long), "utf8")).toBe("gnu");
      expect(readFileSync(join(folder, "prefix/name"), "utf8")).toBe("ustar");
      expect(readlinkSync(join(folder, "link"))).toBe(`${"./".repeat(60)}short`);
    }
  });

  test("[BU5] gzip of several members, and zeros after it, wherever the chunks end", async () => {
    const bytes = tar([{ name: "a", content: "x".repeat(5_000) }]);
    const members = Buffer.concat([gzipSync(bytes.subarray(0, 700)), gzipSync(bytes.subarray(700))]);
    for (const sent of [members, Buffer.concat([members, Buffer.alloc(300)])]) {
      for (let size = 1; size < sent.length; size += 7) {
        expect(await readArchive(inChunks(sent, size), ignoreEntries)).toBe(5_000);
      }
    }
  });

  test.each(["gnu", "pax", "ustar"])(
    "[BU5] what tar --format=%s makes of a folder comes back as it was",
    async (format) => {
      const source = temporaryFolder();
      mkdirSync(join(source, "deep/er"), { recursive: true });
      for (let index = 0; index < 50; index++)
        writeFileSync(join(source, `deep/er/${index} ü`), "x".repeat(index * 100));
      const file = join(temporaryFolder(), "build.tar.gz");
      execFileSync("tar", [`--format=${format}`, "-czf", file, "-C", source, "."]);
      const folder = await unpacked(readFileSync(file));
      expect(readdirSync(join(folder, "deep/er")).sort()).toEqual(readdirSync(join(source, "deep/er")).sort());
      execFileSync("diff", ["-r", source, folder]);
    },
  );

  test("[BU4] 100,000 entries are accepted", async () => {
    const entries = Array.from({ length: 100_000 }, (_, index) => ({ name: `f${index}` }));
    expect(await readArchive(inChunks(archive(entries)), ignoreEntries)).toBe(0);
  });
});
