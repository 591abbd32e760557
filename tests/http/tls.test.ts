import { copyFileSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { request as sendHttps } from "node:https";
import { connect as connectPlain } from "node:net";
import { type ConnectionOptions, connect, type TLSSocket } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RunningFoyer, startFoyer } from "../../src/app/main.ts";
import { type Config, type ConfigError, defaultConfig, loadConfig } from "../../src/config/config.ts";
import { createLog } from "../../src/ground/log.ts";
import { createMetrics } from "../../src/ground/metrics.ts";
import { createClientAddress } from "../../src/http/client-address.ts";
import { createConnections } from "../../src/http/connections.ts";
import { createTlsListener } from "../../src/http/tls-listener.ts";
import { createCertificate } from "../support/certificates.ts";
import { createFakeRuntime } from "../support/fake-runtime.ts";
import { until } from "../support/harness.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const folder = temporaryFolder();
let first: { tlsCert: string; tlsKey: string };
let second: { tlsCert: string; tlsKey: string };

beforeAll(async () => {
  [first, second] = await Promise.all([createCertificate(folder, "first"), createCertificate(folder, "second")]);
});

interface TlsService extends RunningFoyer {
  readonly port: number;
  readonly lines: string[];
}

const running: TlsService[] = [];
afterAll(async () => {
  for (const foyer of running) await foyer.close();
});

async function startWithTls(overrides: Partial<Config> = {}, runtime = createFakeRuntime()): Promise<TlsService> {
  const lines: string[] = [];
  const log = createLog({ level: "debug", format: "json", destination: { write: (line) => lines.push(line) } });
  const more = { port: 0, localPort: 0, metricsPort: null, demo: false, dataDir: temporaryFolder(), ...first };
  const foyer = await startFoyer(defaultConfig({ ...more, ...overrides }), log, { runtime });
  const service = { ...foyer, port: Number(new URL(foyer.url).port), lines };
  running.push(service);
  return service;
}

interface Reply {
  readonly status: number;
  readonly headers: Record<string, unknown>;
  readonly certificate: string;
}

function get(
  port: number,
  path: string,
  headers: Record<string, string> = {},
  from: { localAddress?: string } = {},
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = sendHttps(
      { ...from, host: "127.0.0.1", port, path, headers, rejectUnauthorized: false, agent: false },
      (answer) => {
        const { subject } = (answer.socket as TLSSocket).getPeerCertificate();
        answer
          .resume()
          .once("end", () =>
            resolve({ status: answer.statusCode!, headers: answer.headers, certificate: subject.CN as string }),
          );
      },
    );
    sent.once("error", reject).end();
  });
}

function shake(port: number, options: ConnectionOptions = {}): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port, rejectUnauthorized: false, ...options }, () => resolve(socket));
    socket.once("error", reject);
  });
}

