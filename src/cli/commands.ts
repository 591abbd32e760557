import { remoteCommands } from "./remote/commands.ts";
import { connectionFlags, type Flags } from "./remote/flags.ts";

/** The commands, as data: run.ts runs them, help.ts describes them. */
export const commands = {
  serve: {
    usage: "foyer [serve] [flags]",
    summary: "Run the service; also what foyer does without a command.",
    details:
      "Listens until Ctrl-C or SIGTERM, then finishes the requests in flight and exits. The first start creates the data folder, a secret and an admin token.",
    examples: [
      ["foyer", "listen on 127.0.0.1:7100, data in .foyer"],
      ["foyer --host 0.0.0.0 --public-url https://play.example.com", "reachable by others"],
      ["FOYER_DATABASE_URL=postgres://foyer@db/foyer foyer", "rows in PostgreSQL"],
    ],
    wordsMin: 0,
    wordsMax: 0,
    takesSettings: true,
  },
  gateway: {
    usage: "foyer gateway [flags]",
    summary: "Pass players on to lobbies in a process of its own, which outlives restarts of the service.",
    details:
      "Listens on GATEWAY_HOST:GATEWAY_PORT, with TLS if tls_cert and tls_key are set. What is below /lobby/ goes to lobbies, everything else to service_url, whose trusted_proxies must contain this machine. Needs the secret of the service: from its data folder, or FOYER_SECRET. Set gateway_url of the service to the address of this gateway.",
    examples: [
      ["foyer gateway", "listen on 127.0.0.1:7103, in front of 127.0.0.1:7100"],
      ["foyer gateway --gateway-host 0.0.0.0 --gateway-port 443", "for players"],
    ],
    wordsMin: 0,
    wordsMax: 0,
    takesSettings: true,
  },
  config: {
    usage: "foyer config [flags]",
    summary: "Show every setting, its value and where the value came from.",
    details: "Checks the configuration as serve would and starts nothing. Secrets and passwords are not shown.",
    examples: [
      ["foyer config", "what serve would use here"],
      ["foyer config --config staging.json", "the same with another file"],
    ],
    wordsMin: 0,
    wordsMax: 0,
    takesSettings: true,
  },
  doctor: {
    usage: "foyer doctor [flags]",
    summary: "Check what Foyer needs here: clock, folder, disk, stores, ports, engine.",
    details:
      "Starts nothing and changes nothing. Each line says ok, or what is wrong and what to do. The exit code is 1 when something keeps Foyer from working.",
    examples: [
      ["foyer doctor", "with the settings that serve would use here"],
      ["foyer doctor --database-url postgres://foyer@db/foyer", "is that database reachable?"],
    ],
    wordsMin: 0,
    wordsMax: 0,
    takesSettings: true,
  },
  backup: {
    usage: "foyer backup FILE [flags]",
    summary: "Copy the embedded database to a new file, also while the service runs.",
    details:
      "The copy is consistent, and FILE must not exist yet. To restore, stop Foyer and replace foyer.db in the data folder with the copy. The archives of builds are copied to the folder FILE.builds; to restore them, move its files to the folder builds of the data folder. The secret and the admin token are not in it: keep the files secret and admin-token too. With PostgreSQL use pg_dump instead, which has the builds too.",
    examples: [
      ["foyer backup foyer-backup.db", "of the data folder .foyer"],
      ["foyer backup /backups/foyer.db --data-dir /var/lib/foyer", "of another one"],
    ],
    wordsMin: 1,
    wordsMax: 1,
    takesSettings: true,
  },
  export: {
    usage: "foyer export [FILE] [--builds DIR] [flags]",
    summary: "Write games, namespaces, versions and tokens as a document, also while the service runs.",
    details:
      "A consistent snapshot of the store, SQLite or PostgreSQL, as lines of JSON: games, versions, namespaces with their limits and domains, deployments, tokens (their hashes) and the history of lobbies. Without FILE it goes to standard output; FILE must not exist yet. Live lobbies, the secret and the admin token are not in it. With --builds, the archives of builds are copied to the folder DIR.",
    examples: [
      ["foyer export foyer.jsonl", "of the data folder .foyer"],
      ["FOYER_DATABASE_URL=postgres://foyer@db/foyer foyer export > foyer.jsonl", "of a PostgreSQL database"],
    ],
    wordsMin: 0,
    wordsMax: 1,
    takesSettings: true,
    flags: { builds: { value: "DIR", description: "Also copy the archives of builds to this folder." } },
  },
  import: {
    usage: "foyer import FILE [--builds DIR] [flags]",
    summary: "Import such a document into an empty store; - reads standard input.",
    details:
      "Imports all of it or nothing. The store must be empty and no service may use it. A document that is damaged, cut off or not an export of Foyer is refused, with the line number. With --builds, the archives of builds come from the folder DIR; it says which are missing. docs/from-one-machine-to-many.md describes a move step by step.",
    examples: [
      ["FOYER_DATABASE_URL=postgres://foyer@db/foyer foyer import foyer.jsonl", "from SQLite to PostgreSQL"],
      ["foyer import foyer.jsonl --data-dir /var/lib/foyer", "and back into a data folder"],
    ],
    wordsMin: 1,
    wordsMax: 1,
    takesSettings: true,
    flags: { builds: { value: "DIR", description: "The folder that has the archives of builds." } },
  },
  repair: {
    usage: "foyer repair [--yes] [flags]",
    summary: "Drop commits of live lobbies that a damaged log lost, and keep a copy.",
    details:
      "For a data folder on which Foyer refuses to start because acknowledged commits cannot be read. Prints their number and exits with 1; with --yes it copies the damaged files to a new folder and drops those commits, so that the service can start with the rest. Stop the service first. Games, tokens and versions are not touched.",
    examples: [
      ["foyer repair", "say what would be dropped"],
      ["foyer repair --yes --data-dir /var/lib/foyer", "drop it, in another data folder"],
    ],
    wordsMin: 0,
    wordsMax: 0,
    takesSettings: true,
    flags: { yes: { value: null, description: "Do it. Without it nothing changes." } },
  },
  ...remoteCommands,
  call: {
    usage: "foyer call OPERATION [ARGUMENTS] [FLAGS]",
    summary: "Call any operation of the API; foyer games … is short for those of games.",
    details:
      "The arguments are the ids and names in the operation's path; each field of its query and body is a flag. Without an operation it lists them all, and --help after one describes it. Answers are tables for people, and JSON with --json.",
    examples: [
      ["foyer call", "every operation"],
      ["foyer call games.createGame --display-name 'My Game' --name-id my-game", "create a game"],
      ["foyer games namespaces lobbies list my-game prod --json", "the same kind of call, without call"],
    ],
    wordsMin: 0,
    wordsMax: 100,
    flags: connectionFlags,
  },
  completion: {
    usage: "foyer completion bash|zsh|fish",
    summary: "Print a script with which your shell completes foyer's command line.",
    details:
      "It completes commands, operations, flags, and the values of flags that are files or a choice. It asks the foyer command that is installed, and no service.",
    examples: [
      ["source <(foyer completion bash)", "for this bash"],
      ["foyer completion bash > ~/.local/share/bash-completion/completions/foyer", "for every bash"],
      ["foyer completion zsh > ~/.zfunc/_foyer", "for zsh; ~/.zfunc has to be in fpath"],
      ["foyer completion fish > ~/.config/fish/completions/foyer.fish", "for fish"],
    ],
    wordsMin: 1,
    wordsMax: 1,
    takesSettings: false,
  },
  version: {
    usage: "foyer version",
    summary: "Print the version.",
    details: "Prints the version of Foyer and of the Node that runs it. foyer --version is the same.",
    examples: [["foyer version", "for a bug report"]],
    wordsMin: 0,
    wordsMax: 0,
    takesSettings: false,
  },
  help: {
    usage: "foyer help [COMMAND|OPERATION|exit-codes|environment]",
    summary: "Describe foyer or one command; help serve lists all settings.",
    details: "foyer COMMAND --help is the same.",
    examples: [
      ["foyer help serve", "every setting with its default"],
      ["foyer help games.createGame", "an operation of the API"],
      ["foyer help exit-codes", "for scripts"],
    ],
    wordsMin: 0,
    wordsMax: 1,
    takesSettings: false,
  },
} as const satisfies Record<string, Command>;

export type CommandName = keyof typeof commands;

interface Command {
  readonly usage: string;
  readonly summary: string;
  readonly details: string;
  /** Each a command line and what it does. */
  readonly examples: readonly (readonly [string, string])[];
  /** How many words follow the command's name. */
  readonly wordsMin: number;
  readonly wordsMax: number;
  readonly takesSettings?: boolean;
  /** Its own flags; absent: it takes settings, or none. */
  readonly flags?: Flags;
}
