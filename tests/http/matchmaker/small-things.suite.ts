import { expect, test } from "vitest";
import { config, createArena, type Matchmaker } from "../../support/arena.ts";
import { expectRefusal } from "../../support/expectations.ts";
import { createToken } from "../../support/harness.ts";

/** What tools and pages need beside. */
export function smallThingsTests(at: () => Matchmaker): void {
  test("[SM1] a region's ping_url is in the lists of regions", async () => {
    const document = config();
    const ping_url = "https://eu.example.com/ping?x=1";
    const regions = { ...document.regions, far: { ...document.regions.far, ping_url } };
    const arena = await createArena(at().service, { ...document, regions });
    for (const path of ["regions", "lobbies/list"]) {
      const { json } = await arena.play("GET", path);
      const shown = json.regions.map((region: { region_id: string; ping_url?: string }) => [
        region.region_id,
        region.ping_url,
      ]);
      expect(shown).toEqual([
        ["local", undefined],
        ["far", ping_url],
      ]);
    }
  });

  test("[SM1] a ping_url is http or https, has at most 512 characters and no user", async () => {
    const { service } = at();
    const arena = await createArena(service);
    const validate = async (ping_url: unknown) => {
      const body = { display_name: "V", config: { ...config(), regions: { local: { ping_url }, far: {} } } };
      const path = `${arena.namespace.game.path}/versions/validate`;
      const { json } = await service.request("POST", path, { token: service.adminToken, body });
      return json.errors.map(({ path }: { path: string[] }) => path.slice(-2));
    };
    const good = ["http://10.0.0.1:7100/ping", "https://eu.example.com", `https://a.example/${"x".repeat(490)}`, null];
    for (const url of good) expect(await validate(url)).toEqual([]);
    const bad = [
      "",
      "ping",
      "ftp://a.example",
      "javascript:alert(1)",
      "https://me:secret@a.example",
      "https://@a.example",
    ];
    bad.push("https://a.example/ x", " https://a.example", "https:\\\\a.example", "https://");
    for (const url of bad) expect(await validate(url)).toEqual([["ping_url", "invalid"]]);
    expect(await validate(`https://a.example/${"x".repeat(500)}`)).toEqual([["ping_url", "too_long"]]);
    expect(await validate(7)).toEqual([["ping_url", "wrong_type"]]);
  });

  test("[SM2] http and ws ports have a url: the scheme by protocol and TLS, host and port, and a slash at the end of http ones", async () => {
    const protocols = { a: "http", b: "https", c: "ws", d: "wss", e: "tcp", f: "udp", g: "tls" };
    const labels = Object.keys(protocols) as (keyof typeof protocols)[];
    const declared = Object.fromEntries(labels.map((label) => [label, { protocol: protocols[label] }]));
    const arena = await createArena(at().service, config({ ports: declared }));
    const register = (hostname: string, is_tls: boolean) =>
      arena.ready({
        ports: Object.fromEntries(labels.map((label, index) => [label, { hostname, port: 1000 + index, is_tls }])),
      });
    const plain = await register("a.example.com", false);
    const urlsOf = (ports: Record<string, { url?: string }>) => labels.map((label) => ports[label]!.url);
    const answer = (await arena.join(plain.lobbyId)).json;
    const expected = [
      "http://a.example.com:1000/",
      "http://a.example.com:1001/",
      "ws://a.example.com:1002",
      "ws://a.example.com:1003",
    ];
    expect(urlsOf(answer.ports)).toEqual([...expected, undefined, undefined, undefined]);
    expect(answer.lobby.ports).toEqual(answer.ports);
    const secure = await register("2001:db8::1", true);
    expect(urlsOf((await arena.join(secure.lobbyId)).json.ports).slice(0, 3)).toEqual([
      "https://[2001:db8::1]:1000/",
      "https://[2001:db8::1]:1001/",
      "wss://[2001:db8::1]:1002",
    ]);
  });

  test("[SM4] a development token without the mode's ports is refused", async () => {
    const { service } = at();
    const arena = await createArena(service, config({ ports: { voice: { protocol: "udp" } } }));
    const { token } = await createToken(service, arena.namespace, "dev");
    expectRefusal(await arena.find({}, { token }), "MATCHMAKER_PORTS_INVALID", [["ports", "voice"]]);
    expectRefusal(await arena.create({}, { token }), "MATCHMAKER_PORTS_INVALID", [["ports", "voice"]]);
  });
}
