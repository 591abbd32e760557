import { once } from "node:events";
import { chmodSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, describe, expect, inject, test } from "vitest";
import { doctor } from "../../src/cli/doctor/doctor.ts";
import { createCertificate } from "../support/certificates.ts";
import { startService } from "../support/harness.ts";
import { freePort } from "../support/services/programs.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const closing: (() => unknown)[] = [];
afterAll(async () => {
  for (const close of closing) await close();
});

async function examine(...flags: string[]) {
  let out = "";
  const terminal = { isInteractive: false, colours: false, columns: 80, now: Date.now };
  const code = await doctor([`--port=${await freePort()}`, "--metrics-port=off", ...flags], {
    ...terminal,
    out: (text) => {
      out += text;
    },
    err: () => {},
  });
  return { code, out };
}

describe("foyer doctor", () => {
  test("[CM8] an empty folder is fine, and stays empty", async () => {
    const folder = temporaryFolder();
    const { code, out } = await examine(`--data-dir=${join(folder, "data")}`);
    expect(out).toContain("Nothing keeps Foyer from working here.");
    expect(out).not.toContain("problem");
    expect(code).toBe(0);
    expect(readdirSync(folder)).toEqual([]);
  });

  test("[CM8] each problem is one line with its fix, and the exit code is 1", async () => {
    const folder = temporaryFolder();
    const data = join(folder, "data");
    mkdirSync(data);
    chmodSync(data, 0o700);
    writeFileSync(join(data, "foyer.db"), "this is not a database, and long enough to be read as one. ".repeat(100));
    const port = await freePort();
    const other = createServer().listen(port, "127.0.0.1");
    closing.push(() => other.close());
    const certificate = await createCertificate(folder, "short", 3);
    const { code, out } = await examine(
      ...[
        `--data-dir=${data}`,
        `--port=${port}`,
        `--tls-cert=${certificate.tlsCert}`,
        `--tls-key=${certificate.tlsKey}`,
      ],
      ...["--local-port=0", "--lobby-ports=27000-27001"],
    );
    expect(code).toBe(1);
    expect(out).toMatch(/^problem +store +.*(?:not a database|damaged)/m);
    expect(out).toMatch(
      new RegExp(`^problem +ports +127\\.0\\.0\\.1:${port} \\(port\\) cannot be used: another program uses it`, "m"),
    );
    expect(out).toMatch(/^note +tls +.*ends in [23] days\. Renew it\./m);
    expect(out).toMatch(/^note +lobbies +.*Widen lobby_ports\./m);
    expect(out).toContain("2 problems to solve.");
  });

  test("[CM8] a setting that is wrong is a problem like the others", async () => {
    expect(await examine("--log-level=loud")).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^problem +settings +--log-level must be .+\n\nCorrect the settings first/),
    });
  });

  test("[CM8] each setting that does not exist, or no longer, is a line of its own", async () => {
    process.env.FOYER_RATE_FINDS = "5";
    closing.push(() => delete process.env.FOYER_RATE_FINDS);
    const { code, out } = await examine("--log-level=loud", "--prot=1");
    delete process.env.FOYER_RATE_FINDS;
    expect(code).toBe(1);
    const problems = out.split("\n").filter((line) => line.startsWith("problem  settings"));
    expect(problems).toHaveLength(3);
    expect(problems.join("\n")).toMatch(
      /--prot is not a flag[\s\S]*FOYER_RATE_FINDS is not a setting[\s\S]*--log-level must be/,
    );
  });

  test("[CM8] the clock is compared with the data, and the container engine is asked", async () => {
    const folder = temporaryFolder();
    const data = join(folder, "data");
    mkdirSync(data, { mode: 0o700 });
    const socket = join(folder, "engine.sock");
    const version = '{"Version":"27.1","Components":[{"Name":"Engine"}],"DefaultRuntime":"crun"}';
    const reason = "crun: cgroups in hybrid mode are not supported";
    let isAble = true;
    const engine = createHttpServer((request, answer) => {
      if (isAble || request.url === "/_ping") answer.setHeader("api-version", "1.44").end(version);
      else answer.writeHead(500).end(JSON.stringify({ message: reason }));
    }).listen(socket);
    closing.push(() => engine.close());
    await once(engine, "listening");
    const containers = ["--runtimes=process,docker", `--data-dir=${data}`];
    const fine = await examine(...containers, `--docker-socket=${socket}`);
    expect(fine.out).toMatch(/^(?:ok|note) +clock +/m);
    expect(fine.out).toContain(`Engine 27.1 answers at ${socket}, with the runtime crun\n`);
    expect(fine.code).toBe(0);
    isAble = false;
    const unable = await examine(...containers, `--docker-socket=${socket}`);
    expect(unable.out).toContain(`The container engine answers with an error (status 500) at ${socket}: ${reason}. `);
    const file = join(data, "foyer.db");
    writeFileSync(file, "");
    utimesSync(file, Date.now() / 1000 + 600, Date.now() / 1000 + 600);
    const { code, out } = await examine(...containers, `--docker-socket=${join(folder, "nothing.sock")}`);
    expect(code).toBe(1);
    expect(out).toMatch(/^problem +clock +.*foyer\.db was written \d+ s in the future/m);
    expect(out).toMatch(
      /^note +containers +The container engine does not answer at .*nothing\.sock: .*start Docker or Podman/m,
    );
  });

  test("[CM8] a service that runs on the folder is named, not reported as a port in use", async () => {
    const service = await startService("sqlite");
    closing.push(() => service.close());
    const { code, out } = await examine(`--data-dir=${service.dataDir}`, `--port=${service.port}`);
    expect(code).toBe(0);
    expect(out).toContain(`Foyer runs on this data folder now, at ${service.url}`);
  });

  test("[CM8] PostgreSQL and Redis are asked; their passwords are not shown", async () => {
    const folder = temporaryFolder();
    const secret = ["--redis-url", inject("redisUrl"), "--database-url", inject("postgresUrl")];
    process.env.FOYER_SECRET = "s".repeat(40);
    closing.push(() => delete process.env.FOYER_SECRET);
    const reached = await examine(`--data-dir=${folder}`, ...secret);
    expect(reached.out).toMatch(/^ok +store +PostgreSQL \d+/m);
    expect(reached.out).toMatch(/^ok +redis +Redis answers/m);
    expect(reached.code).toBe(0);
    const gone = `postgres://foyer:hush@127.0.0.1:${await freePort()}/foyer`;
    const { code, out } = await examine(`--data-dir=${folder}`, `--database-url=${gone}`);
    expect(code).toBe(1);
    expect(out).toMatch(/^problem +store +PostgreSQL does not accept a connection/m);
    expect(out).not.toContain("hush");
  });
});
