import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listBuildIds } from "../../operations/cloud/version-builds.ts";
import { checkVersionConfig, warnOfVersion } from "../../operations/cloud/version-document.ts";
import { gameFileName, readGameFile, type VersionDocument } from "../dev/game-file.ts";
import type { Client, Json } from "../remote/client.ts";
import { Refused } from "../remote/client.ts";
import { confirm } from "../remote/confirm.ts";
import { NoServiceKnown } from "../remote/connection.ts";
import { CommandFailed, exitCodes } from "../remote/exit-codes.ts";
import { bar, createProgress, mib, type Progress } from "../remote/progress.ts";
import type { Remote } from "../remote/run-remote.ts";
import { clean } from "../remote/show.ts";
import { followBuilds } from "./follow-builds.ts";
import { followDeploy } from "./follow-deploy.ts";
import { packFolder } from "./pack.ts";
import { describeDifference } from "./version-difference.ts";

/** `foyer deploy NAMESPACE`: packs the folder, uploads it if it is new, makes a version of it and deploys that. */
export async function deploy(remote: Remote): Promise<number> {
  const { parsed, terminal, cwd, signal } = remote;
  const game = readGameFile(cwd, "default", 1);
  if (game.config === null) throw new CommandFailed(`There is no ${gameFileName} here. foyer init writes one.`);
  const client = await remote.client();
  const progress = createProgress(terminal);
  const params = { game_id: game.name_id, namespace_id: parsed.words[0]! };
  await ensureGame(client, game, params.namespace_id, progress);
  const { namespace } = await client.call("games.namespaces.getGameNamespace", { params });
  const config = await withBuild(client, game.config, game.name_id, cwd, progress);
  const before = await readConfig(client, params.game_id, namespace.version_id);
  const difference = describeDifference(before ?? {}, config);
  if (before !== null && difference.length === 0) {
    remote.print(
      { version_id: namespace.version_id, is_new: false },
      () => "Nothing has changed since the deployed version.\n",
    );
    return exitCodes.done;
  }
  for (const line of difference) terminal.err(`  ${clean(line)}\n`);
  terminal.err(describeWarnings(config));
  const display_name = parsed.flags.get("name") ?? nameOf(terminal.now());
  const { version_id } = await client.call("games.versions.createGameVersion", {
    params: { game_id: params.game_id },
    body: { display_name, config },
  });
  await putVersion(client, params, version_id, namespace.version_id);
  progress.done(`Deployed ${display_name} to ${params.game_id} / ${params.namespace_id}.`);
  await waitForBuilds(remote, client, progress, { params, config, from: version_id, to: namespace.version_id });
  const outcome = await followDeploy(
    { client, params, versionId: version_id, wanted: wantedIdle(config) },
    progress,
    signal,
  );
  if (outcome.kind === "ready") {
    const lobbies = describeReady(outcome.count);
    remote.print({ version_id, display_name, is_new: true }, () => `${lobbies}\n`);
    return exitCodes.done;
  }
  if (outcome.kind === "late") {
    throw new CommandFailed(
      "Its warm lobbies were not ready within 2 minutes. foyer status and foyer lobbies say more; foyer rollback undoes it.",
    );
  }
  const undone = await undo(client, params, { from: version_id, to: namespace.version_id });
  const log = outcome.log === "" ? "It wrote nothing." : `It wrote last:\n${outcome.log}`;
  throw new CommandFailed(`Two lobbies of the new version failed: ${clean(outcome.reason)}\n${log}\n${undone}`);
}

