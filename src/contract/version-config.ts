import type { Static, TSchema } from "typebox";
import {
  gameModesMax,
  nameIdMaxCharacters,
  pingUrlMaxCharacters,
  portsMax,
  reconnectMaxS,
  regionsMax,
  uint32Max,
} from "../ground/limits.ts";
import { named, object, optional, record, uuid } from "./common.ts";
import { Type } from "./type.ts";

/** The pattern of a name_id, a game mode, a region and a port label. Reserved words apply to name_id only. */
export const namePatternSource = `^(?=.{1,${nameIdMaxCharacters}}$)[a-z0-9]+(?:-[a-z0-9]+)*$`;

/** One day. Ten missed heartbeats of this length (10 days) still fit the longest timer of the platform (24.8 days). */
const timeoutMaxS = 86_400;

/** Per game mode and region. Each one is a running server without players, so a larger number is likely a typing error. */
const idleLobbiesMax = 1000;

export const protocols = ["http", "https", "ws", "wss", "tcp", "tls", "udp"] as const;
export type Protocol = (typeof protocols)[number];

/** How players reach a port: at its own number, or through Foyer's gateway. */
const routings = ["direct", "gateway"] as const;
type Routing = (typeof routings)[number];

const playerKeys = ["vouched", "open"] as const;
type PlayerKeys = (typeof playerKeys)[number];

const flag = (value: boolean, description: string) => optional(Type.Boolean({ default: value, description }));

const seconds = (minimum: number, value: number, description: string) =>
  optional(Type.Integer({ minimum, maximum: timeoutMaxS, default: value, description }));

/** Text that is passed to the operating system, which ends strings at NUL. */
const systemText = (minLength: number, description: string) =>
  Type.String({ minLength, maxLength: 8192, pattern: "^[^\\u0000]*$", description });

const byName = <S extends TSchema>(schema: S, rest: Parameters<typeof record>[1]) =>
  record(schema, { propertyNames: Type.String({ pattern: namePatternSource }), ...rest });

const region = named(
  "RegionConfig",
  {
    display_name: optional(
      Type.String({ description: "The name that players see. 1 to 128 bytes; by default the region's own name." }),
    ),
    provider_display_name: optional(
      Type.String({ default: "", description: "Who runs the machines there; at most 128 bytes, may be empty." }),
    ),
    latitude: optional(
      Type.Number({ minimum: -90, maximum: 90, default: 0, description: "Degrees, north is positive." }),
    ),
    longitude: optional(
      Type.Number({ minimum: -180, maximum: 180, default: 0, description: "Degrees, east is positive." }),
    ),
    ping_url: optional(
      Type.String({
        maxLength: pingUrlMaxCharacters,
        description:
          "What clients may fetch to measure how far away the region is: http or https. Foyer never fetches it.",
      }),
    ),
  },
  "A location where lobbies run.",
);

const timeouts = named(
  "Timeouts",
  {
    ready_s: seconds(1, 60, "Foyer stops a lobby that is not ready after this time."),
    reservation_s: seconds(1, 120, "How long a reserved seat waits for its player, counted from the lobby's ready."),
    heartbeat_s: optional(
      Type.Integer({
        minimum: 0,
        maximum: timeoutMaxS,
        description:
          "A lobby that sends no heartbeat for this time gets no players from find; after ten times as long Foyer stops " +
          "it. 0 turns this off. Without it: 30, for lobbies that Foyer runs from their first heartbeat on.",
      }),
    ),
    empty_s: seconds(0, 30, "Foyer stops a lobby that it runs after this time without a taken seat."),
    reconnect_s: optional(
      Type.Integer({
        minimum: 0,
        maximum: reconnectMaxS,
        default: 0,
        description: "How long a dropped player may come back: its seat is held for so long. 0: it ends immediately.",
      }),
    ),
  },
  "Whole seconds, at most one day each; `reconnect_s` at most one hour.",
);

const actions = named(
  "Actions",
  {
    find: optional(object({ enabled: flag(true, "Whether find may send players to lobbies of this mode.") })),
    join: optional(object({ enabled: flag(true, "Whether players may join a lobby of this mode by its id.") })),
    create: optional(
      object({
        enabled: flag(false, "Whether players may create lobbies of this mode."),
        public: flag(true, "Whether a created lobby may be public. Matters only when create is enabled."),
        private: flag(true, "Whether a created lobby may be private. Matters only when create is enabled."),
      }),
    ),
  },
  "What players may do with this mode.",
);

