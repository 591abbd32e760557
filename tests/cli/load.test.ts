import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createTimes } from "../../src/cli/load/figures.ts";
import { createSeatChecks } from "../../src/cli/load/seat-checks.ts";
import { ownRange } from "../runtime/driver.ts";
import { type Service, startService, until } from "../support/harness.ts";
import { atTerminal, withoutTerminal } from "../support/pseudo-terminal.ts";
import { root } from "../support/repository.ts";
import { ensureServerBuilt } from "../support/server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let service: Service;
let cwd: string;
const closing: (() => unknown)[] = [];

beforeAll(async () => {
  await ensureServerBuilt();
  cwd = temporaryFolder();
  service = await startService("sqlite", { lobbyPorts: ownRange(), lobbyRoot: root, lobbyStopGraceS: 1 });
  await service.admin("POST", "/cloud/games", { display_name: "Chess", name_id: "chess" });
  await service.admin("POST", "/cloud/games/chess/namespaces", { display_name: "Prod", name_id: "prod" });
  const arena = { command: "node", args: ["server.mjs"], cwd: "examples/arena" };
  const { version_id } = await service.admin("POST", "/cloud/games/chess/versions", {
    display_name: "1.0",
    config: {
      regions: { local: {} },
      game_modes: {
        duel: { max_players: 4, max_players_direct: 4, runtime: { process: arena } },
        solo: { max_players: 1, runtime: { external: {} } },
      },
    },
  });
  await service.admin("PUT", "/cloud/games/chess/namespaces/prod/version", { version_id });
});

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

afterAll(async () => {
  await service?.admin("DELETE", "/cloud/games/chess?force=true").catch(() => undefined);
  await service?.close();
});

const json = { "content-type": "application/json" };
const short = ["--duration", "2", "--rate", "20", "--players", "12", "--play", "0.3"];
const load = (...flags: string[]) => withoutTerminal(["load", ...flags, "--data-dir", service.dataDir], { cwd });

/** What the service has besides the game, its namespace and its version. */
async function leftovers() {
  const { namespaces } = await service.admin("GET", "/cloud/games/chess/namespaces");
  const { versions } = await service.admin("GET", "/cloud/games/chess/versions");
  const { lobbies } = await service.admin("GET", "/cloud/games/chess/namespaces/prod/lobbies");
  return { namespaces: namespaces.length - 1, versions: versions.length - 1, lobbies: lobbies.length };
}

const nothing = { namespaces: 0, versions: 0, lobbies: 0 };

