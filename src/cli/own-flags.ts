import { readCommandLine } from "../config/sources.ts";

/** The flags of a command that are not settings, and the rest of the command line. */
export interface OwnFlags {
  readonly argv: readonly string[];
  /** `foyer repair --yes`. */
  readonly isConfirmed: boolean;
  /** `foyer export --builds DIR` and `foyer import --builds DIR`; null: not given. */
  readonly builds: string | null;
}

const confirmation = "--yes";
const builds = "--builds";

export function takeOwnFlags(given: readonly string[]): OwnFlags {
  const [name = ""] = readCommandLine(given).words;
  if (name === "repair") {
    const argv = given.filter((argument) => argument !== confirmation);
    return { argv, isConfirmed: argv.length < given.length, builds: null };
  }
  if (name === "export" || name === "import") return takeBuilds(given);
  return { argv: given, isConfirmed: false, builds: null };
}

/** Without its value it stays, and is refused as an unknown flag. */
function takeBuilds(given: readonly string[]): OwnFlags {
  const at = given.findIndex((argument) => argument === builds || argument.startsWith(`${builds}=`));
  const isOneWord = given[at] !== builds;
  const value = at === -1 ? "" : isOneWord ? given[at]!.slice(builds.length + 1) : (given[at + 1] ?? "");
  if (value === "" || value.startsWith("-")) return { argv: given, isConfirmed: false, builds: null };
  return { argv: given.toSpliced(at, isOneWord ? 1 : 2), isConfirmed: false, builds: value };
}
