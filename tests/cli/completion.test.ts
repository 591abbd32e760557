import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { commands } from "../../src/cli/commands.ts";
import { shells } from "../../src/cli/completion/scripts.ts";
import { operationAliases } from "../../src/cli/remote/operation-aliases.ts";
import { operationIds } from "../../src/contract/index.ts";
import { withoutTerminal } from "../support/pseudo-terminal.ts";
import { root } from "../support/repository.ts";
import { runFoyer } from "../support/run-foyer.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let cwd: string;
const scripts = new Map<string, string>();

beforeAll(async () => {
  cwd = temporaryFolder();
  for (const shell of shells) {
    const { code, out, err } = await withoutTerminal(["completion", shell], { cwd });
    expect({ code, err }).toEqual({ code: 0, err: "" });
    scripts.set(shell, out);
    writeFileSync(join(cwd, `foyer.${shell}`), out);
  }
  mkdirSync(join(cwd, "folder"));
  writeFileSync(join(cwd, "token file.txt"), "");
});

/** What the scripts get for these words, without the descriptions. */
async function complete(...words: string[]): Promise<string[]> {
  const { code, out, err } = await runFoyer(["__complete", ...words]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return out
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.split("\t", 1)[0]!)
    .sort();
}

/** What bash offers when Tab is pressed after these words, the last of which may be unfinished. */
function inBash(...words: string[]): string[] {
  const script = `
    foyer() { "${process.execPath}" "${join(root, "dist/cli/foyer.js")}" "$@"; }
    source ./foyer.bash
    COMP_WORDS=(foyer "$@"); COMP_CWORD=$#
    complete -p foyer >/dev/null && _foyer
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const args = ["--norc", "--noprofile", "-uc", script, "bash", ...words];
  return execFileSync("bash", args, { cwd, encoding: "utf8" })
    .split("\n")
    .filter((line) => line !== "")
    .sort();
}

describe("what may come next", () => {
  test("[CT1] commands, and the words of commands", async () => {
    expect(await complete("")).toEqual([...Object.keys(commands), ...operationAliases].sort());
    expect(await complete("lo")).toEqual(["load", "lobbies", "login", "logout", "logs"]);
    expect(await complete("lobbies", "")).toEqual(["close", "list", "open", "stop"]);
    expect(await complete("help", "ex")).toEqual(["exit-codes", "export"]);
    expect(await complete("completion", "")).toEqual(["bash", "fish", "zsh"]);
    expect(await complete("status", "")).toEqual([]);
  });

  test("[CT1] operations, by id and in words", async () => {
    expect(await complete("call", "")).toEqual([...operationIds].sort());
    expect(await complete("call", "games.namespaces.lobbies.s")).toEqual([
      "games.namespaces.lobbies.setClosed",
      "games.namespaces.lobbies.stop",
    ]);
    expect(await complete("games", "namespaces", "lobbies", "g")).toEqual(["get", "getLogs"]);
    for (const id of operationIds.filter((each) => operationAliases.includes(each.split(".")[0]!)).slice(0, 10)) {
      const words = id.split(".");
      expect(await complete(...words)).toContain(words.at(-1));
    }
  });

  test("[CT1] flags of commands, settings and operations, also after other flags and words", async () => {
    expect(await complete("load", "--p")).toEqual(["--party", "--patience", "--play", "--players", "--profile"]);
    expect(await complete("--no-d")).toEqual(["--no-demo"]);
    expect(await complete("serve", "--port", "0", "--log-")).toEqual(["--log-format", "--log-level"]);
    expect(await complete("status", "--json", "--game", "chess", "--na")).toEqual(["--namespace"]);
    expect(await complete("lobbies", "stop", "0193", "--y")).toEqual(["--yes"]);
    expect(await complete("call", "games.createGame", "--na")).toEqual(["--name-id"]);
    expect(await complete("games", "namespaces", "lobbies", "getLogs", "chess", "prod", "0193", "--st")).toEqual([
      "--stream",
    ]);
  });

  test("[CT1] values: a choice, a file, a folder, with and without an equals sign", async () => {
    expect(await complete("serve", "--log-format", "")).toEqual(["auto", "json", "pretty"]);
    expect(await complete("serve", "--log-format", "=", "j")).toEqual(["json"]);
    expect(await complete("serve", "--log-format", "=")).toEqual(["auto", "json", "pretty"]);
    expect(await complete("serve", "--log-format=j")).toEqual(["--log-format=json"]);
    expect(await complete("status", "--token-file", "tok")).toEqual([":file"]);
    expect(await complete("status", "--data-dir", "")).toEqual([":folder"]);
    expect(await complete("backup", "fol")).toEqual([":file"]);
    expect(await complete("load", "--rate", "")).toEqual([]);
    expect(await complete("dev", "--", "no")).toEqual([":command"]);
    expect(await complete("dev", "--", "node", "tok")).toEqual([":file"]);
  });
});

describe("completion in a real bash", () => {
  test("[CT1] the script offers what foyer __complete says, and files with spaces", () => {
    expect(inBash("lo")).toEqual(["load", "lobbies", "login", "logout", "logs"]);
    expect(inBash("serve", "--log-format", "=")).toEqual(["auto", "json", "pretty"]);
    expect(inBash("status", "--token-file", "tok")).toEqual(["token file.txt"]);
    expect(inBash("status", "--data-dir", "=", "fol")).toEqual(["folder"]);
    expect(inBash("dev", "--", "node", "tok")).toEqual(["token file.txt"]);
  });
});

describe("completion elsewhere", () => {
  test("[CT1] the script for zsh keeps to syntax that bash can check", () => {
    execFileSync("bash", ["-n", join(cwd, "foyer.zsh")]);
    expect(scripts.get("zsh")).toMatch(/^#compdef foyer\n/);
  });

  test("[CT1] the script for fish closes every block and every quote", () => {
    const lines = scripts
      .get("fish")!
      .split("\n")
      .map((line) => line.trim());
    let depth = 0;
    for (const line of lines) {
      // Quotes first: a description may have any word in it.
      const bare = line.replace(/'(?:\\.|[^'\\])*'/g, "''").replace(/"[^"']*"/g, '""');
      expect(bare.replaceAll("''", "").replaceAll('""', "")).not.toMatch(/^[^#]*['"]/);
      if (/^(?:function|if|for|while|switch|begin)\b/.test(bare)) depth += 1;
      if (bare === "end") depth -= 1;
      expect(depth).toBeGreaterThanOrEqual(0);
    }
    expect(depth).toBe(0);
    expect(lines).toContain("complete -c foyer -f -a '(__foyer_complete)'");
  });

  test("[CT1] another shell is refused", async () => {
    expect(await withoutTerminal(["completion", "tcsh"], { cwd })).toMatchObject({
      code: 2,
      err: 'foyer: "tcsh" is not one of bash, zsh, fish. For example: foyer completion bash\n',
    });
    const firsts = new Set(operationIds.map((id) => id.split(".")[0]!));
    expect(operationAliases.filter((name) => !firsts.has(name))).toEqual([]);
  });
});