/** Lobbies start only on nodes that have the build. When none can have it, the deploy is undone. */
async function waitForBuilds(
  { signal }: Remote,
  client: Client,
  progress: Progress,
  deployed: { params: { game_id: string; namespace_id: string }; config: Json; from: string; to: string | null },
): Promise<void> {
  const { params, config } = deployed;
  const buildIds = listBuildIds(config);
  const prepared = await followBuilds(client, { game_id: params.game_id, buildIds }, progress, signal);
  if (prepared.kind === "ready") return;
  if (prepared.kind === "late") {
    throw new CommandFailed(
      "Some nodes did not have the build within 10 minutes. It is deployed; foyer call games.builds.getBuild says which.",
    );
  }
  const consequence = prepared.isNowhere
    ? await undo(client, params, deployed)
    : "It is deployed, and its lobbies start on the other nodes.";
  throw new CommandFailed(`${prepared.reason}\n${consequence}`);
}

/** The game and the namespace that the first deploy needs. */
async function ensureGame(
  client: Client,
  game: { name_id: string; display_name: string },
  namespace: string,
  progress: Progress,
): Promise<void> {
  await createUnlessThere(progress, `game ${game.name_id}`, () =>
    client.call("games.createGame", { body: { display_name: game.display_name, name_id: game.name_id } }),
  );
  await createUnlessThere(progress, `namespace ${namespace}`, () =>
    client.call("games.namespaces.createGameNamespace", {
      params: { game_id: game.name_id },
      body: { display_name: namespace, name_id: namespace },
    }),
  );
}

async function createUnlessThere(progress: Progress, what: string, create: () => Promise<unknown>): Promise<void> {
  try {
    await create();
    progress.done(`Created the ${what}.`);
  } catch (error) {
    // A cloud token may not create games; then the game has to exist.
    const isThere = error instanceof Refused && ["CLOUD_NAME_TAKEN", "TOKEN_FORBIDDEN"].includes(error.code);
    if (!isThere) throw error;
  }
}

/** The document with the folder as the build of every process that does not name another one. */
async function withBuild(
  client: Client,
  config: VersionDocument,
  game_id: string,
  folder: string,
  progress: Progress,
): Promise<Json> {
  const modes = Object.entries(config.game_modes);
  const needsBuild = modes.some(([, { runtime }]) => runtime?.process && runtime.process.build_id === undefined);
  if (!needsBuild) return config;
  const build_id = await uploadFolder(client, game_id, folder, progress);
  const built = modes.map(([name, mode]) => {
    const program = mode.runtime?.process;
    if (program === undefined || program.build_id !== undefined) return [name, mode];
    return [name, { ...mode, runtime: { process: { ...program, build_id } } }];
  });
  return { ...config, game_modes: Object.fromEntries(built) };
}

