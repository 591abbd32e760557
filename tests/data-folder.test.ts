import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  DataFolderError,
  ensureAdminToken,
  ensureSecret,
  openDataFolder,
  secretFromText,
} from "../src/ground/data-folder.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const newPath = () => join(temporaryFolder(), "deep", "data");
const modeOf = (path: string) => statSync(path).mode & 0o777;

describe("lock", () => {
  test("[O10] the folder is made for this user alone", async () => {
    const folder = await openDataFolder(newPath());
    expect(modeOf(folder.path)).toBe(0o700);
    folder.release();
  });

  test("[O10] what the lock consists of is for this user alone, also where an earlier one was not", async () => {
    const path = newPath();
    const modes = () => readdirSync(path).map((name) => [name, modeOf(join(path, name))]);
    const first = await openDataFolder(path);
    expect(modes()).toEqual(readdirSync(path).map((name) => [name, 0o600]));
    first.release();
    for (const name of ["lock.db", "lock.db-journal"]) writeFileSync(join(path, name), "", { mode: 0o644 });
    chmodSync(join(path, "lock.db"), 0o644);
    const second = await openDataFolder(path);
    expect(readdirSync(path)).toContain("lock.db");
    expect(modes()).toEqual(readdirSync(path).map((name) => [name, 0o600]));
    second.release();
  });

  test("[I23] [O6] a second opening is refused and names the folder, until the first is released", async () => {
    const folder = await openDataFolder(newPath());
    await expect(openDataFolder(folder.path)).rejects.toThrow(`The data folder ${folder.path} is in use`);
    await expect(openDataFolder(folder.path)).rejects.toThrow(DataFolderError);
    folder.release();
    (await openDataFolder(folder.path)).release();
  });

  test("[O6] another process holds it until it dies, even by kill -9", { timeout: 240_000 }, async () => {
    const path = newPath();
    const program = `
      import { openDataFolder } from ${JSON.stringify(new URL("../src/ground/data-folder.ts", import.meta.url).href)};
      await openDataFolder(${JSON.stringify(path)});
      console.log("locked");
      setInterval(() => {}, 1000);`;
    const holder = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", program], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(holder.stdout, "data");
    await expect(openDataFolder(path)).rejects.toThrow("is in use");
    holder.kill("SIGKILL");
    await once(holder, "exit");
    (await openDataFolder(path)).release();
  });

  test("a path that is a file, or a folder below one, is refused by name", async () => {
    const file = join(temporaryFolder(), "file");
    writeFileSync(file, "");
    await expect(openDataFolder(file)).rejects.toThrow(`The data folder ${file} cannot be created`);
    await expect(openDataFolder(join(file, "x"))).rejects.toThrow(DataFolderError);
  });
});

describe("secret", () => {
  test("[K6] [O10] is made once, 32 bytes, private, and the same at the next start", () => {
    const folder = emptyFolder();
    const secret = ensureSecret(folder, null);
    expect(secret).toHaveLength(32);
    expect(ensureSecret(folder, null)).toEqual(secret);
    expect(modeOf(join(folder.path, "secret"))).toBe(0o600);
    expect(readdirSync(folder.path)).toEqual(["secret"]);
    expect(ensureSecret(emptyFolder(), null)).not.toEqual(secret);
  });

  test("from the configuration: the SHA-256 of the text, and no file", () => {
    const folder = emptyFolder();
    expect(ensureSecret(folder, "x".repeat(32))).toEqual(secretFromText("x".repeat(32)));
    expect(secretFromText("abc").toString("hex")).toMatch(/^ba7816bf8f01cfea/);
    expect(readdirSync(folder.path)).toEqual([]);
  });

  test.each(["", "abc", "g".repeat(64), "a".repeat(63), "a".repeat(65)])(
    "a damaged one (%j) is refused by name",
    (text) => {
      const folder = emptyFolder();
      writeFileSync(join(folder.path, "secret"), text);
      expect(() => ensureSecret(folder, null)).toThrow(`The secret in ${join(folder.path, "secret")} is damaged`);
      expect(readFileSync(join(folder.path, "secret"), "utf8")).toBe(text);
    },
  );

  test("[O10] one that others could read is closed to them", () => {
    const folder = emptyFolder();
    ensureSecret(folder, null);
    chmodSync(join(folder.path, "secret"), 0o644);
    ensureSecret(folder, null);
    expect(modeOf(join(folder.path, "secret"))).toBe(0o600);
  });
});

describe("admin token", () => {
  test("[K9] [O10] is made once, private, and the same at the next start", () => {
    const folder = emptyFolder();
    const path = join(folder.path, "admin-token");
    const made = ensureAdminToken(folder, null);
    expect(made).toEqual({ token: expect.stringMatching(/^admin_[A-Za-z0-9_-]{43}$/), path });
    expect(ensureAdminToken(folder, null)).toEqual(made);
    expect(readFileSync(path, "utf8")).toBe(`${made.token}\n`);
    expect(modeOf(path)).toBe(0o600);
  });

  test("[K10] from the configuration: as given, and no file", () => {
    const folder = emptyFolder();
    expect(ensureAdminToken(folder, "t".repeat(32))).toEqual({ token: "t".repeat(32), path: null });
    expect(readdirSync(folder.path)).toEqual([]);
  });

  test("a damaged one is refused by name and not shown", () => {
    const folder = emptyFolder();
    writeFileSync(join(folder.path, "admin-token"), "admin_half");
    expect(() => ensureAdminToken(folder, null)).toThrow(join(folder.path, "admin-token"));
    expect(() => ensureAdminToken(folder, null)).not.toThrow("admin_half");
  });
});

function emptyFolder(): { path: string } {
  return { path: temporaryFolder() };
}