describe("https", () => {
  test("[TS1] with tls_cert and tls_key the service speaks https on its port, TLS 1.2 and later, HTTP/1.1", async () => {
    const { url, port } = await startWithTls();
    expect(url).toBe(`https://127.0.0.1:${port}`);
    expect((await get(port, "/healthz")).status).toBe(200);
    for (const version of ["TLSv1.2", "TLSv1.3"] as const) {
      const socket = await shake(port, { minVersion: version, maxVersion: version, ALPNProtocols: ["h2", "http/1.1"] });
      expect(socket.alpnProtocol).toBe("http/1.1");
      socket.destroy();
    }
    const old = { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" } as const;
    await expect(shake(port, old)).rejects.toThrow(/alert|unsupported|version/i);
  });

  test("[TS2] its own pages are those of https; a page of plain http is another origin", async () => {
    const { port } = await startWithTls();
    const host = `127.0.0.1:${port}`;
    const allowed = async (origin: string) =>
      (await get(port, "/cloud/games", { host, origin })).headers["access-control-allow-origin"];
    expect(await allowed(`https://${host}`)).toBe(`https://${host}`);
    expect(await allowed(`http://${host}`)).toBeUndefined();
  });

  test("[TS3] lobbies of the machine get the local port, which is plain http and accepts its own names only", async () => {
    const runtime = createFakeRuntime();
    const { url, localUrl, adminToken, port } = await startWithTls({ host: "0.0.0.0", demo: true }, runtime);
    expect(localUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(localUrl).not.toBe(url);
    const call = createCaller(localUrl);
    const [game] = (await call("GET", "/cloud/games", adminToken.token)).games;
    const namespaces = `/cloud/games/${game.game_id}/namespaces`;
    const [namespace] = (await call("GET", namespaces, adminToken.token)).namespaces;
    const { token } = await call("POST", `${namespaces}/${namespace.namespace_id}/tokens/public`, adminToken.token);
    const left = new AbortController();
    const find = call("POST", "/matchmaker/lobbies/find", token, { game_modes: ["arena"] }, left.signal);
    await until(() => runtime.starts.length > 0);
    expect(runtime.starts[0]!.env.FOYER_API_ENDPOINT).toBe(localUrl);
    left.abort();
    await expect(find).rejects.toThrow(/abort/);

    // The https port of a public service has any name; the local one is for this machine.
    expect((await get(port, "/cloud/games", { host: "play.example.com" })).status).toBe(401);
    const { hostname, port: localPort } = new URL(localUrl);
    expect(await plainStatus(hostname, Number(localPort), "play.example.com")).toBe(421);
    expect(await plainStatus(hostname, Number(localPort), `localhost:${localPort}`)).toBe(401);
  });

  test("[TS4] new files are read; a pair that does not fit is logged, and the old one stays", async () => {
    const files = { tlsCert: `${folder}/used-cert.pem`, tlsKey: `${folder}/used-key.pem` };
    const use = ({ tlsCert, tlsKey }: Partial<typeof first>) => {
      if (tlsCert) copyFileSync(tlsCert, files.tlsCert);
      if (tlsKey) copyFileSync(tlsKey, files.tlsKey);
    };
    use(first);
    const { port, lines } = await startWithTls(files);
    const used = async () => (await get(port, "/healthz")).certificate;
    expect(await used()).toBe("first");
    use({ tlsCert: second.tlsCert });
    await until(() => lines.some((line) => line.includes("is not the key of the certificate")), 20_000);
    expect(await used()).toBe("first");
    use({ tlsKey: second.tlsKey });
    await until(async () => (await used()) === "second", 20_000);
    expect(lines.some((line) => line.includes("read the new TLS certificate"))).toBe(true);
  });

  test("[TS5] a client that does not finish its handshake is cut off, and has a limited number of them", async () => {
    const server = createServer((_request, response) => response.end());
    let places = 1;
    const listener = createTlsListener({
      ...{ files: { cert: first.tlsCert, key: first.tlsKey }, server, now: Date.now, handshakeTimeoutMs: 300 },
      log: createLog({ level: "silent", format: "json" }),
      countHandshake() {
        if (places === 0) return null;
        places -= 1;
        return () => {
          places += 1;
        };
      },
    });
    const port = await listener.listen("127.0.0.1", 0);
    const closed = () =>
      new Promise<void>((resolve) => {
        connectPlain({ host: "127.0.0.1", port })
          .on("error", () => {})
          .once("close", () => resolve());
      });
    const silent = closed();
    // The second is closed immediately, the first when its time is over; then there is a place again.
    await closed();
    expect(places).toBe(0);
    await silent;
    await until(() => places === 1);
    expect((await get(port, "/")).status).toBe(200);
    await until(() => places === 1);
    listener.close();
    server.closeAllConnections();
  });

  test("[TS5] a client that ends connections before their handshakes, and uses its ports again, has as many as before", async () => {
    const server = createServer((_request, response) => response.end());
    let open = 0;
    let accepted = 0;
    const listener = createTlsListener({
      ...{ files: { cert: first.tlsCert, key: first.tlsKey }, server, now: Date.now },
      log: createLog({ level: "silent", format: "json" }),
      countHandshake() {
        open += 1;
        accepted += 1;
        return () => {
          open -= 1;
        };
      },
    });
    const port = await listener.listen("127.0.0.1", 0);
    let connected = 0;
    // An address of its own, so that no other program uses the port meanwhile.
    const reset = (localPort?: number) =>
      new Promise<number | undefined>((resolve) => {
        const socket = connectPlain({ host: "127.0.0.1", port, localAddress: "127.0.0.4", localPort }, () => {
          const own = socket.localPort;
          connected += 1;
          setImmediate(() => {
            socket.resetAndDestroy();
            resolve(own);
          });
        });
        socket.once("error", () => resolve(undefined));
      });
    for (let round = 0; round < 5; round++) {
      const ports = await Promise.all(Array.from({ length: 50 }, () => reset()));
      await Promise.all(ports.map(reset));
    }
    expect(connected).toBeGreaterThan(400);
    await until(() => accepted === connected && open === 0);
    listener.close();
  });

  test("[T40] requests in TLS records of their own, sent behind one that is not answered: none is handled, and with many the connection closes", async () => {
    const handled: string[] = [];
    const server = createServer((request) => void handled.push(request.url!));
    const log = createLog({ level: "silent", format: "json" });
    const connections = createConnections({
      ...{ config: defaultConfig(), log, metrics: createMetrics(), readAddress: createClientAddress([]) },
      ...{ refuseConnection: () => {}, checkLoad: () => null, isFull: () => false },
    });
    connections.watch(server, null);
    const listener = createTlsListener({
      ...{ files: { cert: first.tlsCert, key: first.tlsKey }, server, now: Date.now, log },
      countHandshake: () => () => {},
    });
    const port = await listener.listen("127.0.0.1", 0);
    await new Promise<void>((resolve) => {
      const socket = connect({ host: "127.0.0.1", port, rejectUnauthorized: false }, () => {
        for (let count = 0; count < 100; count++) socket.write(`GET /${count} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
      });
      socket.on("error", () => {}).once("close", () => resolve());
    });
    expect(handled).toEqual(["/0"]);
    connections.stop();
    listener.close();
    server.closeAllConnections();
  });

  test("[TS6] files that cannot be used stop the start, with the file and what is wrong with it", async () => {
    const missing = startWithTls({ tlsCert: `${folder}/none.pem` });
    await expect(missing).rejects.toThrow(/none\.pem \(tls_cert\) does not exist/);
    await expect(startWithTls({ tlsCert: first.tlsKey })).rejects.toThrow(/is not a certificate in PEM format/);
    await expect(startWithTls({ tlsKey: second.tlsKey })).rejects.toThrow(/is not the key of the certificate/);
    await expect(startWithTls({ tlsKey: first.tlsCert })).rejects.toThrow(/is not a private key/);
    expect(issuesOf({ FOYER_TLS_CERT: "cert.pem" })).toEqual([expect.stringContaining("tls_cert needs tls_key")]);
    expect(issuesOf({ FOYER_TLS_KEY: "key.pem" })).toEqual([expect.stringContaining("tls_key needs tls_cert")]);
    const both = { FOYER_TLS_CERT: "cert.pem", FOYER_TLS_KEY: "key.pem" };
    expect(issuesOf({ ...both, FOYER_PORT: "7102" })).toEqual([expect.stringContaining("port and local_port")]);
    expect(loadConfig({ env: both, cwd: "/srv" })).toMatchObject({ tlsCert: "/srv/cert.pem", tlsKey: "/srv/key.pem" });
  });

  test("[TS7] the log of a start names a certificate that has ended or soon ends", async () => {
    const { lines } = await startWithTls(await createCertificate(folder, "short", 2));
    expect(lines.join("")).toMatch(/short-cert\.pem \(tls_cert\) ends in [12] days: renew it/);
    expect((await startWithTls()).lines.join("")).not.toContain("renew it");
  });

  test("[TS1] no key is in a log", async () => {
    const { lines, port } = await startWithTls();
    await get(port, "/healthz");
    const [line] = readFileSync(first.tlsKey, "utf8").split("\n").slice(1);
    expect(lines.join("")).not.toContain(line);
  });
});

function createCaller(url: string) {
  // biome-ignore lint/suspicious/noExplicitAny: a wrong reading fails the test.
  return async (method: string, path: string, token: string, body?: unknown, signal?: AbortSignal): Promise<any> => {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { "content-type": "application/json" }),
    };
    const rest = { ...(body !== undefined && { body: JSON.stringify(body) }), ...(signal && { signal }) };
    return (await fetch(`${url}${path}`, { method, headers, ...rest })).json();
  };
}

function issuesOf(env: Record<string, string>): readonly string[] {
  try {
    loadConfig({ env, cwd: folder });
    return [];
  } catch (error) {
    return (error as ConfigError).issues;
  }
}

function plainStatus(hostname: string, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connectPlain({ host: hostname, port }, () =>
      socket.write(`GET /cloud/games HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`),
    );
    let text = "";
    socket.on("data", (piece) => (text += piece)).once("error", reject);
    socket.once("end", () => resolve(Number(text.split(" ")[1])));
  });
}
