import { expect, test } from "vitest";
import { type Arena, address, config, createArena, lobbyIdOf, type Matchmaker } from "../../support/arena.ts";
import { expectRefusal } from "../../support/expectations.ts";
import { type Answer, uniqueName } from "../../support/harness.ts";

/** Pages in browsers: public tokens with domains, and requests without a token. */
export function originsTests(at: () => Matchmaker): void {
  async function arenaWithDomain(auth?: { enabled: boolean; allow_localhost?: boolean }) {
    const arena = await createArena(at().service, config({ max_players: 100, max_players_direct: 100 }));
    const domain = `${uniqueName("play")}.example.com`;
    await at().service.admin("POST", `${arena.namespace.path}/domains`, { domain });
    if (auth) await at().service.admin("PUT", `${arena.namespace.path}/domain-public-auth`, auth);
    const lobby = await arena.ready();
    return { arena, domain, lobby };
  }

  /** Every player's call. */
  const calls = (arena: Arena, lobbyId: string, origin: string | null, token: string | null) => {
    const options = { token, headers: origin === null ? {} : { origin } };
    return Promise.all([
      arena.find({}, options),
      arena.join(lobbyId, {}, options),
      arena.play("GET", "lobbies/list", undefined, options),
      arena.play("GET", "players/statistics", undefined, options),
      arena.play("GET", "regions", undefined, options),
    ]);
  };
  const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status);
  const all = (status: number) => Array(5).fill(status);

  const strangers = (domain: string) => [
    "null",
    `http://${domain}`,
    `https://${domain}:444`,
    `https://${domain}:443`,
    `https://sub.${domain}`,
    `https://${domain}.evil.com`,
    `https://evil-${domain}`,
    `https://${domain}.`,
    `https://${domain}/`,
    `https://user@${domain}`,
    `https://${domain.replace("example", "examp1e")}`,
    `https://${domain.replace(/^[^.]+\./, "")}`,
    `https://${domain},https://evil.com`,
    "https://localhost",
    "http://localhost:3000",
    "http://127.0.0.1:8080",
    "http://[::1]",
    "",
  ];

  test("[SM3] a refused origin is named with how to allow it; the domains are listed to this machine only", async () => {
    const { arena, domain } = await arenaWithDomain();
    const ask = (origin: string, client?: string) => arena.find({}, { headers: { origin }, ...(client && { client }) });
    const remote = (await ask("https://games.example.org", "192.0.2.1")).json;
    expect(remote.code).toBe("TOKEN_FORBIDDEN");
    expect(remote.message).toContain('"https://games.example.org"');
    expect(remote.message).toContain("add its domain");
    expect(JSON.stringify(remote)).not.toContain(domain);
    const local = (await ask("http://localhost:3000")).json;
    expect(local.message).toContain("allow_localhost");
    expect(local.metadata).toEqual({ domains: [domain] });
    const long = (await ask(`https://${"x".repeat(2_000)}.example.org`)).json;
    expect(long.message.length).toBeLessThan(450);
    expect((await ask('https://a"b\\c', "192.0.2.1")).json.message).toContain('https://a\\"b');
  });

  test("[GP7] a server token with an origin is refused, whatever the origin; without one it is taken", async () => {
    const { arena, domain } = await arenaWithDomain({ enabled: true, allow_localhost: true });
    const body = { game_mode: "duel", region: "local", ports: address };
    const register = (headers: Record<string, string>) =>
      arena.play("POST", "lobbies/register", body, { token: arena.server, headers });
    const before = (await arena.lobbies()).length;
    for (const origin of [`https://${domain}`, ...strangers(domain)]) {
      expectRefusal(await register({ origin }), "TOKEN_FORBIDDEN");
    }
    expect(await arena.lobbies()).toHaveLength(before);
    expect((await register({})).status).toBe(200);
  });

  test("a public token of a namespace with domains is taken from pages on them, and from programs", async () => {
    const { arena, domain, lobby } = await arenaWithDomain();
    expect(statuses(await calls(arena, lobby.lobbyId, `https://${domain}`, arena.pub))).toEqual(all(200));
    expect(statuses(await calls(arena, lobby.lobbyId, null, arena.pub))).toEqual(all(200));
    const before = (await lobby.seen()).total_player_count;
    for (const origin of strangers(domain)) {
      for (const answer of await calls(arena, lobby.lobbyId, origin, arena.pub)) {
        expectRefusal(answer, "TOKEN_FORBIDDEN");
      }
    }
    expect((await lobby.seen()).total_player_count).toBe(before);
  });

  test("a public token of a namespace without domains is taken from any page", async () => {
    const arena = await createArena(at().service, config());
    const lobby = await arena.ready();
    const answers = await calls(arena, lobby.lobbyId, "https://anything.example", arena.pub);
    expect(statuses(answers)).toEqual(all(200));
    for (const { headers } of answers) {
      expect(headers).toMatchObject({ "access-control-allow-origin": "https://anything.example", vary: "Origin" });
    }
  });

  test("allow_localhost lets pages on the developer's machine use the public token, not do without", async () => {
    const { arena, domain, lobby } = await arenaWithDomain({ enabled: true, allow_localhost: true });
    const homes = [
      "http://localhost",
      "https://localhost:3000",
      "http://127.0.0.1:8080",
      "http://[::1]:1",
      "app://localhost",
    ];
    for (const origin of homes) {
      expect(statuses(await calls(arena, lobby.lobbyId, origin, arena.pub))).toEqual(all(200));
      expect(statuses(await calls(arena, lobby.lobbyId, origin, null))).toEqual(all(401));
    }
    const lookalikes = [
      "http://localhost.evil.com",
      "http://127.0.0.1.evil.com",
      "http://localhost:3000/",
      "http://127.0.0.2",
    ];
    for (const origin of [...lookalikes, "http://notlocalhost", "null", `http://${domain}`]) {
      expect(statuses(await calls(arena, lobby.lobbyId, origin, arena.pub))).toEqual(all(403));
    }
  });

  test("without a token a page has the rights of the public token, when it is on and the page is on a domain", async () => {
    const { arena, domain, lobby } = await arenaWithDomain();
    const { service } = at();
    const own = () => calls(arena, lobby.lobbyId, `https://${domain}`, null);
    expect(statuses(await own())).toEqual(all(401));
    await service.admin("PUT", `${arena.namespace.path}/domain-public-auth`, { enabled: true });
    const answers = await own();
    expect(statuses(answers)).toEqual(all(200));
    expect(lobbyIdOf(answers[0]!)).toBe(lobby.lobbyId);
    for (const origin of strangers(domain)) {
      for (const answer of await calls(arena, lobby.lobbyId, origin, null)) expectRefusal(answer, "TOKEN_MISSING");
    }
    expect(statuses(await calls(arena, lobby.lobbyId, null, null))).toEqual(all(401));

    const options = { token: null, headers: { origin: `https://${domain}` } };
    for (const [method, path, body] of [
      ["POST", "lobbies/ready", undefined],
      ["PUT", "lobbies/closed", { is_closed: true }],
      ["POST", "lobbies/stop", undefined],
      ["POST", "lobbies/register", {}],
      ["GET", `lobbies/${lobby.lobbyId}/state`, undefined],
    ] as const) {
      expectRefusal(await arena.play(method, path, body, options), "TOKEN_MISSING");
    }

    await service.admin("DELETE", `${arena.namespace.path}/domains/${domain}`);
    expect(statuses(await own())).toEqual(all(401));
    expect(await lobby.seen()).toMatchObject({ status: "ready", is_closed: false });
  });

  test("a domain speaks for its own namespace only", async () => {
    const first = await arenaWithDomain({ enabled: true });
    const second = await arenaWithDomain({ enabled: true });
    const options = { token: null, headers: { origin: `https://${first.domain}` } };
    expectRefusal(await second.arena.join(second.lobby.lobbyId, {}, options), "MATCHMAKER_LOBBY_NOT_FOUND");
    expect(lobbyIdOf(await second.arena.find({}, options))).toBe(first.lobby.lobbyId);
    const foreignToken = { token: second.arena.pub, headers: { origin: `https://${first.domain}` } };
    expectRefusal(await second.arena.find({}, foreignToken), "TOKEN_FORBIDDEN");
  });
}
