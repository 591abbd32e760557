import { isFoyerError, type VersionConfig } from "foyer-sdk";
import { listBuildIds } from "../../operations/cloud/version-builds.ts";
import { checkVersionConfig, warnOfVersion } from "../../operations/cloud/version-document.ts";
import { describeIssues, type GameFile, gameFileName, readGameFile } from "../dev/game-file.ts";
import type { Client } from "../remote/client.ts";
import { NoServiceKnown } from "../remote/connection.ts";
import { CommandFailed, exitCodes, UsageError } from "../remote/exit-codes.ts";
import { createProgress, type Progress } from "../remote/progress.ts";
import type { Remote } from "../remote/run-remote.ts";
import { clean } from "../remote/show.ts";
import type { Target } from "../remote/target.ts";
import { showFiles, uploadArchive, withArchive } from "./build.ts";
import { followBuilds, followLobbies } from "./follow.ts";

type OwnGame = GameFile & { readonly config: VersionConfig };

/** `foyer deploy NAMESPACE`: checks, packs and uploads the folder, makes a version of it and deploys that. */
export async function deploy(remote: Remote): Promise<number> {
  const { parsed, terminal, signal } = remote;
  const game = readOwnGame(remote.cwd);
  if (parsed.flags.has("list")) {
    showFiles(remote, game);
    return exitCodes.done;
  }
  const [namespace_id] = parsed.words;
  if (namespace_id === undefined) throw new UsageError("To which namespace? For example: foyer deploy prod");
  const client = await remote.client();
  const issues = await findIssues(remote, game);
  if (issues.length > 0) {
    throw new CommandFailed([`${gameFileName} cannot be deployed.`, ...describeIssues(game, issues)].join("\n"));
  }
  const progress = createProgress(terminal);
  const target = { game_id: game.name_id, namespace_id };
  let step: "before" | "during" | "after" = "before";
  try {
    const config = await prepare(remote, client, game, target, progress);
    const { namespace } = await client.games.namespaces.getGameNamespace(target.game_id, namespace_id);
    const before = await readDeployed(client, target.game_id, namespace.version_id);
    const name = parsed.flags.get("name");
    const difference = describeDifference(before?.config ?? {}, config);
    if (before !== null && difference.length === 0 && (name ?? before.display_name) === before.display_name) {
      const answer = { version_id: namespace.version_id, is_new: false };
      remote.print(answer, () => "Nothing has changed since the deployed version.\n");
      return exitCodes.done;
    }
    for (const line of difference) terminal.err(`  ${clean(line)}\n`);
    terminal.err(describeWarnings(game));
    const display_name = name ?? nameOf(terminal.now());
    const { version_id } = await client.games.versions.createGameVersion(target.game_id, { display_name, config });
    signal.throwIfAborted();
    step = "during";
    await putVersion(client, target, version_id, namespace.version_id);
    step = "after";
    progress.done(`Deployed ${clean(display_name)} to ${target.game_id} / ${namespace_id}.`);
    const count = await follow(remote, client, progress, {
      target,
      config,
      from: version_id,
      to: namespace.version_id,
    });
    remote.print({ version_id, display_name, is_new: true }, () => `${describeReady(count)}\n`);
    return exitCodes.done;
  } catch (error) {
    throw signal.aborted ? new CommandFailed(stoppedWhen[step]) : error;
  }
}

const stoppedWhen = {
  before: "Nothing was deployed.",
  during: "foyer status says whether it was deployed.",
  after: "The new version is deployed, and foyer rollback undoes that.",
} as const;

function readOwnGame(folder: string): OwnGame {
  const game = readGameFile(folder, "default", 1);
  const { config } = game;
  if (config === null) throw new CommandFailed(`There is no ${gameFileName} here. foyer init writes one.`);
  return { ...game, config };
}

/** Packs before the game is created, so that a refused file leaves nothing behind. The document, with the build in it. */
async function prepare(
  remote: Remote,
  client: Client,
  game: OwnGame,
  { game_id, namespace_id }: Target,
  progress: Progress,
): Promise<VersionConfig> {
  const modes = Object.entries(game.config.game_modes);
  const needsBuild = modes.some(([, { runtime }]) => runtime?.process && runtime.process.build_id === undefined);
  if (!needsBuild) {
    await ensureGame(client, game, namespace_id, progress);
    return game.config;
  }
  return withArchive(remote, game, progress, async (archive) => {
    await ensureGame(client, game, namespace_id, progress);
    const build_id = await uploadArchive(client, game_id, archive, remote, progress);
    const built = modes.map(([name, mode]) => {
      const program = mode.runtime?.process;
      if (!program || program.build_id !== undefined) return [name, mode];
      return [name, { ...mode, runtime: { process: { ...program, build_id } } }];
    });
    return { ...game.config, game_modes: Object.fromEntries(built) };
  });
}

