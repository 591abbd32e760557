import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { chown, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import pg from "pg";
import { freePort, run } from "./programs.ts";

export interface PostgresServer {
  readonly url: string;
  /** Ends it at once, as a crash would; what it has stays. */
  halt(): Promise<void>;
  /** Starts it again on the same port and resolves when it answers. */
  resume(): Promise<void>;
  stop(): Promise<void>;
}

/** A private PostgreSQL server on a free port, gone without a trace after `stop`, and gone with this process. */
export async function startPostgres(): Promise<PostgresServer> {
  const programs = requirePrograms();
  const account = await serverAccount();
  const directory = await mkdtemp(join(tmpdir(), "foyer-postgres-"));
  if (account) await chown(directory, account.uid, account.gid);
  const data = join(directory, "data");
  const options: SpawnOptions = { cwd: directory, ...account };
  const settings = ["-D", data, "-A", "trust", "-U", "postgres", "--no-sync", "-E", "UTF8", "--locale=C"];
  await run(join(programs, "initdb"), settings, options);
  const started = await startOnFreePort(join(programs, "postgres"), data, options);
  const { url, again } = started;
  let server = started.server;
  const end = () => server.kill("SIGQUIT");
  process.once("exit", end);
  async function halt(): Promise<void> {
    const ended = new Promise((resolve) => server.once("exit", resolve));
    end();
    await ended;
  }
  return {
    url,
    halt,
    async resume() {
      server = again();
      if (!(await isReady(server, url))) throw new Error("PostgreSQL did not start again.");
    },
    async stop() {
      process.removeListener("exit", end);
      await halt();
      await rm(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
  };
}

/** Makes an empty database on the server and gives its address. */
export async function createDatabase(url: string, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`create database ${client.escapeIdentifier(name)}`);
  } finally {
    await client.end();
  }
  const address = new URL(url);
  address.pathname = `/${name}`;
  return address.href;
}

async function startOnFreePort(program: string, data: string, options: SpawnOptions) {
  let errors = "";
  // Another process may take the port between its choice and its use.
  for (let attempt = 0; attempt < 5; attempt++) {
    const port = await freePort();
    // Tests keep nothing, so the server need not wait for the disk.
    const settings = [
      `port=${port}`,
      "listen_addresses=127.0.0.1",
      "unix_socket_directories=",
      "max_connections=300",
      "shared_buffers=32MB",
      "fsync=off",
      "synchronous_commit=off",
      "full_page_writes=off",
    ];
    const again = () => {
      const server = spawn(program, ["-D", data, ...settings.flatMap((setting) => ["-c", setting])], {
        ...options,
        stdio: ["ignore", "ignore", "pipe"],
      });
      server.stderr?.on("data", (chunk: Buffer) => {
        errors = (errors + chunk.toString()).slice(-4000);
      });
      return server;
    };
    const server = again();
    const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
    if (await isReady(server, url)) return { server, url, again };
  }
  throw new Error(`PostgreSQL did not start.\n${errors}`);
}

/** True as soon as the server answers, false when it ended instead. */
async function isReady(server: ChildProcess, url: string): Promise<boolean> {
  let failed = false;
  server.once("error", () => {
    failed = true;
  });
  while (!failed && server.exitCode === null && server.signalCode === null) {
    const client = new pg.Client({ connectionString: url });
    const answered = await client.connect().then(
      () => client.end().then(() => true),
      () => setTimeout(20, false),
    );
    if (answered) return true;
  }
  return false;
}

/** The folder that holds initdb and postgres: from PATH, else where Debian keeps each version, newest first. */
function findPrograms(): string | null {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...(process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== ""),
    ...versions.map((version) => join(debian, version, "bin")),
  ];
  return folders.find((folder) => ["initdb", "postgres"].every((name) => existsSync(join(folder, name)))) ?? null;
}

function requirePrograms(): string {
  const programs = findPrograms();
  if (programs) return programs;
  throw new Error("The tests need PostgreSQL's programs (initdb, postgres). Run `npm run setup`.");
}

/** PostgreSQL refuses to run as root; the package made an account for it. */
async function serverAccount(): Promise<{ uid: number; gid: number } | null> {
  if (process.getuid?.() !== 0) return null;
  const accounts = await readFile("/etc/passwd", "utf8");
  const fields = accounts
    .split("\n")
    .map((line) => line.split(":"))
    .find(([name]) => name === "postgres");
  if (!fields)
    throw new Error("PostgreSQL does not run as root and there is no user postgres: run `useradd postgres`.");
  return { uid: Number(fields[2]), gid: Number(fields[3]) };
}
