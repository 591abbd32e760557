import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { gameFileName, readGameFile } from "../dev/game-file.ts";
import { CommandFailed } from "../remote/exit-codes.ts";
import type { Remote } from "../remote/run-remote.ts";
import { packSdk } from "./sdk-package.ts";
import { pageText, schemaFileName, schemaText, serverText } from "./templates.ts";

/** `foyer init`: a game that runs, to change into your own. It never replaces a file. */
export async function init({ cwd, print, parsed }: Remote): Promise<undefined> {
  if (existsSync(join(cwd, gameFileName))) throw new CommandFailed(`${gameFileName} is here already.`);
  const { name_id } = readGameFile(cwd, "default", 1);
  const game = parsed.words[0] ?? name_id;
  const isReady = isInstalled(cwd);
  // A game that has a package.json and the SDK got it from elsewhere, and npm will get it from there again.
  const sdk = isReady && existsSync(join(cwd, "package.json")) ? null : packSdk();
  const files: Record<string, string | Buffer> = {
    [gameFileName]: json({
      $schema: `./${schemaFileName}`,
      game,
      display_name: basename(cwd),
      page: "public",
      config: {
        regions: { local: { display_name: "Local" } },
        game_modes: {
          default: {
            max_players: 8,
            timeouts: { reconnect_s: 60, heartbeat_s: 30 },
            ports: { default: { protocol: "ws", routing: "gateway" } },
            runtime: { process: { command: "node", args: ["server.js"] } },
          },
        },
      },
    }),
    [schemaFileName]: schemaText(),
    "server.js": serverText,
    "public/index.html": pageText,
    "package.json": json({
      ...{ name: game, private: true, type: "module" },
      dependencies: { ...(sdk && { "foyer-sdk": `file:${sdk.fileName}` }), ws: "^8.18.0" },
    }),
    ...(sdk && { [sdk.fileName]: sdk.bytes }),
  };
  const written = Object.entries(files).filter(([name]) => !existsSync(join(cwd, name)));
  for (const [name, text] of written) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), text);
  }
  const names = written.map(([name]) => name);
  print({ game, written: names }, () =>
    [
      `Wrote ${names.join(", ")}.`,
      "",
      ...(isReady ? [] : [`  ${installCommand(names, sdk?.fileName)}installs what server.js needs`]),
      "  foyer dev -- node server.js     play it while you change it",
      "  foyer deploy prod               run it as a build, in the namespace prod",
      "",
    ].join("\n"),
  );
}

/** A package.json that was there before may not name what server.js needs. */
function installCommand(written: readonly string[], sdkFile = "foyer-sdk"): string {
  const command = written.includes("package.json") ? "npm install" : `npm install ./${sdkFile} ws`;
  return `${command.padEnd(30)}  `;
}

/** Whether a program in the folder can import what server.js does. */
function isInstalled(folder: string): boolean {
  const { resolve } = createRequire(join(folder, "package.json"));
  try {
    return ["foyer-sdk/server", "ws"].every((name) => resolve(name));
  } catch {
    return false;
  }
}

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
