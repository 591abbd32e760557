import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { startFoyer } from "../../app/main.ts";
import { loadConfig, wantsColours } from "../../config/config.ts";
import { createLog } from "../../ground/log.ts";
import type { Json } from "../remote/client.ts";
import { type Connection, findLocal } from "../remote/connection.ts";
import { CommandFailed, UsageError } from "../remote/exit-codes.ts";
import type { Parsed } from "../remote/flags.ts";
import type { Remote } from "../remote/run-remote.ts";
import { bold, dim, type Terminal } from "../terminal.ts";
import { watchFolder } from "./file-changes.ts";
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
    const page = await openPage(game, parsed, cwd, {
      endpoint: connection.endpoint,
      token: stage.publicToken,
      game_mode: chosen,
    });
    closing.push(() => page.close());
    terminal.out(describe(terminal, { connection, stage, chosen, pageUrl: page.url, line: parsed.words.join(" ") }));
    await runProgram({ command, args, cwd, env, stage, mode: chosen, game, terminal, signal, closing });
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
  let hint: NodeJS.Timeout | undefined;
  closing.push(() => clearTimeout(hint));

  async function start(): Promise<void> {
    lobby ??= await stage.register(mode, ports);
    clearTimeout(hint);
    hint = setTimeout(() => void warnIfNotReady(stage, lobby, say), hintAfterMs);
    await program.start({ ...lobby.env, ...portVariables(ports) });
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
  const watcher = watchFolder(cwd, (file) => restart(`${file} changed`));
  closing.push(() => watcher.close());
  await start();
  const onStopped = (lobbyId: string, reason: string) => {
    if (lobby?.lobbyId !== lobbyId) return;
    lobby = null;
    restart(`the lobby ended (${reason})`);
  };
  await followEvents(stage, signal, say, onStopped);
}

/** One after the other. */
function createQueue(onError: (error: unknown) => void): (run: () => Promise<void>) => void {
  let last = Promise.resolve();
  return (run) => {
    last = last.then(run).catch(onError);
  };
}

async function followEvents(
  { admin, params }: Stage,
  signal: AbortSignal,
  say: (text: string) => void,
  onStopped: (lobbyId: string, reason: string) => void,
): Promise<void> {
  while (!signal.aborted) {
    try {
      for await (const { event, data } of admin.events("games.namespaces.events", { params: { ...params }, signal })) {
        const text = describeEvent(event, data);
        if (text !== null) say(text);
        if (event === "lobby.stopped") onStopped(data.lobby_id, data.reason ?? data.stop_reason ?? "stopped");
      }
    } catch (error) {
      if (signal.aborted) return;
      say(`the events of the namespace broke off: ${(error as Error).message.split("\n")[0]}`);
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  }
}

const words: Readonly<Record<string, string>> = {
  "player.connected": "connected",
  "player.held": "dropped; the seat is held",
  "player.returned": "is back",
  "player.left": "left",
  "player.expired": "did not connect in time",
};

function describeEvent(event: string, data: Json): string | null {
  if (event === "lobby.ready") return "the lobby is ready for players.";
  const word = words[event];
  return word === undefined ? null : `player ${data.key ?? String(data.player_id).slice(-6)} ${word}.`;
}

async function warnIfNotReady(
  { admin, params }: Stage,
  lobby: StagedLobby | null,
  say: (text: string) => void,
): Promise<void> {
  if (lobby === null) return;
  const answer = await admin
    .call("games.namespaces.lobbies.get", { params: { ...params, lobby_id: lobby.lobbyId } })
    .catch(() => null);
  if (answer?.lobby.status !== "starting") return;
  say("the program has not called ready for 10 s, so players still wait. Call lobbies.ready when it listens on PORT.");
}

/** The Foyer that runs on the data folder here, or one of its own that ends with this command. */
async function openService(parsed: Parsed, cwd: string, closing: (() => unknown)[]): Promise<Connection> {
  const folder = resolve(cwd, parsed.flags.get("data-dir") ?? ".foyer");
  const running = await findLocal(folder, null);
  if (running) return running;
  const isKept = parsed.flags.has("data-dir") || existsSync(folder);
  const dataDir = isKept ? folder : mkdtempSync(join(tmpdir(), "foyer-dev-"));
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

async function openPage({ page }: GameFile, { flags }: Parsed, cwd: string, facts: PageFacts) {
  const folder = flags.get("page") ?? page;
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
