import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listenTo } from "../support/event-streams.ts";
import { type Service, startService, until } from "../support/harness.ts";
import { freePort, run } from "../support/services/programs.ts";

const template = readFileSync(fileURLToPath(new URL("../../deploy/nginx.conf", import.meta.url)), "utf8");
const folder = mkdtempSync(join(tmpdir(), "foyer-nginx-"));
const closing: (() => Promise<unknown> | unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
let service: Service;
let port: number;

/** nginx itself, with our file in front of one node that is there and one that is not. */
beforeAll(async () => {
  const nginx = requireNginx();
  // When root starts it, its workers run as another user and keep larger bodies there.
  chmodSync(folder, 0o755);
  port = await freePort();
  service = await startService("sqlite", { publicUrl: `http://127.0.0.1:${port}`, trustedProxies: ["127.0.0.1"] });
  closing.push(() => service.close());
  const file = configuration({
    "foyer-1:7100": `127.0.0.1:${await freePort()}`,
    "foyer-2:7100": `127.0.0.1:${service.port}`,
  });
  await run(nginx, ["-t", "-p", folder, "-c", file]);
  const child = spawn(nginx, ["-p", folder, "-c", file, "-g", "daemon off;"], { stdio: "ignore" });
  const ended = new Promise((resolve) => child.once("close", resolve));
  closing.push(async () => {
    child.kill("SIGTERM");
    await ended;
  });
  await until(() =>
    fetch(`http://127.0.0.1:${port}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
}, 120_000);

afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

/** Our file with other addresses, and with what it writes in a folder of its own. */
function configuration(addresses: Record<string, string>): string {
  let text = template.replace("listen 8080;", `listen 127.0.0.1:${port};`).replace("/tmp/nginx.pid", `${folder}/pid`);
  for (const [name, address] of Object.entries(addresses)) {
    expect(text).toContain(name);
    text = text.replace(name, address);
  }
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  const paths = temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join("\n");
  const file = join(folder, "nginx.conf");
  writeFileSync(file, text.replace("http {", `http {\n${paths}`));
  return file;
}

function findNginx(): string | null {
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin", "/usr/local/sbin"];
  const found = folders.find((name) => name !== "" && existsSync(join(name, "nginx")));
  return found === undefined ? null : join(found, "nginx");
}

function requireNginx(): string {
  const program = findNginx();
  if (program !== null) return program;
  throw new Error("The tests need nginx. Run `npm run setup`.");
}

describe("behind the nginx of deploy/", () => {
  const through = (path: string, init: RequestInit = {}) =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${service.adminToken}`, "content-type": "application/json", ...init.headers },
    });

  test("a node that cannot be reached is passed over, also by calls that change something", async () => {
    for (let count = 0; count < 20; count++) {
      const body = JSON.stringify({ display_name: "Game", name_id: `game-${count}` });
      expect((await through("/cloud/games", { method: "POST", body })).status).toBe(200);
    }
    expect((await service.admin("GET", "/cloud/games")).games).toHaveLength(20);
  });

  test("events come as they happen", async () => {
    const { namespace_id } = await service.admin("POST", "/cloud/games/game-0/namespaces", {
      display_name: "Prod",
      name_id: "prod",
    });
    const path = `/cloud/games/game-0/namespaces/${namespace_id}`;
    const listener = await listenTo({ port }, `${path}/events`, { token: service.adminToken });
    await service.admin("POST", `${path}/mm-config`, { lobby_count_max: 7, max_players: 3 });
    expect((await listener.first(1))[0]).toMatchObject({ event: "namespace.configured" });
    listener.leave();
  });

  test("a client's address is the one that nginx saw, whatever the client says", async () => {
    // Loopback has no limits when it comes directly; through a proxy it is a client like any other.
    const { token } = await service.admin("POST", "/cloud/games/game-0/namespaces/prod/tokens/public");
    const find = (forwardedFor: string) =>
      through("/matchmaker/lobbies/find", {
        method: "POST",
        body: JSON.stringify({ game_modes: ["duel"] }),
        headers: { authorization: `Bearer ${token}`, "x-forwarded-for": forwardedFor },
      });
    const statuses: number[] = [];
    for (let count = 0; count < 61; count++) statuses.push((await find(`203.0.113.${count}`)).status);
    expect(statuses.slice(0, 60)).not.toContain(429);
    expect(statuses[60]).toBe(429);
  });

  test("a body that is too large is refused by Foyer, in its own words", async () => {
    const body = JSON.stringify({ display_name: "x".repeat(100_000), name_id: "big" });
    const answer = await through("/cloud/games", { method: "POST", body });
    expect(answer.status).toBe(413);
    expect(await answer.json()).toMatchObject({ code: "API_BODY_TOO_LARGE" });
  });
});
