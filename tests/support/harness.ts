import { randomBytes, randomUUID } from "node:crypto";
import { appendFileSync, mkdirSync } from "node:fs";
import { Agent, type IncomingHttpHeaders, request as sendRequest } from "node:http";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Injected, startFoyer } from "../../src/app/main.ts";
import { type Config, defaultConfig } from "../../src/config/config.ts";
import { secretFromText } from "../../src/ground/data-folder.ts";
import { createLog } from "../../src/ground/log.ts";
import { createDerivedTokens, type DerivedToken } from "../../src/ground/tokens.ts";
import { noteAnswer } from "../http/seen.ts";
import { freePort } from "./services/programs.ts";
import { freshDatabase, freshLiveState, type ServiceKind } from "./services/stores.ts";

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  /** The bytes as text. */
  readonly text: string;
  /** The bytes as JSON; undefined when there are none or they are something else. Cast: tests read it as they expect it. */
  // biome-ignore lint/suspicious/noExplicitAny: an answer may be any JSON, and a wrong reading fails the test.
  readonly json: any;
}

export interface RequestOptions {
  readonly token?: string | null;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is; the content type stays application/json unless the headers say otherwise. */
  readonly rawBody?: string | Buffer;
  /** A value of null leaves out a header that would be sent otherwise. */
  readonly headers?: Readonly<Record<string, string | null>>;
}

export interface Service {
  readonly kind: ServiceKind;
  readonly url: string;
  readonly port: number;
  readonly adminToken: string;
  readonly dataDir: string;
  readonly databaseUrl: string | null;
  request(method: string, path: string, options?: RequestOptions): Promise<Answer>;
  /** A request with the admin token that must succeed; gives the JSON of the answer. */
  // biome-ignore lint/suspicious/noExplicitAny: as for Answer.json.
  admin(method: string, path: string, body?: unknown): Promise<any>;
  /** A lobby, player or devplayer token that this service takes for its own. */
  derive(token: DerivedToken): string;
  close(): Promise<void>;
}

const output = fileURLToPath(new URL("../../test-output", import.meta.url));
const secret = "the secret of the tests, which is long enough";

/** A service of its own in this process: own port, data folder, database and log. The caller closes it. */
export async function startService(
  kind: ServiceKind,
  overrides: Partial<Config> = {},
  injected: Injected = {},
): Promise<Service> {
  const name = `${kind}-${process.pid}-${randomBytes(6).toString("hex")}`;
  const dataDir = join(output, "data", name);
  const logFile = join(output, "logs", `${name}.log`);
  for (const folder of [dataDir, join(output, "logs")]) mkdirSync(folder, { recursive: true });
  const databaseUrl =
    overrides.databaseUrl === undefined ? (await freshDatabase(kind)).databaseUrl : overrides.databaseUrl;
  const config = defaultConfig({
    // With a public address the service does not say on which port it listens.
    port: overrides.publicUrl ? await freePort() : 0,
    metricsPort: null,
    demo: false,
    dataDir,
    databaseUrl,
    ...freshLiveState(kind),
    secret,
    ...overrides,
  });
  const log = createLog({
    level: "debug",
    format: "json",
    destination: { write: (line) => appendFileSync(logFile, line) },
    secrets: [secret],
  });
  const foyer = await startFoyer(config, log, injected);
  noteIssued(foyer.adminToken.token);
  // The service may be known to the world under another address than the one it listens on.
  const url = config.publicUrl === null ? foyer.url : `http://127.0.0.1:${config.port}`;
  return { kind, dataDir, databaseUrl, ...clientOf(kind, url, foyer.adminToken.token), close: () => foyer.close() };
}

/** What the service has logged so far, at every level but trace. */
export function logFileOf({ dataDir }: Pick<Service, "dataDir">): string {
  return join(output, "logs", `${basename(dataDir)}.log`);
}