describe("foyer load", () => {
  test("[LD1] [LD2] players arrive, find, connect, play and leave in a namespace that is removed", async () => {
    const { code, out, err } = await load(...short, "--json", "--party", "2", "--mode", "duel");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const result = JSON.parse(out);
    const { arrived } = result.players;
    expect(arrived).toBeGreaterThan(3);
    expect(result).toMatchObject({
      game: "chess",
      namespace: "prod",
      is_live: false,
      was_interrupted: false,
      game_modes: ["duel"],
      players: { seated: arrived, gave_up: 0, played: arrived },
      find_ms: { count: arrived / 2, p50: expect.any(Number), p99: expect.any(Number), max: expect.any(Number) },
      seat_wait_ms: { count: arrived },
      refusals: [],
    });
    expect(result.checks.map(({ ok }: { ok: boolean }) => ok)).toEqual([true, true, true, true]);
    expect(await leftovers()).toEqual(nothing);
  });

  test("[LD2] for people: a table of times, refusals by code, and the checks", async () => {
    await service.admin("POST", "/cloud/games/chess/namespaces/prod/mm-config", {
      lobby_count_max: 100,
      max_players: 100,
    });
    const { code, out } = await load(...short, "--mode", "solo,duel");
    expect(code).toBe(0);
    expect(out).toMatch(/^\d+ players in [\d.]+ s: \d+ got seats and 0 gave up\.$/m);
    for (const step of ["find", "connect", "wait for a seat", "leave"])
      expect(out).toMatch(new RegExp(`^${step} +\\d+ +[\\d.]+ ms +[\\d.]+ ms +[\\d.]+ ms +[\\d.]+ ms$`, "m"));
    expect(out).toContain("No call was refused.");
    expect(out).toContain("ok     No lobby has more players than its maximum.\n");
  });

  test("[LD1] on a terminal it shows progress; Ctrl-C makes players leave, and nothing is left behind", async () => {
    const flags = ["--duration", "600", "--rate", "10", "--data-dir", service.dataDir];
    const terminal = atTerminal(["load", ...flags], { cwd });
    await terminal.shows(/\d+ s of 600 s: [1-9]\d* players, [1-9]\d* seated, 0 refusals, find p50/);
    expect(await leftovers()).toMatchObject({ namespaces: 1, versions: 1 });
    expect(await terminal.interrupt()).toBe(0);
    expect(terminal.plain()).toContain("Ended early. Nothing is left behind.");
    expect(terminal.plain()).toContain("ok     No seat is left after all players have left.");
    expect(await leftovers()).toEqual(nothing);
  });

  test("[LD4] numbers out of range, unknown modes, parties that do not fit and other machines are refused", async () => {
    const refused = async (flags: string[], sentence: RegExp) =>
      expect(await load(...flags)).toMatchObject({ code: 2, out: "", err: expect.stringMatching(sentence) });
    await refused(["--players", "5001"], /--players must be a whole number from 1 to 5000, not "5001"\./);
    await refused(["--rate", "x"], /--rate must be a number from 0\.1 to 1000, not "x"\./);
    await refused(["--mode", "chess"], /Unknown game mode "chess"\. Available: duel, solo\./);
    await refused(["--mode", "solo", "--party", "2"], /A lobby of "solo" has 1 seats; --party 2 does not fit\./);
    await refused(["--live"], /among its real players\. Give --yes/);
    const remote = ["load", "--endpoint", "https://foyer.example.com"];
    expect(await withoutTerminal(remote, { cwd, env: { FOYER_ADMIN_TOKEN: service.adminToken } })).toMatchObject({
      code: 2,
      err: expect.stringContaining("is not on this machine. Give --allow-remote"),
    });
    expect(await leftovers()).toEqual(nothing);
  });

  test("[LD5] with --live players connect to the lobbies of the namespace, and give back their seats", async () => {
    const hello = '{"token":"{token}","name":"simulated"}';
    const { code, out, err } = await load(...short, "--live", "--yes", "--hello", hello, "--json");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const { players, connect_ms, refusals } = JSON.parse(out);
    expect(refusals).toEqual([]);
    expect(players).toMatchObject({ seated: players.arrived, played: players.arrived });
    expect(connect_ms.count).toBe(players.arrived);
    const { lobbies } = await service.admin("GET", "/cloud/games/chess/namespaces/prod/lobbies");
    expect(lobbies.length).toBeGreaterThan(0);
    for (const lobby of lobbies) {
      expect(lobby.total_player_count).toBe(0);
      await service.admin("DELETE", `/cloud/games/chess/namespaces/prod/lobbies/${lobby.lobby_id}`);
    }
    await until(async () => (await leftovers()).lobbies === 0);
  });

  test("[LD5] [LD2] a lobby that does not accept the first message is named by its close code", async () => {
    const { code, out } = await load(...short, "--live", "--yes", "--hello", "nonsense");
    expect(code).toBe(1);
    expect(out).toMatch(/^connect +LOBBY_CLOSED_4002 +\d+$/m);
    expect(out).toContain("give it with --hello");
    expect(out).toMatch(/^failed Players got seats\.$/m);
  });
});

