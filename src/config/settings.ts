import {
  address,
  choice,
  ipAddress,
  list,
  networkRange,
  origin,
  port,
  portRange,
  postgresUrl,
  redisUrl,
  text,
  toggle,
  whole,
} from "./kinds.ts";
import { perMinute, portOrOff, quota, type Setting, setting } from "./setting.ts";

/** Every setting. Flags, variables, file keys, help and the Config type all come from this table. */
export const settings = {
  host: setting(address, "127.0.0.1", "Network", "Address to listen on; 0.0.0.0 or :: for all."),
  port: setting(port, 7100, "Network", "Port to listen on; 0 for any free port."),
  public_url: setting(origin, null, "Network", "Origin under which players and lobbies reach the service.", {
    absent: "http://HOST:PORT",
  }),
  tls_cert: setting(
    text("FILE", 1, 4096),
    null,
    "Network",
    "Certificate and its chain in PEM format, for https on PORT; read again when it changes. Needs tls_key.",
    { absent: "plain http" },
  ),
  tls_key: setting(text("FILE", 1, 4096), null, "Network", "Private key of tls_cert in PEM format.", {
    absent: "plain http",
  }),
  local_port: setting(
    port,
    7102,
    "Network",
    "With tls_cert: port on 127.0.0.1 for plain http, which lobbies of this machine use; 0 for any free port.",
  ),
  redirect_http_port: setting(
    portOrOff(),
    null,
    "Network",
    "Port for plain http that redirects everything to public_url or gateway_url, which must be https; off for none.",
  ),
  gateway_url: setting(
    origin,
    null,
    "Network",
    "Origin under which players reach lobbies through the gateway; best a host name of its own.",
    { absent: "public_url" },
  ),
  gateway_host: setting(address, "127.0.0.1", "Network", "foyer gateway: address to listen on; 0.0.0.0 or :: for all."),
  gateway_port: setting(port, 7103, "Network", "foyer gateway: port to listen on; 0 for any free port."),
  service_url: setting(
    origin,
    "http://127.0.0.1:7100",
    "Network",
    "foyer gateway: origin of the service, which gets every request that is not for a lobby.",
  ),
  trusted_proxies: setting(
    list(networkRange),
    [],
    "Network",
    "Proxies, as IP addresses or CIDR ranges, whose forwarding headers Foyer trusts.",
  ),
  max_in_flight: setting(
    whole("REQUESTS", 1, 1_000_000),
    2000,
    "Network",
    "Requests handled at the same time. From seven eighths of it on new ones wait for up to 2 s, then get 503.",
  ),
  max_event_streams: setting(
    whole("COUNT", 1, 100_000),
    256,
    "Network",
    "Event streams open at the same time; each namespace and token has a share.",
  ),
  max_watches: setting(
    whole("COUNT", 0, 1_000_000),
    5_000,
    "Network",
    "Watches of lobby lists open at the same time; they are not event streams. More get 503.",
  ),
  max_watches_per_namespace: setting(
    whole("COUNT", 0, 1_000_000),
    2_000,
    "Network",
    "Watches of lobby lists of one namespace at the same time.",
  ),
  max_watches_per_client: setting(
    whole("COUNT", 1, 1_000_000),
    4,
    "Network",
    "Watches of lobby lists of one client at the same time; an IPv6 /48 may have four times as many.",
  ),
  max_log_followers: setting(
    whole("COUNT", 1, 100_000),
    64,
    "Network",
    "Logs followed at the same time; each namespace and token has a share.",
  ),
  max_in_flight_per_address: setting(
    whole("REQUESTS", 1, 1_000_000),
    64,
    "Network",
    "Requests of one address handled at the same time; more get 429.",
  ),
  max_connections_per_address: setting(
    whole("COUNT", 1, 1_000_000),
    256,
    "Network",
    "Connections of one address at the same time; behind a trusted proxy, its unanswered requests.",
  ),

  max_gateway_connections: setting(
    whole("COUNT", 0, 1_000_000),
    10_000,
    "Network",
    "Connections to lobbies through the gateway of this node; more get 503.",
  ),
  max_gateway_connections_per_client: setting(
    whole("COUNT", 1, 1_000_000),
    64,
    "Network",
    "The same for one client; an IPv6 /48 may have four times as many. More get 429.",
  ),
  gateway_idle_s: setting(
    whole("SECONDS", 1, 86_400),
    300,
    "Network",
    "How long a connection through the gateway may be without a byte in either direction.",
  ),

  data_dir: setting(
    text("DIR", 1, 4096),
    ".foyer",
    "Data",
    "Folder for the database and secrets, relative to the working directory.",
  ),
  database_url: setting(postgresUrl, null, "Data", "PostgreSQL database to use.", {
    inFile: true,
    absent: "SQLite in the data folder",
  }),
  retention_days: setting(
    whole("DAYS", 1, 36_500),
    90,
    "Data",
    "How many days stopped lobbies, ended tokens, old deployments and the audit log are kept.",
  ),

  redis_url: setting(
    redisUrl,
    null,
    "Several nodes",
    "Redis that keeps live lobbies, for any number of nodes: redis://host:6379, redis+sentinel://host,host/primary-name or redis+cluster://host,host (rediss for TLS).",
    {
      inFile: true,
      absent: "live lobbies are in this process and its data folder; it is the only node",
    },
  ),
  redis_prefix: setting(
    text("TEXT", 1, 64, /^[A-Za-z0-9_.:-]+$/, "letters, digits and _ . : -"),
    "foyer",
    "Several nodes",
    "Prefix of every key in Redis; installations that share a Redis need different ones.",
  ),
  node_id: setting(
    text("NAME", 1, 64, /^[A-Za-z0-9][A-Za-z0-9_.-]*$/, "letters, digits and _ . -"),
    null,
    "Several nodes",
    "Name of this node; unique, and the same after a restart.",
    { absent: "created at the first start, in DATA_DIR/node-id" },
  ),
  node_regions: setting(
    list(text("REGION", 1, 32, /^[a-z0-9-]+$/, "of a-z, 0-9 and -")),
    null,
    "Several nodes",
    "Regions whose lobby processes this node runs.",
    { absent: "all" },
  ),
  node_url: setting(
    origin,
    null,
    "Several nodes",
    "Origin under which the other nodes reach this one, to pass players on to its lobbies, such as http://10.0.0.5:7100.",
    { absent: "players reach the lobbies of this node through its own gateway only" },
  ),
  node_grace_s: setting(
    whole("SECONDS", 5, 86_400),
    30,
    "Several nodes",
    "How long a node may be unreachable before its lobbies are ended.",
  ),

  admin_token: setting(
    text("TOKEN", 32, 512, /^[\x21-\x7e]+$/, "visible ASCII characters"),
    null,
    "Access",
    "Token that may do everything under /cloud.",
    { secret: true, inFile: true, absent: "created at the first start, in DATA_DIR/admin-token" },
  ),
  secret: setting(text("TEXT", 32, 4096), null, "Access", "Key that lobby and player tokens are signed with.", {
    secret: true,
    inFile: true,
    absent: "created at the first start, in DATA_DIR/secret",
  }),
  previous_secret: setting(
    text("TEXT", 32, 4096),
    null,
    "Access",
    "The secret before this one; its tokens stay valid while it is set.",
    { secret: true, inFile: true, absent: "only tokens of the current secret are valid" },
  ),
  docker_trust: setting(
    choice("admin", "cloud"),
    "admin",
    "Access",
    "Lowest token that may create versions which run containers; the network of the machine always needs the admin token.",
  ),
  process_trust: setting(
    choice("admin", "cloud"),
    "admin",
    "Access",
    "Lowest token that may create versions which run programs on this machine.",
  ),

  log_level: setting(
    choice("trace", "debug", "info", "warn", "error", "fatal", "silent"),
    "info",
    "Logs and metrics",
    "Lowest level that is logged.",
  ),
  log_format: setting(
    choice("auto", "json", "pretty"),
    "auto",
    "Logs and metrics",
    "Format of log lines; auto is pretty on a terminal, else json.",
  ),
  metrics_host: setting(address, "127.0.0.1", "Logs and metrics", "Address of the Prometheus endpoint."),
  metrics_port: setting(
    portOrOff(),
    7101,
    "Logs and metrics",
    "Port of the Prometheus endpoint; 0 for any free port, off for no endpoint.",
  ),

  max_namespaces_per_game: quota(100, "Namespaces that one game may have."),
  max_versions_per_game: quota(1000, "Versions that one game may have."),
  max_builds_per_game: quota(100, "Builds that one game may have."),
  max_build_mib_per_game: setting(
    whole("MIB", 1, 1_000_000_000),
    20_480,
    "Quotas",
    "Size of all builds of one game together, as uploaded.",
  ),
  build_max_mib: setting(whole("MIB", 1, 1_000_000), 512, "Quotas", "Size of one build, as uploaded."),
  max_tokens_per_namespace: quota(1000, "Tokens of one namespace that are neither revoked nor expired."),

  demo: setting(
    toggle,
    true,
    "Matchmaking",
    "Offer the demo game at /play; a service without games gets it at its start.",
  ),
  find_wait_s: setting(
    whole("SECONDS", 0, 3600),
    60,
    "Matchmaking",
    "How long find, join and create wait for a lobby to become ready.",
  ),

  runtimes: setting(
    list(choice("process", "docker", "external")),
    ["process", "docker", "external"],
    "Lobby processes",
    "How versions may run their lobbies; without process and docker nothing is ever started on this machine.",
  ),
  lobby_ports: setting(portRange, "27000-27999", "Lobby processes", "Ports that lobby processes get."),
  lobby_bind: setting(
    ipAddress,
    "0.0.0.0",
    "Lobby processes",
    "Address that lobby processes listen on: a port must be free there. They get any other than 0.0.0.0 as HOST.",
  ),
  lobby_hostname: setting(address, null, "Lobby processes", "Host name under which players reach those ports.", {
    absent: "the host of public_url, else lobby_bind, else 127.0.0.1",
  }),
  lobby_root: setting(
    text("DIR", 1, 4096),
    ".",
    "Lobby processes",
    "Folder that the cwd of a version is relative to, itself relative to the working directory.",
  ),
  lobby_user: setting(
    text("USER", 1, 64, /^[^\0:\s]+$/),
    null,
    "Lobby processes",
    "User that lobby processes run as; Foyer must run as root.",
    { absent: "the user that runs Foyer, so they can read its files and secrets" },
  ),
  max_lobby_processes: setting(
    whole("COUNT", 0, 100_000),
    64,
    "Lobby processes",
    "Maximum number of lobby processes, containers included.",
  ),
  lobby_stop_grace_s: setting(
    whole("SECONDS", 0, 3600),
    10,
    "Lobby processes",
    "How long a lobby process has to end after SIGTERM before it is killed.",
  ),
  lobby_log_kib: setting(
    whole("KIB", 16, 1_048_576),
    10_240,
    "Lobby processes",
    "Size at which Foyer starts a new log file of a lobby process; it keeps one older file.",
  ),

  docker_socket: setting(
    text("FILE", 1, 100),
    "/var/run/docker.sock",
    "Containers",
    "Socket of the container engine, Docker's or Podman's.",
  ),
  docker_images: setting(
    list(text("PATTERN", 1, 256, /^[^\s]+$/, "characters without spaces, * for any text")),
    null,
    "Containers",
    "Images that versions may run, such as registry.example.com/games/*.",
    { absent: "any" },
  ),
  docker_memory_mib_max: setting(
    whole("MIB", 16, 1_048_576),
    4096,
    "Containers",
    "Most memory that a version may give its containers; each.",
  ),
  docker_cpus_max: setting(
    whole("COUNT", 1, 1024),
    4,
    "Containers",
    "Most processors that a version may give its containers; each.",
  ),
  docker_pids_max: setting(
    whole("COUNT", 1, 4_194_304),
    1024,
    "Containers",
    "Most processes and threads that a version may give its containers; each.",
  ),
  lobby_api_endpoint: setting(
    origin,
    null,
    "Containers",
    "Address of this service for containers with a network of their own; its host is accepted like that of public_url.",
    { absent: "only containers with the network of the machine can run" },
  ),
  docker_wait_s: setting(
    whole("SECONDS", 1, 3600),
    30,
    "Containers",
    "How long the start and the stop of a container wait for an engine that does not answer.",
  ),
  docker_pull_s: setting(whole("SECONDS", 1, 86_400), 300, "Containers", "How long pulling an image may take."),

  rate_address: perMinute(12_000, "Requests of one address, of any kind."),
  rate_pages: perMinute(300, "Requests of one client for the service's own pages, such as /docs."),
  rate_find: perMinute(60, "find and join calls of one client."),
  rate_create: perMinute(10, "create calls of one client."),
  rate_seats: perMinute(120, "Seats that the find, join and create calls of one client take."),
  rate_wrong_codes: perMinute(10, "Wrong join codes of one client."),
  rate_wrong_codes_namespace: perMinute(
    120,
    "Wrong join codes in one namespace over all nodes; while they are spent each client has one.",
  ),
  rate_list: perMinute(60, "list calls of one client."),
  rate_lobby: perMinute(6000, "Calls with one lobby token."),
  rate_server: perMinute(6000, "Calls with one server token."),
  rate_cloud: perMinute(1200, "Calls with one admin or cloud token."),
  lobby_creation_budget: perMinute(10, "Lobbies that the finds of one client may cause to be created."),
} as const satisfies Record<string, Setting<never> | Setting<unknown>>;

export type SettingKey = keyof typeof settings;

/** The checked configuration: the table's keys in camelCase. null stands for "not set", or "off" for the metrics port. */
export type Config = { readonly [K in SettingKey as Camel<K>]: (typeof settings)[K]["fallback"] };

type Camel<S extends string> = S extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : S;