/** Waits for builds and warm lobbies. When they cannot come, the deploy is undone. */
async function follow(
  { signal }: Remote,
  client: Client,
  progress: Progress,
  deployed: { target: Target; config: VersionConfig; from: string; to: string | null },
): Promise<number> {
  const { target, config, from } = deployed;
  // Cast: the service has accepted the document.
  const buildIds = listBuildIds(config as Parameters<typeof listBuildIds>[0]);
  const prepared = await followBuilds(client, { game_id: target.game_id, buildIds }, progress, signal);
  if (prepared.kind === "late") {
    throw new CommandFailed(
      "Some nodes did not have the build within 10 minutes. It is deployed; foyer call games.builds.getBuild says which.",
    );
  }
  if (prepared.kind === "failed") {
    const consequence = prepared.isNowhere
      ? await undo(client, deployed)
      : "It is deployed, and its lobbies start on the other nodes.";
    throw new CommandFailed(`${prepared.reason}\n${consequence}`);
  }
  const wanted = wantedIdle(config);
  const outcome = await followLobbies({ client, ...target, versionId: from, wanted }, progress, signal);
  if (outcome.kind === "ready") return outcome.count;
  if (outcome.kind === "late") {
    throw new CommandFailed(
      "Its warm lobbies were not ready within 2 minutes. foyer status and foyer lobbies say more; foyer rollback undoes it.",
    );
  }
  const undone = await undo(client, deployed);
  throw new CommandFailed(`Two lobbies of the new version failed: ${outcome.reason}\n${undone}`);
}

/** The game and the namespace that the first deploy needs. */
async function ensureGame(client: Client, game: GameFile, namespace: string, progress: Progress): Promise<void> {
  const { name_id, display_name } = game;
  await createUnlessThere(progress, `game ${name_id}`, () => client.games.createGame({ display_name, name_id }));
  await createUnlessThere(progress, `namespace ${namespace}`, () =>
    client.games.namespaces.createGameNamespace(name_id, { display_name: namespace, name_id: namespace }),
  );
}

async function createUnlessThere(progress: Progress, what: string, create: () => Promise<unknown>): Promise<void> {
  try {
    await create();
    progress.done(`Created the ${what}.`);
  } catch (error) {
    // A cloud token may not create games; then the game has to exist.
    const isThere = isFoyerError(error) && ["CLOUD_NAME_TAKEN", "TOKEN_FORBIDDEN"].includes(error.code);
    if (!isThere) throw error;
  }
}

async function readDeployed(client: Client, game_id: string, version_id: string | null) {
  return version_id === null ? null : (await client.games.versions.getGameVersion(game_id, version_id)).version;
}

/** Refused when another version was deployed since this one was read, so that no deploy undoes another. */
export async function putVersion(
  client: Client,
  { game_id, namespace_id }: Target,
  version_id: string,
  expected: string | null,
): Promise<void> {
  const body = { version_id, ...(expected !== null && { expected_version_id: expected }) };
  await client.games.namespaces.updateGameNamespaceVersion(game_id, namespace_id, body);
}

async function undo(
  client: Client,
  { target, from, to }: { readonly target: Target; readonly from: string; readonly to: string | null },
): Promise<string> {
  if (to === null) return "There is no earlier version to roll back to.";
  try {
    await putVersion(client, target, to, from);
    return "Rolled back to the version before.";
  } catch (error) {
    return `Not rolled back: ${(error as Error).message}`;
  }
}

/** What differs between two version documents: one line for each field that was added, removed or changed. */
function describeDifference(before: unknown, after: unknown, path = ""): string[] {
  if (isObject(before) && isObject(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
    return names.flatMap((name) =>
      describeDifference(before[name], after[name], path === "" ? name : `${path}.${name}`),
    );
  }
  const [from, to] = [JSON.stringify(before), JSON.stringify(after)];
  if (from === to) return [];
  if (before === undefined) return [`+ ${path}: ${to}`];
  return after === undefined ? [`- ${path}: ${from}`] : [`~ ${path}: ${from} → ${to}`];
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function wantedIdle(config: VersionConfig): Record<string, number> {
  const modes = Object.entries(config.game_modes).map(
    ([name, { idle_lobbies }]) => [name, idle_lobbies?.min ?? 0] as const,
  );
  return Object.fromEntries(modes.filter(([, min]) => min > 0));
}

const nameOf = (now: number) => new Date(now).toISOString().slice(0, 19).replace("T", " ");

function describeReady(count: number): string {
  if (count === 0) return "The first player starts a lobby.";
  return count === 1 ? "1 warm lobby is ready." : `${count} warm lobbies are ready.`;
}

/** A line for each thing that is valid and still likely a mistake. */
function describeWarnings({ config }: OwnGame): string {
  const { resolved } = checkVersionConfig(config);
  const warnings = resolved ? warnOfVersion(resolved) : [];
  return warnings.map(({ path, message }) => `warning: ${clean(path.slice(1, -1).join("."))} ${message}\n`).join("");
}

/** `foyer validate`: whether foyer.game.json could be deployed. */
export async function validate(remote: Remote): Promise<number> {
  const game = readOwnGame(remote.cwd);
  const errors = await findIssues(remote, game);
  if (errors.length === 0) remote.terminal.err(describeWarnings(game));
  remote.print({ errors }, () =>
    errors.length === 0 ? `${gameFileName} can be deployed.\n` : `${describeIssues(game, errors).join("\n")}\n`,
  );
  return errors.length === 0 ? exitCodes.done : exitCodes.failed;
}

/** When no service is known here, or it does not have the game yet, only the document itself is checked. */
async function findIssues(remote: Remote, { name_id, config }: OwnGame) {
  try {
    const { games } = await remote.client();
    return (await games.versions.validateGameVersion(name_id, { display_name: "validate", config })).errors;
  } catch (error) {
    const isNewGame = isFoyerError(error) && error.status === 404;
    if (isNewGame || error instanceof NoServiceKnown) return checkVersionConfig(config).issues;
    throw error;
  }
}