describe("checks of seats", () => {
  /** Between the command and the service, with answers that the service would not give. */
  async function startLiar(lie: (request: IncomingMessage, body: string) => Promise<string | null>): Promise<string> {
    const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
      const pieces: Buffer[] = [];
      for await (const piece of request) pieces.push(piece as Buffer);
      const body = Buffer.concat(pieces).toString();
      const lied = await lie(request, body);
      if (lied !== null) return response.writeHead(lied === "" ? 204 : 200).end(lied);
      const { host: _, connection: __, "content-length": ___, ...headers } = request.headers;
      const answer = await fetch(service.url + request.url, {
        method: request.method!,
        headers: headers as Record<string, string>,
        ...(body !== "" && { body }),
      });
      return response.writeHead(answer.status).end(await answer.text());
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    closing.push(() => server.close());
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  const loadThrough = (endpoint: string, ...flags: string[]) =>
    withoutTerminal(["load", ...short, ...flags, "--json", "--endpoint", endpoint], {
      cwd,
      env: { FOYER_ADMIN_TOKEN: service.adminToken },
    });

  test("[LD3] the same seats for everyone: a player has two seats and a lobby too many players", async () => {
    // Kept before it is answered: calls that arrive meanwhile get the same answer too.
    const answers = new Map<string, Promise<string>>();
    const lied = ["/matchmaker/lobbies/find", "/matchmaker/players/connected"];
    const endpoint = await startLiar(async ({ url = "", headers }, body) => {
      if (!lied.includes(url)) return null;
      const { authorization = "" } = headers;
      const ask = () => fetch(service.url + url, { method: "POST", headers: { authorization, ...json }, body });
      if (!answers.has(url))
        answers.set(
          url,
          ask().then((answer) => answer.text()),
        );
      return answers.get(url)!;
    });
    // The mode with four seats, and players who stay long enough to be five at once.
    const { code, out } = await loadThrough(endpoint, "--mode", "duel", "--play", "2");
    expect(code).toBe(1);
    const failed = JSON.parse(out).checks.filter(({ ok }: { ok: boolean }) => !ok);
    expect(failed).toMatchObject([
      { name: "lobby_max", violations: expect.arrayContaining([expect.stringMatching(/has 5 players in 4 seats/)]) },
      { name: "one_seat", violations: expect.arrayContaining([expect.stringMatching(/got seats in/)]) },
    ]);
  });

  test("[LD3] seats that no call freed are left after the drain", async () => {
    const endpoint = await startLiar(async ({ url }) => (url === "/matchmaker/players/disconnected" ? "" : null));
    const { code, out } = await loadThrough(endpoint);
    expect(code).toBe(1);
    const drained = JSON.parse(out).checks.find(({ name }: { name: string }) => name === "drained");
    expect(drained.violations[0]).toMatch(/^\d+ seats are still taken\.$/);
    expect(await leftovers()).toMatchObject({ namespaces: 0, versions: 0 });
  });

  test("[LD3] a seat that was left may be taken again, and one that is taken may not", () => {
    const checks = createSeatChecks(() => 1);
    checks.taken("lobby", ["ada"]);
    checks.leaving("lobby", "ada");
    checks.taken("lobby", ["ben"]);
    expect(checks.results().every(({ ok }) => ok)).toBe(true);
    checks.taken("lobby", ["cleo"]);
    checks.taken("other", ["cleo"]);
    expect(checks.results().filter(({ ok }) => !ok)).toMatchObject([{ name: "lobby_max" }, { name: "one_seat" }]);
  });

  test("[LD2] percentiles are at most 1 % above the exact ones", () => {
    const times = createTimes();
    expect(times.summary()).toEqual({ count: 0, p50: null, p90: null, p99: null, max: null });
    for (let ms = 1; ms <= 1_000; ms++) times.add(ms);
    const { count, p50, p90, p99, max } = times.summary();
    expect([count, max]).toEqual([1_000, 1_000]);
    for (const [found, exact] of [
      [p50, 500],
      [p90, 900],
      [p99, 990],
    ] as const) {
      expect(found).toBeGreaterThanOrEqual(exact);
      expect(found).toBeLessThanOrEqual(exact * 1.011);
    }
  });
});

test("[LD1] what a killed load left is removed by the next one on the machine, and nothing of another machine", async () => {
  const terminal = atTerminal(["load", "--duration", "600", "--data-dir", service.dataDir], { cwd });
  await terminal.shows("seated");
  const { namespaces } = await service.admin("GET", "/cloud/games/chess/namespaces");
  const own = namespaces.find(({ display_name }: { display_name: string }) => display_name === "foyer load");
  const [, machine, pid] = own.name_id.split("-");
  process.kill(Number(pid), "SIGKILL");
  await terminal.ended;
  expect(await leftovers()).toMatchObject({ namespaces: 1, versions: 1 });
  // A process with that id does not run here, but may run on the machine that made these.
  const other = `${machine === "000000" ? "000001" : "000000"}-${pid}-abcdef`;
  const elsewhere = { display_name: "foyer load", name_id: `load-${other}` };
  await service.admin("POST", "/cloud/games/chess/namespaces", elsewhere);
  expect((await load(...short)).code).toBe(0);
  expect(await leftovers()).toMatchObject({ namespaces: 1, versions: 0 });
  await service.admin("DELETE", `/cloud/games/chess/namespaces/${elsewhere.name_id}`);
  expect(await leftovers()).toMatchObject({ namespaces: 0, versions: 0 });
});
