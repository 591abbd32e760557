import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, relative, resolve, sep } from "node:path";
import { startFoyer } from "../../app/main.ts";
import { loadConfig, wantsColours } from "../../config/config.ts";
import { createLog } from "../../ground/log.ts";
import { type Connection, devFolder, findLocal } from "../remote/connection.ts";
import { CommandFailed, UsageError } from "../remote/exit-codes.ts";
import type { Parsed } from "../remote/flags.ts";
import type { Remote } from "../remote/run-remote.ts";
import { bold, dim, type Terminal } from "../terminal.ts";
import { followEvents } from "./events.ts";
import { watchFolder, watchForOwnWrites } from "./file-changes.ts";
import { type GameFile, readGameFile } from "./game-file.ts";
import { type PageFacts, servePage } from "./page-server.ts";
import { createProgram } from "./program.ts";
import { openStage, type Stage, type StagedLobby } from "./stage.ts";

const hintAfterMs = 10_000;

/** `foyer dev -- node server.js`: the inner loop. What it makes is removed at its end, in the reverse order. */
export async function dev({ parsed, terminal, cwd, env, signal }: Remote): Promise<number> {
  const [command, ...args] = parsed.words;
  if (command === undefined) throw new UsageError("Which program? For example: foyer dev -- node server.js");
  const closing: (() => unknown)[] = [];
  try {
    const mode = parsed.flags.get("mode");
    const game = readGameFile(cwd, mode ?? "default", readCount(parsed));
    const chosen = mode ?? Object.keys(game.devConfig.game_modes)[0]!;
    if (!Object.hasOwn(game.devConfig.game_modes, chosen)) {
      throw new UsageError(`There is no game mode "${chosen}" in foyer.game.json.`);
    }
    const connection = await openService(parsed, cwd, closing);
    const stage = await openStage(connection, game);
    closing.push(() => stage.remove());
    const folder = pageFolder(game, parsed, cwd);
    const page = await openPage(folder, parsed, cwd, {
      endpoint: connection.endpoint,
      token: stage.publicToken,
      game_mode: chosen,
    });
    closing.push(() => page.close());
    terminal.out(describe(terminal, { connection, stage, chosen, pageUrl: page.url, line: parsed.words.join(" ") }));
    await runProgram({ command, args, cwd, env, stage, mode: chosen, game, page: folder, terminal, signal, closing });
    return 0;
  } finally {
    for (const close of closing.reverse()) await Promise.resolve(close()).catch((error) => report(terminal, error));
  }
}

interface Running {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly stage: Stage;
  readonly mode: string;
  readonly game: GameFile;
  /** The folder with the page; null: the game has none. */
  readonly page: string | null;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
  readonly closing: (() => unknown)[];
}

/** Until Ctrl-C. */
async function runProgram(parts: Running): Promise<void> {
  const { command, args, cwd, env, stage, mode, game, terminal, signal, closing } = parts;
  const say = (text: string) => terminal.out(`${dim(terminal, `foyer: ${text}`)}\n`);
  const labels = Object.keys(game.devConfig.game_modes[mode]!.ports!);
  const ports = Object.fromEntries(await Promise.all(labels.map(async (label) => [label, await freePort()])));
  const program = createProgram(command, args, { cwd, env }, (how) => {
    say(`${command} ${how}. It starts again when a file changes.`);
    void lobby?.dropPlayers().catch(() => undefined);
  });
  closing.push(() => program.stop());
  let lobby: StagedLobby | null = null;
  let startedAt = 0;
  let hint: NodeJS.Timeout | undefined;
  closing.push(() => clearTimeout(hint));
  const ownWrites = watchForOwnWrites();

  async function start(): Promise<void> {
    lobby ??= await stage.register(mode, ports);
    clearTimeout(hint);
    hint = setTimeout(() => void warnIfNotReady(stage, lobby, say), hintAfterMs);
    await program.start({ ...lobby.env, ...portVariables(ports) });
    startedAt = performance.now();
    ownWrites.started();
  }

  const restarts = createQueue((error) => report(terminal, error));
  const restart = (why: string) =>
    restarts(async () => {
      if (signal.aborted) return;
      say(`${why}: restarting.`);
      await program.stop();
      await lobby?.dropPlayers().catch(() => undefined);
      await start();
    });
  const page = parts.page === null ? null : relative(cwd, parts.page);
  const unwatched = new Set<string>();
  const watcher = watchFolder(cwd, (file) => {
    if (page !== null && file.startsWith(`${page}${sep}`)) say(`${file} changed: reload the page.`);
    else if (!ownWrites.isOwn(file)) restart(`${file} changed`);
    else if (!unwatched.has(file)) {
      unwatched.add(file);
      say(`${file} changes each time the program starts, so it no longer restarts it.`);
    }
  });
  closing.push(() => watcher.close());
  await start();
  const onStopped = (why: string, byOthers: boolean) => {
    lobby = null;
    // A program that ends its lobby immediately would be started for ever.
    if (byOthers || performance.now() - startedAt > endsTooSoonMs) return restart(`the lobby ended (${why})`);
    say(`the lobby ended (${why}) as soon as it had started. It starts again when a file changes.`);
  };
  const show = (line: string) => terminal.out(`${line}\n`);
  await followEvents({ stage, signal, ports, say, show, lobby: () => lobby, onStopped });
}

