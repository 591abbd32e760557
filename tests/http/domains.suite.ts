import { beforeAll, expect, test } from "vitest";
import { aTimestamp, expectEmpty, expectRefusal } from "../support/expectations.ts";
import {
  createGame,
  createNamespace,
  createToken,
  type NamespaceAtHand,
  type Service,
  uniqueName,
} from "../support/harness.ts";

export function domainsTests(at: () => Service): void {
  let namespace: NamespaceAtHand;
  let other: NamespaceAtHand;
  const add = (to: NamespaceAtHand, domain: unknown) =>
    at().request("POST", `${to.path}/domains`, { token: at().adminToken, body: { domain } });
  const remove = (from: NamespaceAtHand, domain: string) =>
    at().request("DELETE", `${from.path}/domains/${domain}`, { token: at().adminToken });
  const domainsOf = async (of: NamespaceAtHand) =>
    (await at().admin("GET", of.path)).namespace.domains.map(({ domain }: { domain: string }) => domain);
  const fresh = () => `${uniqueName("d")}.example.com`;

  beforeAll(async () => {
    const game = await createGame(at());
    namespace = await createNamespace(at(), game);
    other = await createNamespace(at(), game);
  });

  test("[D1] a domain is stored in lower-case ASCII and shown with its time", async () => {
    const { path } = await createNamespace(at(), namespace.game);
    const suffix = `${uniqueName("n")}.example.com`;
    for (const domain of [`PLAY.${suffix.toUpperCase()}`, `spiele-bücher.${suffix}`]) {
      expectEmpty(await at().request("POST", `${path}/domains`, { token: at().adminToken, body: { domain } }));
    }
    const { domains } = (await at().admin("GET", path)).namespace;
    expect(domains).toHaveLength(2);
    expect(domains).toEqual(
      expect.arrayContaining([
        { domain: `play.${suffix}`, create_ts: aTimestamp },
        { domain: `xn--spiele-bcher-klb.${suffix}`, create_ts: aTimestamp },
      ]),
    );
  });

  test("[D5] [D6] adding it again, in any spelling, changes nothing; another namespace cannot have it", async () => {
    const domain = fresh();
    expectEmpty(await add(namespace, domain));
    const before = await at().admin("GET", namespace.path);
    expectEmpty(await add(namespace, domain.toUpperCase()));
    expect(await at().admin("GET", namespace.path)).toEqual(before);
    expectRefusal(await add(other, domain), "CLOUD_DOMAIN_TAKEN");
    expectRefusal(await add(other, domain.toUpperCase()), "CLOUD_DOMAIN_TAKEN");
    const elsewhere = await createNamespace(at(), await createGame(at()));
    expectRefusal(await add(elsewhere, domain), "CLOUD_DOMAIN_TAKEN");
  });

  test("[D8] [D9] [G6] removing frees it, in any spelling; removing an absent one succeeds and affects no other namespace", async () => {
    const domain = fresh();
    await add(namespace, domain);
    expectEmpty(await remove(other, domain));
    expect(await domainsOf(namespace)).toContain(domain);
    expectEmpty(await remove(namespace, domain.toUpperCase()));
    expectEmpty(await remove(namespace, domain));
    expectEmpty(await add(other, domain));
  });

  test("[D1] [D8] an international domain can be removed by either of its names", async () => {
    const suffix = uniqueName("i");
    for (const spelling of [`b%C3%BCcher.${suffix}.com`, `xn--bcher-kva.${suffix}.com`]) {
      expectEmpty(await add(namespace, `Bücher.${suffix}.com`));
      expectEmpty(await remove(namespace, spelling));
      expect(await domainsOf(namespace)).not.toContain(`xn--bcher-kva.${suffix}.com`);
    }
  });

  test("[D3] [D8] a path that is no domain is refused", async () => {
    for (const domain of ["example", "a..com", "exa_mple.com", "%20", "1.2.3.4"]) {
      expectRefusal(await remove(namespace, domain), "CLOUD_INVALID_DOMAIN", [["domain"]]);
    }
    expectRefusal(await add(namespace, "https://example.com"), "CLOUD_INVALID_DOMAIN", [["domain"]]);
  });

  test("[D5] [D7] a namespace has at most 32 domains; adding one that it has still succeeds", async () => {
    const full = await createNamespace(at(), namespace.game);
    const suffix = fresh();
    for (let number = 0; number < 32; number++) expectEmpty(await add(full, `n${number}.${suffix}`));
    expectRefusal(await add(full, `n32.${suffix}`), "CLOUD_TOO_MANY_DOMAINS");
    expectEmpty(await add(full, `n31.${suffix}`));
    expectEmpty(await remove(full, `n0.${suffix}`));
    expectEmpty(await add(full, `n32.${suffix}`));
    expect(await domainsOf(full)).toHaveLength(32);
  });

  test("[B5] [B6] [B7] [B9] a public token with an Origin must come from a domain of the namespace, once it has one", async () => {
    const guarded = await createNamespace(at(), namespace.game);
    const { token } = await createToken(at(), guarded, "pub");
    const code = async (origin: string | null) => {
      const answer = await at().request("GET", "/matchmaker/regions", { token, headers: { origin } });
      return answer.json?.code === "TOKEN_FORBIDDEN" ? "forbidden" : "admitted";
    };
    expect(await code("https://anywhere.example.org")).toBe("admitted");
    const domain = fresh();
    await add(guarded, domain);
    expect(await code(null)).toBe("admitted");
    expect(await code(`https://${domain}`)).toBe("admitted");
    for (const origin of foreignOrigins(domain)) expect([origin, await code(origin)]).toEqual([origin, "forbidden"]);
    for (const origin of localOrigins) expect([origin, await code(origin)]).toEqual([origin, "forbidden"]);

    await at().admin("PUT", `${guarded.path}/domain-public-auth`, { enabled: false, allow_localhost: true });
    for (const origin of localOrigins) expect([origin, await code(origin)]).toEqual([origin, "admitted"]);
    for (const origin of foreignOrigins(domain)) expect([origin, await code(origin)]).toEqual([origin, "forbidden"]);
  });

  test("[B5] other kinds of token are not bound to the domains", async () => {
    const guarded = await createNamespace(at(), namespace.game);
    await add(guarded, fresh());
    const { token } = await createToken(at(), guarded, "dev");
    const answer = await at().request("GET", "/matchmaker/regions", {
      token,
      headers: { origin: "https://x.example" },
    });
    expect(answer.status).toBe(200);
  });

  test("[B8] [B9] without a token: only from https on a domain of a namespace that has it switched on, with a public token's rights", async () => {
    const guarded = await createNamespace(at(), namespace.game);
    const domain = fresh();
    await add(guarded, domain);
    const call = (origin: string | null, method = "GET", path = "/matchmaker/regions") =>
      at().request(method, path, { headers: { origin } });
    expectRefusal(await call(`https://${domain}`), "TOKEN_MISSING");
    await at().admin("PUT", `${guarded.path}/domain-public-auth`, { enabled: true, allow_localhost: true });

    const admitted = await call(`https://${domain}`);
    expect(admitted.status).not.toBe(401);
    expect(admitted.status).not.toBe(403);
    expectRefusal(await call(null), "TOKEN_MISSING");
    for (const origin of foreignOrigins(domain)) expectRefusal(await call(origin), "TOKEN_MISSING");
    for (const [method, path] of [
      ["POST", "/matchmaker/lobbies/ready"],
      ["PUT", "/matchmaker/lobbies/closed"],
      ["POST", "/matchmaker/lobbies/register"],
      ["GET", "/cloud/games"],
      ["GET", guarded.path],
    ] as const) {
      expectRefusal(await call(`https://${domain}`, method, path), "TOKEN_MISSING");
    }
    await at().admin("PUT", `${guarded.path}/domain-public-auth`, { enabled: false });
    expectRefusal(await call(`https://${domain}`), "TOKEN_MISSING");
  });
}

const localOrigins = [
  "http://localhost",
  "http://localhost:3000",
  "https://localhost:8443",
  "http://127.0.0.1:5173",
  "http://[::1]:80",
];

/** What looks like the domain and is not it. */
function foreignOrigins(domain: string): string[] {
  return [
    "null",
    "",
    `http://${domain}`,
    `https://${domain}:8443`,
    `https://sub.${domain}`,
    `https://${domain}.evil.com`,
    `https://evil-${domain}`,
    `https://${domain.replace(".", "-")}`,
    "https://example.com",
    `https://${domain}@evil.com`,
    `https://${domain}/`,
    "http://localhost.evil.com",
    "http://127.0.0.1.evil.com",
    "file://",
  ];
}
