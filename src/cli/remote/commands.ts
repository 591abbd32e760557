import { loadFlags } from "../load/options.ts";
import { confirmFlag } from "./confirm-flag.ts";
import { connectionFlags, type Flags, targetFlags } from "./flags.ts";

const about: Flags = { ...targetFlags, ...connectionFlags };

/** The commands that talk to a running service, as data: run.ts runs them, help.ts describes them. */
export const remoteCommands = {
  dev: {
    usage: "foyer dev [FLAGS] -- PROGRAM [ARGUMENTS]",
    summary: "Run your game server as a lobby, and restart it when files change.",
    details:
      "Starts a Foyer if none runs on the data folder here, registers one lobby, and gives your program its variables: FOYER_TOKEN, FOYER_API_ENDPOINT, PORT and the others. When a file changes, the program restarts and the lobby stays: its seats are held, and players come back. Prints a page to play on, and what your client needs. Ctrl-C ends all of it and leaves nothing behind. foyer.game.json is used if there is one.",
    examples: [
      ["foyer dev -- node server.js", "one lobby for up to 8 players"],
      ["foyer dev --max-players 2 -- node --inspect server.js", "with a debugger"],
      ["foyer dev --page public -- python3 server.py", "with your own page, and any language"],
    ],
    endsByStop: true,
    wordsMin: 0,
    wordsMax: 1000,
    flags: {
      mode: { value: "MODE", description: "The game mode; the first of foyer.game.json, or default." },
      "max-players": { value: "COUNT", description: "Seats of the lobby, without a foyer.game.json; 8 by default." },
      page: { value: "DIR", description: "Folder with your web page; without one, a page for trying the lobby." },
      "page-port": { value: "PORT", description: "Port of the page; 7110 by default, or any free one." },
      "data-dir": connectionFlags["data-dir"]!,
    },
  },
  init: {
    usage: "foyer init [GAME]",
    summary: "Write a small game that runs: foyer.game.json, a server and a page.",
    details: "A chat for 8 players, to change into your own game. It never replaces a file.",
    examples: [["foyer init", "named after the folder"]],
    wordsMin: 0,
    wordsMax: 1,
    flags: { json: connectionFlags.json! },
  },
  validate: {
    usage: "foyer validate",
    summary: "Say whether foyer.game.json could be deployed.",
    details:
      "Lists every mistake with its line and column; the exit code is 1 if there is one. A service that has the game is asked, because it knows which builds there are. Without one, only the document is checked.",
    examples: [["foyer validate", "the file in this folder"]],
    wordsMin: 0,
    wordsMax: 0,
    flags: connectionFlags,
  },
  deploy: {
    usage: "foyer deploy NAMESPACE [--name NAME] [--list]",
    summary: "Upload this folder as a build and deploy it to a namespace.",
    details:
      "Checks foyer.game.json, packs the folder and uploads it unless the service has the same bytes. Left out are .git, .foyer*, foyer.config.json, foyer-sdk-*.tgz, what .foyerignore lists by the rules of .gitignore, packages that only development needs, and what may be secret (.env*, *.env, .npmrc, .netrc, .ssh, .aws, *.pem, *.key, *.p12) unless include in foyer.game.json names it. --list shows the files. Shows what differs from the deployed version, makes a version and deploys it: running lobbies keep their players, and new players get the new version. Creates the game and the namespace if they do not exist. When game modes keep warm lobbies, it waits until they are ready, and rolls back when two lobbies fail. It refuses to undo what another deploy did meanwhile, and to pack a file with a token in it.",
    examples: [
      ["foyer deploy prod", "this folder, to the namespace prod"],
      ["foyer deploy --list", "only say which files would be packed"],
      ["foyer deploy staging --name 1.4.0", "with a name for the version"],
    ],
    wordsMin: 0,
    wordsMax: 1,
    flags: {
      name: { value: "NAME", description: "Name of the version; the time by default." },
      list: { value: null, description: "Print the files that would be packed, and do nothing." },
      ...connectionFlags,
    },
  },
  rollback: {
    usage: "foyer rollback NAMESPACE",
    summary: "Deploy the version that was deployed before.",
    details:
      "The newest earlier one that was not itself rolled back from; it says which before it does it. Its lobbies that still live take players again; it runs the build that it had.",
    examples: [
      ["foyer rollback prod", "of the game in this folder"],
      ["foyer rollback prod --game chat --yes", "without asking, for a script"],
    ],
    wordsMin: 1,
    wordsMax: 1,
    flags: { game: targetFlags.game!, ...confirmFlag, ...connectionFlags },
  },
  status: {
    usage: "foyer status",
    summary: "Show what is deployed in a namespace, its lobbies and players.",
    details:
      "Also names game modes whose lobbies keep failing, the latest deployed versions, and lobbies that failed within the last hour.",
    examples: [
      ["foyer status", "of the only namespace, or the one that foyer use chose"],
      ["foyer status -g my-game -n prod --json", "of this one, for a program"],
    ],
    wordsMin: 0,
    wordsMax: 0,
    flags: about,
  },
  lobbies: {
    usage: "foyer lobbies [list|close|open|stop] [LOBBY_ID …] [--ended]",
    summary: "List the lobbies of a namespace; close, open or stop some.",
    details:
      "A closed lobby gets no players from find; its players stay, and joining by id works. It sets the operator's flag, which the lobby cannot change. A stopped lobby ends, and its players lose their seats; stop asks first, and a script gives --yes. The end of an id, as Foyer prints it, is enough.",
    examples: [
      ["foyer lobbies", "all lobbies that live now"],
      ["foyer lobbies --ended", "those that ended last, and why"],
      ["foyer lobbies close 0b54a8f1", "find avoids this one"],
      ["foyer lobbies stop 0b54a8f1 --yes", "ends it, without asking"],
    ],
    wordsMin: 0,
    wordsMax: 100,
    flags: {
      ended: { value: null, description: "Those that have ended, newest first, and why." },
      yes: { value: null, description: "With stop: do not ask.", short: "y" },
      ...about,
    },
  },
  logs: {
    usage: "foyer logs [LOBBY_ID] [-f]",
    summary: "Print what the process of a lobby wrote; -f follows it.",
    details:
      "The last 256 KiB of standard output and of standard error, each line marked with its own; of the newest lobby if none is named. Also for a while after the lobby has ended. The end of an id, as Foyer prints it, is enough. Tokens and terminal codes are removed.",
    examples: [
      ["foyer logs -f", "the newest lobby, as it writes"],
      ["foyer logs 0b54a8f1", "what this one wrote"],
      ["foyer logs 0b54a8f1 --stderr", "its standard error only, without marks"],
    ],
    endsByStop: true,
    wordsMin: 0,
    wordsMax: 1,
    flags: {
      follow: { value: null, description: "Print what follows, until the lobby has ended.", short: "f" },
      stdout: { value: null, description: "Only standard output, as it was written." },
      stderr: { value: null, description: "Only standard error, as it was written." },
      ...about,
    },
  },
  find: {
    usage: "foyer find MODE … [--explain]",
    summary: "Say what a player's find would do now, and why. It takes no seat.",
    details:
      "Names the lobby that a player would get, or says why the find would be refused. With --explain it lists the candidates, each with the reason for or against it. The exit code is 3 when the find would be refused.",
    examples: [
      ["foyer find duel --explain", "why here, why not there"],
      ["foyer find duel --players 3 --region eu-west", "a party of three, in one region"],
    ],
    wordsMin: 1,
    wordsMax: 32,
    flags: {
      explain: { value: null, description: "List the candidates, and why each was or was not chosen." },
      region: { value: "A,B,…", description: "Only these regions, in this order." },
      players: { value: "COUNT", description: "A party of so many players; 1 by default." },
      tags: { value: "NAME=VALUE,…", description: "Only lobbies with these tags." },
      ...about,
    },
  },
  watch: {
    usage: "foyer watch",
    summary: "Show the lobbies of a namespace as a table that redraws.",
    details: "Ctrl-C leaves. Not on a terminal, or with --json, it prints each event of the namespace as a line.",
    examples: [
      ["foyer watch", "a live table"],
      ["foyer watch --json > events.ndjson", "every event, for a program"],
    ],
    endsByStop: true,
    wordsMin: 0,
    wordsMax: 0,
    flags: about,
  },
  open: {
    usage: "foyer open",
    summary: "Print an address that signs you in to the dashboard.",
    details:
      "Open it in a browser within five minutes; it works once. It needs the admin token: that of a Foyer that runs on the data folder here, or of the profile in use. The session ends when it was not used for twelve hours, after thirty days, when you sign out, and when the admin token changes. It is good on every node.",
    examples: [
      ["foyer open", "for the Foyer that runs here"],
      ["foyer open --profile prod", "for another one"],
    ],
    wordsMin: 0,
    wordsMax: 0,
    flags: connectionFlags,
  },
  load: {
    usage: "foyer load [FLAGS]",
    summary: "Simulate players who arrive, find seats, connect, play and leave.",
    details:
      "Makes a namespace of its own with the deployed game modes, registers lobbies there and is their server, so that no program of yours runs and no real player is affected. With --live it uses the namespace itself: its lobbies start, and each player opens a WebSocket and sends its token. Prints how long calls took and what was refused, and checks that no lobby was overfilled, no player had two seats and no seat was left. The exit code is 1 when a check fails. Ctrl-C ends it; players leave, and nothing is left behind.",
    examples: [
      ["foyer load", "100 players at most, 20 arrive a second, for 10 s"],
      ["foyer load --mode duel --party 2 --rate 200 --duration 60", "more, in pairs"],
      ["foyer load --live --yes --players 16", "with the real lobbies of the namespace"],
    ],
    endsByStop: true,
    wordsMin: 0,
    wordsMax: 0,
    flags: { ...loadFlags, ...about },
  },
  login: {
    usage: "foyer login URL [--name NAME]",
    summary: "Keep the address and token of a service under a name.",
    details:
      "Asks for the token without showing it, or reads it from standard input, --token-file, FOYER_ADMIN_TOKEN or FOYER_CLOUD_TOKEN. Checks it with the service and keeps it in a file that only you may read. A Foyer that runs on the data folder here needs no login.",
    examples: [
      ["foyer login https://foyer.example.com", "and paste the token"],
      ["foyer login https://foyer.example.com --name prod < token.txt", "without a person"],
    ],
    wordsMin: 1,
    wordsMax: 1,
    flags: {
      name: { value: "NAME", description: "Name of the profile; the host by default." },
      "token-file": connectionFlags["token-file"]!,
      json: connectionFlags.json!,
    },
  },
  use: {
    usage: "foyer use [NAME] [--game GAME] [--namespace NAME]",
    summary: "Choose the service, game and namespace that commands are about.",
    details: "Without arguments it lists the profiles. Choosing a game forgets the namespace of another one.",
    examples: [
      ["foyer use", "list the profiles"],
      ["foyer use prod --game my-game --namespace prod", "from now on this one"],
    ],
    wordsMin: 0,
    wordsMax: 1,
    flags: { ...targetFlags, json: connectionFlags.json! },
  },
  logout: {
    usage: "foyer logout [NAME]",
    summary: "Forget the address and token of a service.",
    details: "The token itself stays valid. Revoke it if others know it.",
    examples: [["foyer logout prod", "forget that profile"]],
    wordsMin: 0,
    wordsMax: 1,
    flags: { json: connectionFlags.json! },
  },
} as const satisfies Record<string, RemoteCommand>;

export type RemoteCommandName = keyof typeof remoteCommands;

export interface RemoteCommand {
  readonly usage: string;
  readonly summary: string;
  readonly details: string;
  readonly examples: readonly (readonly [string, string])[];
  /** It follows something until it is stopped, which is then no failure. */
  readonly endsByStop?: boolean;
  readonly wordsMin: number;
  readonly wordsMax: number;
  readonly flags: Flags;
}