/** A lobby that ends within this time is not started again by itself. */
const endsTooSoonMs = 1_000;

/** One after the other. */
function createQueue(onError: (error: unknown) => void): (run: () => Promise<void>) => void {
  let last = Promise.resolve();
  return (run) => {
    last = last.then(run).catch(onError);
  };
}

async function warnIfNotReady(
  { admin, params }: Stage,
  lobby: StagedLobby | null,
  say: (text: string) => void,
): Promise<void> {
  if (lobby === null) return;
  const { get } = admin.games.namespaces.lobbies;
  const answer = await get(params.game_id, params.namespace_id, lobby.lobbyId).catch(() => null);
  if (answer?.lobby.status !== "starting") return;
  say("the program has not called ready for 10 s, so players still wait. Call lobbies.ready when it listens on PORT.");
}

/** The Foyer that runs on the data folder here, or one of its own that ends with this command. */
async function openService(parsed: Parsed, cwd: string, closing: (() => unknown)[]): Promise<Connection> {
  const folder = resolve(cwd, parsed.flags.get("data-dir") ?? ".foyer");
  const running = await findLocal(folder, null);
  if (running) return running;
  const isKept = parsed.flags.has("data-dir") || existsSync(folder);
  const dataDir = isKept ? folder : await takeDevFolder(cwd);
  if (!isKept) closing.push(() => rmSync(dataDir, { recursive: true, force: true }));
  const config = loadConfig({ argv: ["--data-dir", dataDir, "--no-demo"], cwd });
  const log = createLog({ level: "warn", format: "pretty", colours: wantsColours(process.stdout) });
  const port = (await isFree(config.port)) ? config.port : 0;
  const foyer = await startFoyer({ ...config, port, metricsPort: null }, log).catch((error: Error) => {
    throw new CommandFailed(`Foyer cannot start here: ${error.message}`);
  });
  closing.push(() => foyer.close({ stopLobbies: true }));
  return { endpoint: foyer.localUrl, token: foyer.adminToken.token, origin: "foyer dev" };
}

/** The folder in which other commands look for this Foyer; if another `foyer dev` has it, any other. */
async function takeDevFolder(cwd: string): Promise<string> {
  const folder = devFolder(cwd);
  if (await findLocal(folder, null)) return mkdtempSync(join(tmpdir(), "foyer-dev-"));
  // What a killed one left is of no use.
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { mode: 0o700 });
  return folder;
}

function pageFolder({ page }: GameFile, { flags }: Parsed, cwd: string): string | null {
  const folder = flags.get("page") ?? page;
  return folder === null ? null : resolve(cwd, folder);
}

async function openPage(folder: string | null, { flags }: Parsed, cwd: string, facts: PageFacts) {
  if (folder !== null && !existsSync(folder)) throw new CommandFailed(`The page's folder ${folder} does not exist.`);
  const port = Number(flags.get("page-port") ?? pagePort);
  return servePage(folder, cwd, facts, (await isFree(port)) ? port : 0);
}

const pagePort = 7110;

function readCount({ flags }: Parsed): number {
  const count = Number(flags.get("max-players") ?? 8);
  if (!Number.isInteger(count) || count < 1) throw new UsageError("--max-players must be a whole number above 0.");
  return count;
}

function describe(
  terminal: Terminal,
  facts: { connection: Connection; stage: Stage; chosen: string; pageUrl: string; line: string },
): string {
  const { connection, stage, chosen, pageUrl, line } = facts;
  return [
    "",
    `  ${bold(terminal, "Play")}      ${pageUrl}  ${dim(terminal, "open it twice for two players")}`,
    `  ${bold(terminal, "Foyer")}     ${connection.endpoint}`,
    "",
    dim(terminal, "  In your client:"),
    "",
    `    import { createMatchmaker } from "foyer-sdk";`,
    `    const matchmaker = createMatchmaker({ endpoint: "${connection.endpoint}", token: "${stage.publicToken}" });`,
    `    const seat = await matchmaker.find("${chosen}");`,
    "",
    dim(
      terminal,
      `  Starting ${line}. It restarts when a file changes, and players come back. Ctrl-C ends everything.`,
    ),
    "",
    "",
  ].join("\n");
}

function portVariables(ports: Readonly<Record<string, number>>): Record<string, string> {
  const named = Object.entries(ports).map(([label, port]) => [
    `PORT_${label.toUpperCase().replaceAll("-", "_")}`,
    String(port),
  ]);
  const [only, ...more] = Object.values(ports);
  return { ...Object.fromEntries(named), ...(more.length === 0 && { PORT: String(only) }) };
}

const isFree = (port: number) =>
  new Promise<boolean>((resolve) => {
    const server = createServer().once("error", () => resolve(false));
    server.listen({ host: "127.0.0.1", port }, () => server.close(() => resolve(true)));
  });

const freePort = () =>
  new Promise<number>((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen({ host: "127.0.0.1", port: 0 }, () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });

function report(terminal: Terminal, error: unknown): void {
  terminal.err(`foyer: ${error instanceof Error ? error.message : String(error)}\n`);
}
