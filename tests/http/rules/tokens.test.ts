import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { secretFromText } from "../../../src/ground/data-folder.ts";
import { createDerivedTokens, type DerivedToken, hashToken } from "../../../src/ground/tokens.ts";
import { expectAnswer, expectEmpty, expectRefusal } from "../../support/expectations.ts";
import {
  createCloudToken,
  createGame,
  createNamespace,
  createToken,
  createVersion,
  noteIssued,
  type Service,
  startService,
} from "../../support/harness.ts";

const ids = {
  namespaceId: "01890000-0000-7000-8000-000000000001",
  lobbyId: "01890000-0000-7000-8000-000000000002",
  playerId: "01890000-0000-7000-8000-0000000000ff",
};
const { namespaceId, lobbyId, playerId } = ids;
const one: DerivedToken[] = [
  { kind: "lobby", namespaceId, lobbyId },
  { kind: "player", namespaceId, lobbyId, playerId },
  { kind: "devplayer", namespaceId, playerId },
];

describe.each(one)("a derived $kind token", (token) => {
  const secret = secretFromText("a secret");
  const tokens = createDerivedTokens(secret, null);
  const text = tokens.make(token);

  test("[K4] [K6] is its kind and its ids, signed: made again it is the same, and changed it is invalid", () => {
    expect(text.startsWith(`${token.kind}_`)).toBe(true);
    expect(tokens.make(token)).toBe(text);
    expect(tokens.read(text)).toEqual(token);
    const start = token.kind.length + 1;
    for (let at = start; at < text.length; at++) {
      const changed = text.slice(0, at) + (text[at] === "A" ? "B" : "A") + text.slice(at + 1);
      expect(tokens.read(changed)).toBeNull();
    }
    expect(createDerivedTokens(secretFromText("another secret"), null).read(text)).toBeNull();
  });

  test("[K7] has one spelling", () => {
    const [kind, body] = [text.slice(0, text.indexOf("_") + 1), text.slice(text.indexOf("_") + 1)];
    const bytes = Buffer.from(body, "base64url");
    const others = [`${body}=`, `${body} `, ` ${body}`, `${body}\n`, bytes.toString("base64"), bytes.toString("hex")];
    for (const other of others.filter((spelling) => spelling !== body)) {
      expect(tokens.read(kind + other)).toBeNull();
    }
    // The last letter may carry bits that belong to no byte; only the spelling with none of them set is taken.
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const readable = [...alphabet].filter((letter) => tokens.read(kind + body.slice(0, -1) + letter) !== null);
    expect(readable).toEqual([body.at(-1)]);
    expect(tokens.read(text.toUpperCase())).toBeNull();
  });

  test("[K8] made under the previous secret is valid while that is set", () => {
    const next = secretFromText("the next secret");
    expect(createDerivedTokens(next, secret).read(text)).toEqual(token);
    expect(createDerivedTokens(next, null).read(text)).toBeNull();
  });

  test("[K8] the generated secret, as it stands in its file, can become the previous one", () => {
    const generated = Buffer.from("0123456789abcdef".repeat(4), "hex");
    const made = createDerivedTokens(generated, null).make(token);
    expect(
      createDerivedTokens(secretFromText("the next"), secretFromText(generated.toString("hex"))).read(made),
    ).toEqual(token);
  });
});