/** Talks to the service at the address, keeps what comes back as it came, and notes every token in it. */
export function clientOf(kind: ServiceKind, url: string, adminToken: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 128 });
  const { hostname, port } = new URL(url);
  const derived = createDerivedTokens(secretFromText(secret), null);

  function request(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    const body = options.rawBody ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
    const given: Record<string, string | null> = {
      ...(body !== undefined && {
        "content-type": "application/json",
        "content-length": String(Buffer.byteLength(body)),
      }),
      ...(options.token && { authorization: `Bearer ${options.token}` }),
      ...options.headers,
    };
    const headers = Object.fromEntries(Object.entries(given).filter((entry) => entry[1] !== null)) as Record<
      string,
      string
    >;
    return new Promise((resolve, reject) => {
      const sent = sendRequest({ agent, hostname, port, method, path, headers }, (response) => {
        const pieces: Buffer[] = [];
        response.on("data", (piece: Buffer) => pieces.push(piece));
        response.once("error", reject);
        response.once("end", () => {
          const answer = answerOf(response.statusCode ?? 0, response.headers, Buffer.concat(pieces));
          noteTokensOf(answer.text);
          noteAnswer(kind, method, path, answer.status, answer.json?.code);
          resolve(answer);
        });
      });
      sent.once("error", reject);
      sent.end(body);
    });
  }

  return {
    url,
    port: Number(port),
    adminToken,
    request,
    async admin(method: string, path: string, body?: unknown) {
      const answer = await request(method, path, { token: adminToken, ...(body !== undefined && { body }) });
      if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`);
      return answer.json;
    },
    derive(token: DerivedToken): string {
      const text = derived.make(token);
      noteIssued(text);
      return text;
    },
  };
}

export function answerOf(status: number, headers: IncomingHttpHeaders, bytes: Buffer): Answer {
  const text = bytes.toString("utf8");
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    // A page, or nothing at all.
    json = undefined;
  }
  return { status, headers, bytes, text, json };
}

/** The run ends with a search for these in everything that the tests left behind. */
export function noteIssued(token: string): void {
  mkdirSync(output, { recursive: true });
  appendFileSync(join(output, "issued-tokens.txt"), `${token}\n`);
}

function noteTokensOf(text: string): void {
  const found = text.match(/"(?:admin|cloud|pub|devplayer|dev|server|lobby|player|session|signin)_[\w-]{20,}"/g) ?? [];
  for (const quoted of found) noteIssued(quoted.slice(1, -1));
}

export interface GameAtHand {
  readonly gameId: string;
  readonly nameId: string;
  /** `/cloud/games/{game_id}` */
  readonly path: string;
}

export interface NamespaceAtHand {
  readonly namespaceId: string;
  readonly nameId: string;
  readonly game: GameAtHand;
  /** `/cloud/games/{game_id}/namespaces/{namespace_id}` */
  readonly path: string;
}

export async function createGame(service: Service, nameId = uniqueName("game")): Promise<GameAtHand> {
  const { game_id } = await service.admin("POST", "/cloud/games", { display_name: "A Game", name_id: nameId });
  return { gameId: game_id, nameId, path: `/cloud/games/${game_id}` };
}

export async function createNamespace(
  service: Service,
  game: GameAtHand,
  more: { nameId?: string; versionId?: string } = {},
): Promise<NamespaceAtHand> {
  const nameId = more.nameId ?? uniqueName("ns");
  const body = { display_name: "A Namespace", name_id: nameId, ...(more.versionId && { version_id: more.versionId }) };
  const { namespace_id } = await service.admin("POST", `${game.path}/namespaces`, body);
  return { namespaceId: namespace_id, nameId, game, path: `${game.path}/namespaces/${namespace_id}` };
}

/** A version whose lobbies register themselves, unless another document is given; gives its id. */
export async function createVersion(
  service: Service,
  game: GameAtHand,
  config: unknown = externalConfig,
): Promise<string> {
  const body = { display_name: "A Version", config };
  return (await service.admin("POST", `${game.path}/versions`, body)).version_id;
}

export const externalConfig = {
  regions: { local: { display_name: "Local", latitude: 52.5, longitude: 13.4 } },
  game_modes: {
    // Lobbies of tests need not send heartbeats.
    duel: {
      max_players: 2,
      max_players_direct: 4,
      taggable: true,
      timeouts: { heartbeat_s: 0 },
      runtime: { external: {} },
    },
  },
};

export const processConfig = {
  regions: { local: {} },
  game_modes: { duel: { max_players: 2, runtime: { process: { command: "node", args: ["server.js"] } } } },
};

export const developmentServer = {
  hostname: "127.0.0.1",
  ports: {
    default: { protocol: "ws", port: 7777 },
    media: { protocol: "https", port_range: { min: 9000, max: 9010 } },
  },
};

export interface NewToken {
  readonly token: string;
  readonly token_id: string;
}

export function createToken(
  service: Service,
  namespace: NamespaceAtHand,
  kind: "pub" | "dev" | "server",
): Promise<NewToken> {
  const last = { pub: "public", dev: "development", server: "server" }[kind];
  return service.admin("POST", `${namespace.path}/tokens/${last}`, kind === "dev" ? developmentServer : undefined);
}

export function createCloudToken(service: Service, game: GameAtHand, expiresTs?: string): Promise<NewToken> {
  return service.admin(
    "POST",
    `${game.path}/tokens/cloud`,
    expiresTs === undefined ? undefined : { expires_ts: expiresTs },
  );
}

/** Signs in with a new code; gives the answer, the session's token and its id. */
export async function signIn(service: Pick<Service, "admin" | "request">) {
  const { code } = await service.admin("POST", "/cloud/sign-in-codes");
  const answer = await service.request("POST", "/cloud/sign-in", { body: { code } });
  const token: string = answer.json.token;
  const who = await service.request("GET", "/cloud/whoami", { token });
  return { answer, code: code as string, token, tokenId: who.json.token_id as string };
}

/** A cloud token whose time is over. A token cannot be made expired, so it is made with little time, which passes. */
export async function createExpiredToken(service: Service, game: GameAtHand): Promise<NewToken> {
  // On a busy machine the time may have passed before the request has arrived; then it is refused, and gets more.
  for (let lifeMs = 300; ; lifeMs *= 2) {
    const body = { expires_ts: new Date(Date.now() + lifeMs).toISOString() };
    const made = await service.request("POST", `${game.path}/tokens/cloud`, { token: service.adminToken, body });
    if (made.json.code === "CLOUD_VALIDATION_ERROR") continue;
    await until(async () => (await service.request("GET", game.path, { token: made.json.token })).status === 401);
    return made.json;
  }
}

export async function createRevokedToken(
  service: Service,
  namespace: NamespaceAtHand,
  kind: "cloud" | "pub" | "dev" | "server",
): Promise<string> {
  const isCloud = kind === "cloud";
  const made = isCloud ? await createCloudToken(service, namespace.game) : await createToken(service, namespace, kind);
  await service.admin("DELETE", `${isCloud ? namespace.game.path : namespace.path}/tokens/${made.token_id}`);
  return made.token;
}

export function lobbyToken(
  service: Service,
  namespace: { namespaceId: string },
  lobbyId: string = randomUUID(),
): string {
  return service.derive({ kind: "lobby", namespaceId: namespace.namespaceId, lobbyId });
}

/** Polls until it is true; gives up after a while, so that the failure names the condition. */
export async function until(isSo: () => Promise<boolean> | boolean, withinMs = 60_000): Promise<void> {
  const endsAt = Date.now() + withinMs;
  while (!(await isSo())) {
    if (Date.now() > endsAt) throw new Error(`Not so within ${withinMs} ms: ${isSo}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

let names = 0;

export function uniqueName(prefix: string): string {
  names += 1;
  return `${prefix}-${process.pid.toString(36)}-${names.toString(36)}`;
}

/** Everything that the API shows, but for when tokens were last used: what a refused request must leave as it was. */
export async function snapshot(service: Service): Promise<unknown> {
  const games = await everyPage(service, "/cloud/games", "games");
  const audit = await everyPage(service, "/cloud/audit", "entries");
  const details = await Promise.all(
    games.map(async (game) => {
      const path = `/cloud/games/${game.game_id}`;
      const namespaces = await everyPage(service, `${path}/namespaces`, "namespaces");
      const versions = await everyPage(service, `${path}/versions`, "versions");
      return {
        game,
        tokens: (await everyPage(service, `${path}/tokens`, "tokens")).map(withoutUse),
        versions: await Promise.all(
          versions.map((version) => service.admin("GET", `${path}/versions/${version.version_id}`)),
        ),
        namespaces: await Promise.all(
          namespaces.map(async (namespace) => {
            const at = `${path}/namespaces/${namespace.namespace_id}`;
            return {
              namespace,
              tokens: (await everyPage(service, `${at}/tokens`, "tokens")).map(withoutUse),
              history: await everyPage(service, `${at}/version-history`, "versions"),
            };
          }),
        ),
      };
    }),
  );
  return { audit, details };
}

type Row = Record<string, unknown>;

async function everyPage(service: Service, path: string, field: string): Promise<Row[]> {
  const rows: Row[] = [];
  let query = "?limit=500";
  for (;;) {
    const page = await service.admin("GET", `${path}${query}`);
    rows.push(...page[field]);
    if (page.cursor === undefined) return rows;
    query = `?limit=500&cursor=${page.cursor}`;
  }
}

function withoutUse({ last_used_ts: _, ...token }: Row): Row {
  return token;
}
