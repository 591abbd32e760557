import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { commands } from "../../src/cli/commands.ts";
import { createModel, shells } from "../../src/cli/completion/model.ts";
import { operationAliases } from "../../src/cli/remote/operation-aliases.ts";
import { operationIds } from "../../src/contract/index.ts";
import { withoutTerminal } from "../support/pseudo-terminal.ts";
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

/** What bash offers when Tab is pressed after these words, the last of which may be unfinished. */
function complete(...words: string[]): string[] {
  const script = `
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

describe("completion in a real bash", () => {
  test("[CT1] commands, and the words of commands", () => {
    expect(complete("")).toEqual([...Object.keys(commands), ...operationAliases].sort());
    expect(complete("lo")).toEqual(["load", "lobbies", "login", "logout", "logs"]);
    expect(complete("lobbies", "")).toEqual(["close", "list", "open", "stop"]);
    expect(complete("help", "ex")).toEqual(["exit-codes", "export"]);
    expect(complete("completion", "")).toEqual(["bash", "fish", "zsh"]);
    expect(complete("status", "")).toEqual([]);
  });

  test("[CT1] operations, by id and in words", () => {
    expect(complete("call", "")).toEqual([...operationIds].sort());
    expect(complete("call", "games.namespaces.lobbies.s")).toEqual([
      "games.namespaces.lobbies.setClosed",
      "games.namespaces.lobbies.stop",
    ]);
    expect(complete("games", "namespaces", "lobbies", "g")).toEqual(["get", "getLogs"]);
    for (const id of operationIds.filter((each) => operationAliases.includes(each.split(".")[0]!)).slice(0, 10)) {
      const words = id.split(".");
      expect(complete(...words)).toContain(words.at(-1));
    }
  });

  test("[CT1] flags of commands, settings and operations, also after other flags and words", () => {
    expect(complete("load", "--p")).toEqual(["--party", "--patience", "--play", "--players", "--profile"]);
    expect(complete("--no-d")).toEqual(["--no-demo"]);
    expect(complete("serve", "--port", "0", "--log-")).toEqual(["--log-format", "--log-level"]);
    expect(complete("status", "--json", "--game", "chess", "--na")).toEqual(["--namespace"]);
    expect(complete("lobbies", "stop", "0193", "--y")).toEqual(["--yes"]);
    expect(complete("call", "games.createGame", "--na")).toEqual(["--name-id"]);
    expect(complete("games", "namespaces", "lobbies", "getLogs", "chess", "prod", "0193", "--st")).toEqual([
      "--stream",
    ]);
  });

  test("[CT1] values: a choice, a file, a folder, with and without an equals sign", () => {
    expect(complete("serve", "--log-format", "")).toEqual(["auto", "json", "pretty"]);
    expect(complete("serve", "--log-format", "=", "j")).toEqual(["json"]);
    expect(complete("serve", "--log-format", "=")).toEqual(["auto", "json", "pretty"]);
    expect(complete("status", "--token-file", "tok")).toEqual(["token file.txt"]);
    expect(complete("status", "--data-dir", "")).toEqual(["folder"]);
    expect(complete("backup", "fol")).toEqual(["folder"]);
    expect(complete("load", "--rate", "")).toEqual([]);
    expect(complete("dev", "--", "node", "tok")).toEqual(["token file.txt"]);
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

  test("[CT1] every shell has every command, operation and flag", () => {
    const { words, flags } = createModel();
    const all = [...words.values(), ...flags.values()].flat().map(({ word }) => word);
    for (const shell of shells) expect(all.filter((word) => !scripts.get(shell)!.includes(word))).toEqual([]);
  });

  test("[CT1] another shell is refused, and a flag means the same in every command", async () => {
    expect(await withoutTerminal(["completion", "tcsh"], { cwd })).toMatchObject({
      code: 2,
      err: 'foyer: "tcsh" is not one of bash, zsh, fish. For example: foyer completion bash\n',
    });
    const { switches, values } = createModel();
    expect(switches.filter((flag) => values.has(flag))).toEqual([]);
    const firsts = new Set(operationIds.map((id) => id.split(".")[0]!));
    expect(operationAliases.filter((name) => !firsts.has(name))).toEqual([]);
  });
});
