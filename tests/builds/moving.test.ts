import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { run } from "../../src/cli/run.ts";
import type { Terminal } from "../../src/cli/terminal.ts";
import { createGame, createVersion, type Service, startService } from "../support/harness.ts";
import { freshDatabase } from "../support/services/stores.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { buildVersion } from "./source-folder.ts";
import { someArchive, uploadBuild } from "./upload.ts";

/** Runs a command to its end. */
async function foyer(...argv: string[]) {
  const written = { out: "", err: "" };
  const terminal: Terminal = {
    out: (text) => {
      written.out += text;
    },
    err: (text) => {
      written.err += text;
    },
    isInteractive: false,
    colours: false,
    columns: 80,
    now: Date.now,
  };
  return { code: await run(argv, terminal), ...written };
}

/** A service with two games, which have one build in common, and a version that names it. */
async function withBuilds(kind: "sqlite" | "postgresql") {
  const service = await startService(kind);
  const [game, other] = [await createGame(service), await createGame(service)];
  const [bytes, more] = [someArchive(), someArchive()];
  const { build_id, sha256 } = (await uploadBuild(service, game, { bytes, query: "display_name=Shared" })).json;
  await uploadBuild(service, other, { bytes });
  const second = (await uploadBuild(service, game, { bytes: more })).json;
  await createVersion(service, game, buildVersion(build_id));
  return { service, game, bytes, build_id, sha256, second };
}

const placeOf = ({ dataDir, databaseUrl }: Pick<Service, "dataDir" | "databaseUrl">) =>
  databaseUrl === null ? [`--data-dir=${dataDir}`] : [`--data-dir=${dataDir}`, `--database-url=${databaseUrl}`];

const otherKind = { sqlite: "postgresql", postgresql: "sqlite" } as const;

describe("moving builds", () => {
  test.each(["sqlite", "postgresql"] as const)(
    "[BU18] an export of %s carries them to the other store",
    async (kind) => {
      const { service, game, build_id, sha256, second } = await withBuilds(kind);
      const [file, folder] = [join(temporaryFolder(), "export.jsonl"), join(temporaryFolder(), "archives")];
      const exported = await foyer("export", file, "--builds", folder, ...placeOf(service));
      await service.close();
      expect([exported.code, exported.err]).toEqual([0, ""]);
      expect(exported.out).toContain("Copied the archives of 3 builds");
      expect(readdirSync(folder).sort()).toEqual([sha256, second.sha256].map((name) => `${name}.tar.gz`).sort());

      const target = { dataDir: temporaryFolder(), databaseUrl: (await freshDatabase(otherKind[kind])).databaseUrl };
      writeFileSync(join(folder, `${second.sha256}.tar.gz`), "damaged");
      const imported = await foyer("import", file, `--builds=${folder}`, ...placeOf(target));
      expect([imported.code, imported.err]).toEqual([0, ""]);
      expect(imported.out).toContain("Imported the archives of 2 builds.");
      expect(imported.out).toContain(`${second.build_id}  ${second.sha256.slice(0, 12)}  sha256 ${second.sha256}`);
      expect(imported.out).not.toContain(build_id);

      const moved = await startService(otherKind[kind], target);
      const { builds } = await moved.admin("GET", `${game.path}/builds`);
      expect(builds).toMatchObject([{ build_id: second.build_id }, { build_id, display_name: "Shared", sha256 }]);
      const deletion = await moved.request("DELETE", `${game.path}/builds/${build_id}`, { token: moved.adminToken });
      expect(deletion.json.code).toBe("CLOUD_BUILD_IN_USE");
      await moved.close();
    },
  );

  test("[BU18] an export without the archives says so, and its import names all that are missing", async () => {
    const { service, build_id, second } = await withBuilds("sqlite");
    const file = join(temporaryFolder(), "export.jsonl");
    const exported = await foyer("export", file, ...placeOf(service));
    expect(exported.out).toContain("add --builds DIR");
    rmSync(join(service.dataDir, "builds", `${build_id}.tar.gz`));
    const folder = join(temporaryFolder(), "archives");
    const partly = await foyer("export", join(temporaryFolder(), "b.jsonl"), "--builds", folder, ...placeOf(service));
    expect(partly.out).toContain(build_id);
    await service.close();
    const imported = await foyer("import", file, `--data-dir=${temporaryFolder()}`);
    expect(imported.code).toBe(0);
    for (const id of [build_id, second.build_id]) expect(imported.out).toContain(id);
    expect((await foyer("export", "--builds")).code).toBe(2);
  });

  test("[BU18] a backup copies the archives to a folder beside it, from which the data folder is restored", async () => {
    const { service, bytes, build_id } = await withBuilds("sqlite");
    const file = join(temporaryFolder(), "backup.db");
    const made = await foyer("backup", file, ...placeOf(service));
    await service.close();
    expect([made.code, made.err]).toEqual([0, ""]);
    expect(made.out).toContain(`Copied the archives of 3 builds to ${file}.builds`);

    const dataDir = temporaryFolder();
    copyFileSync(file, join(dataDir, "foyer.db"));
    mkdirSync(join(dataDir, "builds"));
    for (const name of readdirSync(`${file}.builds`)) {
      copyFileSync(join(`${file}.builds`, name), join(dataDir, "builds", name));
    }
    const restored = await startService("sqlite", { dataDir });
    expect(readFileSync(join(dataDir, "builds", `${build_id}.tar.gz`))).toEqual(bytes);
    expect(existsSync(join(dataDir, "builds/incoming"))).toBe(true);
    await restored.close();
  });
});