const codes = named(
  "JoinCodes",
  {
    enabled: flag(false, "Whether every lobby of this mode gets a short code that players can join it by."),
    length: optional(
      Type.Integer({ minimum: 4, maximum: 10, default: 6, description: "How many symbols a code has, at least." }),
    ),
  },
  "Codes for inviting friends into a lobby.",
);

const port = object({
  protocol: optional(
    Type.Unsafe<Protocol>({
      type: "string",
      // Optional fields may be null, and an enumeration has to list null itself.
      enum: [...protocols, null],
      default: "ws",
      description: "The protocol of this port. Clients see https, wss and tls as is_tls.",
    }),
  ),
  routing: optional(
    Type.Unsafe<Routing>({
      type: "string",
      // As for protocols.
      enum: [...routings, null],
      default: "direct",
      description:
        "How players reach an http or ws port: `direct`, at a port of its own; `gateway`, through Foyer at `/lobby/<lobby_id>/<label>`. Not with `external`.",
    }),
  ),
  lazy: flag(
    false,
    "Whether the server may begin to listen on it after it has called ready. Otherwise a lobby that Foyer runs becomes ready only when the port accepts connections; UDP ports are not tried.",
  ),
});

const env = optional(
  record(systemText(0, "Its value."), {
    propertyNames: Type.String({ pattern: "^[A-Za-z_][A-Za-z0-9_]*$", maxLength: 256 }),
    maxProperties: 256,
    default: {},
    description: "Environment variables of the program. Foyer sets PORT, PORT_… and FOYER_… itself.",
  }),
);

const process = named(
  "ProcessRuntime",
  {
    command: systemText(1, "The program to start, without a shell."),
    args: optional(
      Type.Array(systemText(0, "One argument."), { maxItems: 256, default: [], description: "Its arguments." }),
    ),
    cwd: optional(
      systemText(
        1,
        "The folder to start it in, relative to FOYER_LOBBY_ROOT. By default a new, empty one for each lobby. " +
          "With a build: relative to the build's folder, which is the default.",
      ),
    ),
    build_id: optional(
      uuid(
        "The build that has the program. A command with a slash that is not absolute is a file of the build; one without " +
          "a slash comes from PATH.",
      ),
    ),
    env,
  },
  "Foyer starts each lobby as a process on its own machine.",
);

const dockerNetworks = ["bridge", "host"] as const;
const dockerPulls = ["missing", "never", "always"] as const;

const docker = named(
  "DockerRuntime",
  {
    image: Type.String({
      minLength: 1,
      maxLength: 512,
      pattern: "^[A-Za-z0-9][A-Za-z0-9._:/@-]*$",
      description:
        "The image, such as registry.example.com/game:1.4. What a tag means is decided when the version is first started, and stays.",
    }),
    command: optional(systemText(1, "The program to start. By default that of the image.")),
    args: optional(
      Type.Array(systemText(0, "One argument."), {
        maxItems: 256,
        description: "Its arguments. By default those of the image, or none when `command` is given.",
      }),
    ),
    env,
    network: optional(
      Type.Unsafe<(typeof dockerNetworks)[number]>({
        type: "string",
        enum: [...dockerNetworks, null],
        default: "bridge",
        description:
          "`bridge`: a network of its own, with the ports published. `host`: that of the machine; needs the admin token.",
      }),
    ),
    memory_mib: optional(
      Type.Integer({ minimum: 16, maximum: 1_048_576, default: 512, description: "Memory; with more it is ended." }),
    ),
    cpus: optional(
      Type.Number({
        minimum: 0.01,
        maximum: 1024,
        description: "Processors, also a part of one. By default no limit.",
      }),
    ),
    pids: optional(
      Type.Integer({ minimum: 1, maximum: 4_194_304, default: 512, description: "Most processes and threads." }),
    ),
    pull: optional(
      Type.Unsafe<(typeof dockerPulls)[number]>({
        type: "string",
        enum: [...dockerPulls, null],
        default: "missing",
        description:
          "Whether the version's first start pulls the image: when the machine does not have it, never, or always. Later starts pull that same image where it is missing, unless `never`.",
      }),
    ),
    read_only: flag(true, "Whether the image's files cannot be changed. /tmp is always writable, in memory."),
    user: optional(
      Type.String({
        minLength: 1,
        maxLength: 128,
        pattern: "^[A-Za-z0-9_.-]+(:[A-Za-z0-9_.-]+)?$",
        description: "User, or user:group, by name or number. By default that of the image.",
      }),
    ),
  },
  "Foyer starts each lobby as a container on its own machine.",
);