describe("a running service", () => {
  let service: Service;
  const previousSecret = "the secret before this one, long enough too";
  const adminToken = "an-admin-token-of-the-operator's-own-making";

  beforeAll(async () => {
    service = await startService("sqlite", { previousSecret, adminToken });
  });
  afterAll(() => service?.close());

  /** A namespace whose servers register themselves, with one that is ready. */
  async function arena() {
    const game = await createGame(service);
    const namespace = await createNamespace(service, game, { versionId: await createVersion(service, game) });
    const server = (await createToken(service, namespace, "server")).token;
    const register = async () => {
      const ports = { default: { hostname: "duel.example.com", port: 7777, is_tls: false } };
      const body = { game_mode: "duel", region: "local", ports };
      const answer = await service.request("POST", "/matchmaker/lobbies/register", { token: server, body });
      expect(answer.status).toBe(200);
      expectEmpty(await service.request("POST", "/matchmaker/lobbies/ready", { token: answer.json.token }));
      return answer.json as { lobby_id: string; token: string };
    };
    return { namespace, server, register };
  }

  test("[K8] takes tokens made under its previous secret", async () => {
    const namespace = await createNamespace(service, await createGame(service));
    const dev = (await createToken(service, namespace, "dev")).token;
    const connect = (player_token: string) =>
      service.request("POST", "/matchmaker/players/connected", { token: dev, body: { player_token } });
    const made = (secret: string) => {
      const derived = createDerivedTokens(secretFromText(secret), null);
      const token = derived.make({ kind: "devplayer", namespaceId: namespace.namespaceId, playerId });
      noteIssued(token);
      return token;
    };
    expectAnswer(await connect(made(previousSecret)), { player_id: playerId, returned: false });
    expectRefusal(await connect(made("the secret of another installation")), "MATCHMAKER_PLAYER_NOT_FOUND");
  });

  test("[K10] takes the operator's own admin token and makes no other", async () => {
    expect(service.adminToken).toBe(adminToken);
    expect((await service.request("GET", "/cloud/games", { token: adminToken })).status).toBe(200);
    expect(readdirSync(service.dataDir)).not.toContain("admin-token");
  });

  test("[K17] lets a lobby write its own state and read that of any lobby of its namespace, and of no other", async () => {
    const { register } = await arena();
    const [own, sibling] = [await register(), await register()];
    const foreign = await (await arena()).register();
    const state = { round: 3 };
    expectEmpty(await service.request("PUT", "/matchmaker/lobbies/state", { token: own.token, body: state }));
    const read = (token: string) => service.request("GET", `/matchmaker/lobbies/${own.lobby_id}/state`, { token });
    expectAnswer(await read(own.token), state);
    expectAnswer(await read(sibling.token), state);
    expectRefusal(await read(foreign.token), "MATCHMAKER_LOBBY_NOT_FOUND");
    expectAnswer(
      await service.request("GET", `/matchmaker/lobbies/${sibling.lobby_id}/state`, { token: sibling.token }),
      null,
    );
  });

  test("[K5] [K6] stores of kept tokens the hash alone, and of derived ones nothing", async () => {
    const { namespace, server, register } = await arena();
    const lobby = await register();
    const pub = (await createToken(service, namespace, "pub")).token;
    const dev = (await createToken(service, namespace, "dev")).token;
    const cloud = (await createCloudToken(service, namespace.game)).token;
    const body = { game_modes: ["duel"] };
    const seat = await service.request("POST", "/matchmaker/lobbies/find", { token: pub, body });
    const mock = await service.request("POST", "/matchmaker/lobbies/find", { token: dev, body });
    const kept = [server, pub, dev, cloud];
    const derived = [lobby.token, seat.json.player.token, mock.json.player.token];
    await service.close();

    const stored = Buffer.concat(filesBelow(service.dataDir).map((file) => readFileSync(file)));
    const isStored = (text: string) => stored.includes(text);
    expect(kept.map((token) => isStored(hashToken(token)))).toEqual(kept.map(() => true));
    for (const token of [...kept, ...derived]) {
      const secret = token.slice(token.indexOf("_") + 1);
      expect([token.split("_")[0], isStored(secret)]).toEqual([token.split("_")[0], false]);
      expect(stored.includes(Buffer.from(secret, "base64url"))).toBe(false);
    }
    for (const token of derived) expect(isStored(hashToken(token))).toBe(false);
  });
});

function filesBelow(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return names.map((name) => join(folder, name)).filter((path) => statSync(path).isFile());
}
