import { shortLine } from "../../ground/plain-line.ts";
import { type DockerProgram, LobbyNotStarted } from "../runtime.ts";
import type { DockerOptions, RecordedImage } from "./docker-parts.ts";
import { type Engine, EngineAway, EngineRefusal } from "./engine.ts";
import { forAtMost, whileAway } from "./patience.ts";

/** Finds the image of a version, pulls it if it must, and resolves with its id. Lobbies that start together share the work. */
export type ResolveImage = (program: DockerProgram) => Promise<string>;

export function createResolveImage(engine: Engine, options: DockerOptions): ResolveImage {
  const resolving = new Map<string, Promise<string>>();
  return (program) => {
    const key = `${program.versionId} ${program.pull} ${program.image}`;
    const known = resolving.get(key);
    if (known) return known;
    const task = resolve(engine, options, program).finally(() => resolving.delete(key));
    resolving.set(key, task);
    return task;
  };
}

async function resolve(engine: Engine, options: DockerOptions, program: DockerProgram): Promise<string> {
  const { images, backoff, waitMs } = options;
  const inspect = (reference: string) => whileAway(() => inspectImage(engine, reference), backoff, forAtMost(waitMs));
  const { versionId, image, pull: when } = program;
  const recorded = await images.find(versionId, image);
  if (recorded) return findRecorded(engine, options, program, recorded);

  const before = when === "always" ? null : await inspect(image);
  if (before === null && when !== "never") await pull(engine, options, image, image);
  const found = before ?? (await inspect(image));
  if (found === null) throw notHere(image, when);
  const valid = await images.record(versionId, image, { imageId: found.Id, digest: chooseDigest(found, image) });
  return valid.imageId === found.Id ? found.Id : findRecorded(engine, options, program, valid);
}

/** The image that the version was first started with, even if its name means another one by now. */
async function findRecorded(
  engine: Engine,
  options: DockerOptions,
  { image, pull: when }: DockerProgram,
  { imageId, digest }: RecordedImage,
): Promise<string> {
  const { backoff, waitMs } = options;
  const isHere = () =>
    whileAway(async () => (await inspectImage(engine, imageId)) !== null, backoff, forAtMost(waitMs));
  if (await isHere()) return imageId;
  if (digest !== null && when !== "never") {
    await pull(engine, options, digest, image);
    if (await isHere()) return imageId;
  }
  throw new LobbyNotStarted(
    `The image that this version was first started with (${image}, ${imageId}) is not on this machine` +
      `${digest === null ? " and was not pulled from a registry" : ""}. Load it again, or deploy a new version.`,
  );
}

interface EngineImage {
  readonly Id: string;
  readonly RepoDigests?: readonly string[] | null;
}

/** Null: the machine does not have it. */
async function inspectImage(engine: Engine, reference: string): Promise<EngineImage | null> {
  try {
    // The engine's API defines the shape.
    return (await engine.ask("GET", `/images/${encodePath(reference)}/json`)) as EngineImage;
  } catch (error) {
    if (error instanceof EngineRefusal && error.status === 404) return null;
    throw error;
  }
}

/** `image` is what the version calls it. */
async function pull(engine: Engine, options: DockerOptions, reference: string, image: string): Promise<void> {
  const { pullWithinMs, backoff } = options;
  const { name, tag } = splitReference(reference);
  const mayGoOn = forAtMost(pullWithinMs);
  try {
    await whileAway(
      async () => {
        const query = { fromImage: name, tag };
        const answer = await engine.ask("POST", "/images/create", { query, withinMs: pullWithinMs });
        const error = findPullError(answer);
        if (error !== null) throw new EngineRefusal(500, error);
      },
      backoff,
      mayGoOn,
    );
  } catch (error) {
    if (error instanceof EngineAway) {
      const message = `The image ${image} was not pulled within ${pullWithinMs / 1000} s. Pull it by hand, or raise FOYER_DOCKER_PULL_S.`;
      throw new LobbyNotStarted(message, { cause: error, isShortage: true });
    }
    if (!(error instanceof EngineRefusal)) throw error;
    const reason = shortLine(error.message, reasonMax).replace(/\.$/, "");
    const message = `The image ${image} could not be pulled: ${reason}. Check its name and its registry, or load it by hand.`;
    throw new LobbyNotStarted(message, { cause: error });
  }
}

const reasonMax = 300;

/** The engine answers 200 before it knows how a pull ends; each line of the answer is an object, and one has the error. */
function findPullError(answer: unknown): string | null {
  const lines = typeof answer === "string" ? answer.split("\n") : [JSON.stringify(answer)];
  for (const line of lines) {
    const [, error] = /"error"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(line) ?? [];
    if (error !== undefined) return readQuoted(error);
  }
  return null;
}

/** An engine may write what JSON does not allow, such as a tab. */
function readQuoted(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return text.slice(1, -1);
  }
}

function notHere(image: string, when: DockerProgram["pull"]): LobbyNotStarted {
  const why = when === "never" ? ", and the version says that it is never pulled" : "";
  return new LobbyNotStarted(`The image ${image} is not on this machine${why}. Load or build it there.`);
}

/** The name of the image in its registry; null: it has none, because it was built or loaded here. */
function chooseDigest({ RepoDigests }: EngineImage, image: string): string | null {
  const digests = RepoDigests ?? [];
  const { name } = splitReference(image);
  return digests.find((digest) => digest.startsWith(`${name}@`)) ?? digests[0] ?? null;
}

/** A reference without tag or digest means the tag latest. A colon before a slash belongs to a port. */
export function splitReference(reference: string): { name: string; tag: string } {
  const at = reference.indexOf("@");
  if (at >= 0) return { name: splitReference(reference.slice(0, at)).name, tag: reference.slice(at + 1) };
  const colon = reference.lastIndexOf(":");
  if (colon <= reference.lastIndexOf("/")) return { name: reference, tag: "latest" };
  return { name: reference.slice(0, colon), tag: reference.slice(colon + 1) };
}

/** The slashes of a reference stay as they are. */
function encodePath(reference: string): string {
  return reference.split("/").map(encodeURIComponent).join("/");
}