const runtime = named(
  "Runtime",
  {
    process: optional(process),
    docker: optional(docker),
    external: optional(object({}, "Your own servers register their lobbies themselves.")),
  },
  "How lobbies run: exactly one of the three.",
);

const gameMode = named(
  "GameMode",
  {
    max_players: Type.Integer({ minimum: 1, maximum: uint32Max, description: "The seats that find may fill." }),
    max_players_direct: optional(
      Type.Integer({
        minimum: 1,
        maximum: uint32Max,
        description: "The seats that a join by id may fill; not less than max_players, which is the default.",
      }),
    ),
    regions: optional(
      Type.Array(Type.String(), {
        minItems: 1,
        maxItems: regionsMax,
        description: "Names of regions of this document, in the order in which find tries them. By default all.",
      }),
    ),
    listable: flag(true, "Whether public lobbies of this mode are listed."),
    taggable: flag(false, "Whether lobbies of this mode may carry tags."),
    allow_dynamic_max_players: flag(false, "Whether find and create may size the lobby that they create."),
    player_keys: optional(
      Type.Unsafe<PlayerKeys>({
        type: "string",
        // As for protocols.
        enum: [...playerKeys, null],
        default: "vouched",
        description:
          "Who may give players keys: `vouched`, only your backend with a server token; `open`, players too, whose keys are labels that nothing vouches for.",
      }),
    ),
    idle_lobbies: optional(
      object({
        min: optional(
          Type.Integer({
            minimum: 0,
            maximum: idleLobbiesMax,
            default: 0,
            description:
              "How many empty lobbies Foyer keeps running in each region, before players need them. No effect with `external`: Foyer does not start those.",
          }),
        ),
      }),
    ),
    timeouts: optional(timeouts),
    actions: optional(actions),
    codes: optional(codes),
    ports: optional(
      byName(port, {
        maxProperties: portsMax,
        default: { default: { protocol: "ws" } },
        description: "The ports of a lobby by label.",
      }),
    ),
    runtime,
  },
  "A kind of lobby.",
);

/** The document of a version. operations/cloud/version-document.ts checks what a schema cannot express. */
export const versionConfig = named(
  "VersionConfig",
  {
    regions: byName(region, { minProperties: 1, maxProperties: regionsMax, description: "The regions by name." }),
    game_modes: byName(gameMode, {
      minProperties: 1,
      maxProperties: gameModesMax,
      description: "The game modes by name.",
    }),
  },
  "Game modes, regions and how lobbies run. It never changes after its creation.",
);

export type VersionConfig = Static<typeof versionConfig>;
export type GameModeConfig = Static<typeof gameMode>;
export type RegionConfig = Static<typeof region>;

export type ResolvedRegion = {
  display_name: string;
  provider_display_name: string;
  latitude: number;
  longitude: number;
  ping_url: string | null;
};

type ProcessRuntime = {
  command: string;
  args: string[];
  cwd: string | null;
  build_id: string | null;
  env: Record<string, string>;
};

export type ResolvedDockerRuntime = {
  image: string;
  command: string | null;
  args: string[] | null;
  env: Record<string, string>;
  network: (typeof dockerNetworks)[number];
  memory_mib: number;
  cpus: number | null;
  pids: number;
  pull: (typeof dockerPulls)[number];
  read_only: boolean;
  user: string | null;
};

export type ResolvedGameMode = {
  max_players: number;
  max_players_direct: number;
  regions: string[];
  listable: boolean;
  taggable: boolean;
  allow_dynamic_max_players: boolean;
  player_keys: PlayerKeys;
  idle_lobbies: { min: number };
  timeouts: {
    ready_s: number;
    reservation_s: number;
    /** Of lobbies that Foyer runs. Null: the usual one, from their first heartbeat on. */
    heartbeat_s: number | null;
    registered_heartbeat_s: number;
    empty_s: number;
    reconnect_s: number;
  };
  actions: {
    find: { enabled: boolean };
    join: { enabled: boolean };
    create: { enabled: boolean; public: boolean; private: boolean };
  };
  codes: { enabled: boolean; length: number };
  /** Without a routing: direct. `lazy`: ready does not wait for it. */
  ports: Record<string, { protocol: Protocol; routing?: "gateway"; lazy?: true }>;
  runtime: { process: ProcessRuntime } | { docker: ResolvedDockerRuntime } | { external: Record<string, never> };
};

/** The document with every default filled in. `constructor` is a legal name here: look names up with Object.hasOwn. */
export type ResolvedVersionConfig = {
  regions: Record<string, ResolvedRegion>;
  game_modes: Record<string, ResolvedGameMode>;
};
