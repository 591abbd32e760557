import { posix } from "node:path";
import type { ResolvedVersionConfig } from "../../contract/version-config.ts";
import { isUuid } from "./pagination.ts";

type Fields = Readonly<Record<string, unknown>>;
interface Found {
  readonly place: string[];
  readonly reason: "not_found" | "invalid";
  readonly message: string;
}

/** The builds that a version document names, each once, in lower case. The document may have any shape. */
export function listBuildIds(config: unknown): string[] {
  const modes = Object.values(asFields(asFields(config).game_modes));
  const given = modes.map((mode) => asFields(asFields(asFields(mode).runtime).process).build_id);
  return [...new Set(given.filter(isId).map((id) => id.toLowerCase()))];
}

/** The regions in which a version runs lobbies of the build. */
export function listBuildRegions(config: ResolvedVersionConfig, buildId: string): string[] {
  const modes = Object.values(config.game_modes).filter(
    ({ runtime }) => "process" in runtime && runtime.process.build_id === buildId,
  );
  return [...new Set(modes.flatMap(({ regions }) => regions))];
}

/** Issues of a process with a build: the build, and paths that would leave its folder. */
export function checkBuild(place: string[], process: Fields, known: ReadonlySet<string>): Found[] {
  const { build_id: buildId, cwd, command } = process;
  if (!isId(buildId)) return [];
  const found: Found[] = [];
  if (!known.has(buildId.toLowerCase())) {
    const message = "names a build that the game does not have";
    found.push({ place: [...place, "build_id"], reason: "not_found", message });
  }
  if (typeof cwd === "string" && !isInside(cwd)) {
    const message = "must be a folder of the build, relative to it";
    found.push({ place: [...place, "cwd"], reason: "invalid", message });
  }
  if (typeof command === "string" && isInBuild(command) && !isInside(command)) {
    found.push({ place: [...place, "command"], reason: "invalid", message: "must not leave the folder of the build" });
  }
  return found;
}

/** Whether a command names a file of the build, and not a program of the machine. */
export function isInBuild(command: string): boolean {
  return command.includes("/") && !posix.isAbsolute(command);
}

function isInside(path: string): boolean {
  const whole = posix.normalize(path);
  return !posix.isAbsolute(whole) && whole !== ".." && !whole.startsWith("../");
}

const isId = (value: unknown): value is string => typeof value === "string" && isUuid(value);

const asFields = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