async function uploadFolder(client: Client, game_id: string, folder: string, progress: Progress): Promise<string> {
  const scratch = mkdtempSync(join(tmpdir(), "foyer-deploy-"));
  try {
    const archive = await packFolder(folder, join(scratch, "build.tar.gz"), (done, of) =>
      progress.update(`Packing   ${bar(done, of)}`),
    );
    progress.done(`Packed ${archive.fileCount} files, ${mib(archive.size)}.`);
    const params = { game_id };
    const query = { sha256: archive.sha256 };
    const known = await client.call("games.builds.listBuilds", { params, query });
    if (known.builds.length > 0) {
      progress.done("The service has this build already.");
      return known.builds[0].build_id;
    }
    let sent = 0;
    const { build_id } = await client.upload("games.builds.createBuild", archive.file, { params, query }, (bytes) => {
      sent += bytes;
      progress.update(`Uploading ${bar(sent, archive.size)}`);
    });
    progress.done(`Uploaded the build ${build_id}.`);
    return build_id;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function readConfig(client: Client, game_id: string, version_id: string | null): Promise<Json | null> {
  if (version_id === null) return null;
  const { version } = await client.call("games.versions.getGameVersion", { params: { game_id, version_id } });
  return version.config;
}

/** Refused when another version was deployed since this one was read, so that no deploy undoes another. */
async function putVersion(
  client: Client,
  params: Readonly<Record<string, string>>,
  version_id: string,
  expected: string | null,
) {
  const body = { version_id, ...(expected !== null && { expected_version_id: expected }) };
  await client.call("games.namespaces.updateGameNamespaceVersion", { params, body });
}

async function undo(
  client: Client,
  params: Readonly<Record<string, string>>,
  { from, to }: { from: string; to: string | null },
) {
  if (to === null) return "There is no earlier version to roll back to.";
  try {
    await putVersion(client, params, to, from);
    return "Rolled back to the version before.";
  } catch (error) {
    return `Not rolled back: ${(error as Error).message}`;
  }
}

function wantedIdle(config: VersionDocument): Record<string, number> {
  const modes = Object.entries(config.game_modes).map(
    ([name, { idle_lobbies }]) => [name, idle_lobbies?.min ?? 0] as const,
  );
  return Object.fromEntries(modes.filter(([, min]) => min > 0));
}

const nameOf = (now: number) => new Date(now).toISOString().slice(0, 19).replace("T", " ");

/** `foyer rollback NAMESPACE`: deploys the version that was deployed before. */
export async function rollback(remote: Remote): Promise<undefined> {
  const client = await remote.client();
  const { cwd, parsed } = remote;
  const game_id = parsed.flags.get("game") ?? readGameFile(cwd, "default", 1).name_id;
  const params = { game_id, namespace_id: parsed.words[0]! };
  const { versions } = await client.call("games.namespaces.getVersionHistory", { params, query: { limit: "100" } });
  const [current, ...earlier] = versions as Json[];
  const previous = earlier.find(({ version_id, is_deleted }) => version_id !== current.version_id && !is_deleted);
  if (previous === undefined) throw new CommandFailed("No other version was deployed there before.");
  const names = [previous, current].map(({ display_name }) => `"${clean(display_name)}"`);
  await confirm(remote, `${names[0]} will be deployed to ${game_id} / ${params.namespace_id} in place of ${names[1]}`);
  await putVersion(client, params, previous.version_id, current.version_id);
  remote.print(
    previous,
    () => `Deployed ${clean(previous.display_name)} again, in place of ${clean(current.display_name)}.\n`,
  );
}

function describeReady(count: number): string {
  if (count === 0) return "The first player starts a lobby.";
  return count === 1 ? "1 warm lobby is ready." : `${count} warm lobbies are ready.`;
}

/** `foyer validate`: whether foyer.game.json could be deployed. */
export async function validate(remote: Remote): Promise<number> {
  const { cwd } = remote;
  const game = readGameFile(cwd, "default", 1);
  if (game.config === null) throw new CommandFailed(`There is no ${gameFileName} here. foyer init writes one.`);
  const answer = await askService(remote, game.name_id, game.config);
  const errors = answer ?? checkVersionConfig(game.config).issues;
  const lines = errors.map(({ path, message }: Json) => `${path.join(".")}: ${clean(message)}\n`);
  if (errors.length === 0) remote.terminal.err(describeWarnings(game.config));
  remote.print({ errors }, () => (errors.length === 0 ? `${gameFileName} can be deployed.\n` : lines.join("")));
  return errors.length === 0 ? exitCodes.done : exitCodes.failed;
}

/** A line for each thing that is valid and still likely a mistake. */
function describeWarnings(config: Json): string {
  const { resolved } = checkVersionConfig(config, new Set(listBuildIds(config)));
  const warnings = resolved ? warnOfVersion(resolved) : [];
  return warnings.map(({ path, message }) => `warning: ${clean(path.slice(1, -1).join("."))} ${message}\n`).join("");
}

/** Null: no service is known here, or it does not have the game yet. Then only the document itself is checked. */
async function askService(remote: Remote, game_id: string, config: VersionDocument): Promise<Json[] | null> {
  try {
    const client = await remote.client();
    const body = { display_name: "validate", config };
    return (await client.call("games.versions.validateGameVersion", { params: { game_id }, body })).errors;
  } catch (error) {
    const isNewGame = error instanceof Refused && error.status === 404;
    const isAlone = error instanceof NoServiceKnown;
    if (isNewGame || isAlone) return null;
    throw error;
  }
}
