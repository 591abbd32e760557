import { createHash, randomBytes, randomUUID } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { hostileArchives } from "../builds/hostile-archives.ts";
import { someArchive, uploadBuild } from "../builds/upload.ts";
import { aTimestamp, aUuid, expectAnswer, expectEmpty, expectRefusal } from "../support/expectations.ts";
import {
  type Answer,
  createCloudToken,
  createGame,
  createVersion,
  type GameAtHand,
  processConfig,
  type Service,
  startService,
} from "../support/harness.ts";
import { openRaw } from "../support/raw.ts";
import type { ServiceKind } from "../support/services/stores.ts";
import { archive } from "../support/tar.ts";

const sha256 = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");

/** An archive whose size cannot be guessed from its content. */
/** A whole archive of that many bytes: the header of gzip has room for a comment. */
const ofSize = (bytes: number) => {
  const gzip = large(1_000_000);
  const comment = Buffer.alloc(bytes - gzip.length, "x");
  comment[comment.length - 1] = 0;
  gzip[3]! |= 0x10;
  return Buffer.concat([gzip.subarray(0, 10), comment, gzip.subarray(10)]);
};
const large = (bytes: number) => archive([{ name: "data", content: randomBytes(bytes) }]);

function withBuild(build_id: string, more: object = {}) {
  const [name, mode] = Object.entries(processConfig.game_modes)[0]!;
  const process = { command: "./server", ...more, build_id };
  return { ...processConfig, game_modes: { [name]: { ...mode, runtime: { process } } } };
}

export function buildsTests(kind: ServiceKind, at: () => Service): void {
  let small: Service;
  const limits = { buildMaxMib: 1, maxBuildsPerGame: 8, maxBuildMibPerGame: 2, processTrust: "cloud" } as const;

  beforeAll(async () => {
    small = await startService(kind, limits);
  });
  afterAll(() => small?.close());

  const call = (method: string, path: string, body?: unknown) =>
    at().request(method, path, { token: at().adminToken, ...(body !== undefined && { body }) });
  const list = async (service: Service, game: GameAtHand, query = "") =>
    (await service.admin("GET", `${game.path}/builds${query}`)).builds;
  /** Files of uploads that did not become builds. */
  const leftovers = ({ dataDir }: Service) => readdirSync(join(dataDir, "builds/incoming"));

  test("[BU1] [BU2] an archive of any content type becomes a build, which is listed and read", async () => {
    const game = await createGame(at());
    const bytes = someArchive();
    const query = `display_name=Server%201&sha256=${sha256(bytes).toUpperCase()}`;
    const made = await uploadBuild(at(), game, { bytes, query, headers: { "content-type": null } });
    expectAnswer(made, { build_id: aUuid, sha256: sha256(bytes), size: bytes.length });
    const second = (await uploadBuild(at(), game, { headers: { "content-type": "text/plain" } })).json;

    const shown = { ...made.json, display_name: "Server 1", create_ts: aTimestamp };
    const unnamed = { ...second, display_name: second.sha256.slice(0, 12), create_ts: aTimestamp };
    expectAnswer(await call("GET", `${game.path}/builds`), { builds: [unnamed, shown] });
    expectAnswer(await call("GET", `${game.path}/builds?sha256=${shown.sha256}`), { builds: [shown] });
    expectAnswer(await call("GET", `${game.path}/builds?sha256=${"0".repeat(64)}`), { builds: [] });
    const got = await call("GET", `${game.path}/builds/${made.json.build_id.toUpperCase()}`);
    expectAnswer(got, { build: shown, nodes: [] });
    const first = await at().admin("GET", `${game.path}/builds?limit=1`);
    expect(first.builds).toEqual([unnamed]);
    expectAnswer(await call("GET", `${game.path}/builds?limit=1&cursor=${first.cursor}`), { builds: [shown] });
    expect(leftovers(at())).toEqual([]);
  });

  test("[BU3] the same bytes in one game are one build with its first name; other games do not see it", async () => {
    const [game, other] = [await createGame(at()), await createGame(at())];
    const bytes = someArchive();
    const answers = await Promise.all(
      [1, 2, 3, 4].map((index) => uploadBuild(at(), game, { bytes, query: `display_name=B${index}` })),
    );
    const ids = new Set(answers.map(({ json }) => json.build_id));
    expect([answers.map(({ status }) => status), ids.size]).toEqual([[200, 200, 200, 200], 1]);
    const [first] = await list(at(), game);
    expect((await uploadBuild(at(), game, { bytes, query: "display_name=Later" })).json.build_id).toBe(first.build_id);
    expect(await list(at(), game)).toEqual([first]);

    expect(await list(at(), other)).toEqual([]);
    expect(await list(at(), other, `?sha256=${sha256(bytes)}`)).toEqual([]);
    expectRefusal(await call("GET", `${other.path}/builds/${first.build_id}`), "CLOUD_BUILD_NOT_FOUND");
    expectRefusal(await call("DELETE", `${other.path}/builds/${first.build_id}`), "CLOUD_BUILD_NOT_FOUND");
    const answer = await call("POST", `${other.path}/versions`, {
      display_name: "A",
      config: withBuild(first.build_id),
    });
    expectRefusal(answer, "CLOUD_VALIDATION_ERROR");
    expect((await uploadBuild(at(), other, { bytes })).json.build_id).not.toBe(first.build_id);
  });

  test("[BU4] hostile archives are refused whole, and nothing of them is left", async () => {
    const game = await createGame(at());
    // Once is enough for those that take seconds.
    const some = kind === "sqlite" ? hostileArchives : hostileArchives.filter(([, bytes]) => bytes.length < 100_000);
    for (const [title, bytes, word] of some) {
      const answer = await uploadBuild(at(), game, { bytes });
      expect([title, answer.status, answer.json.code]).toEqual([title, 400, "CLOUD_BUILD_INVALID"]);
      expect([title, answer.json.message]).toEqual([title, expect.stringContaining(word)]);
    }
    expect(await list(at(), game)).toEqual([]);
    expect(leftovers(at())).toEqual([]);
  });

  test("[BU2] other bytes than `sha256` says, and an empty body, are 400", async () => {
    const game = await createGame(at());
    const wrong = await uploadBuild(at(), game, { query: `sha256=${"a".repeat(64)}` });
    expectRefusal(wrong, "CLOUD_BUILD_INVALID");
    expectRefusal(await uploadBuild(at(), game, { query: "sha256=abc" }), "API_BAD_QUERY", [["sha256"]]);
    expectRefusal(await uploadBuild(at(), game, { query: "name=abc" }), "API_BAD_QUERY", [["name"]]);
    const named = await uploadBuild(at(), game, { query: "display_name=%20" });
    expectRefusal(named, "CLOUD_VALIDATION_ERROR", [["display_name", "invalid"]]);
    expectRefusal(await uploadBuild(at(), game, { bytes: Buffer.alloc(0) }), "API_BAD_BODY");
    const encoded = await uploadBuild(at(), game, { headers: { "content-encoding": "gzip" } });
    expectRefusal(encoded, "API_UNSUPPORTED_MEDIA_TYPE");
    const unknown = { ...game, path: `/cloud/games/${randomUUID()}` };
    expectRefusal(await uploadBuild(at(), unknown), "CLOUD_GAME_NOT_FOUND");
    for (const path of [`${unknown.path}/builds`, `${unknown.path}/builds/${randomUUID()}`]) {
      expectRefusal(await call("GET", path), "CLOUD_GAME_NOT_FOUND");
    }
    expectRefusal(await call("DELETE", `${unknown.path}/builds/${randomUUID()}`), "CLOUD_GAME_NOT_FOUND");
    expectRefusal(await call("GET", `${game.path}/builds?cursor=x`), "API_BAD_QUERY", [["cursor"]]);
    expect(await list(at(), game)).toEqual([]);
  });

  test("[BU6] a cloud token needs the right to create versions with the process runtime", async () => {
    const game = await createGame(at());
    const { token } = await createCloudToken(at(), game);
    const { build_id } = (await uploadBuild(at(), game)).json;
    expectRefusal(await uploadBuild(at(), game, { token }), "TOKEN_FORBIDDEN");
    for (const [method, path] of [
      ["GET", "builds"],
      ["GET", `builds/${build_id}`],
      ["DELETE", `builds/${build_id}`],
    ] as const) {
      expectRefusal(await at().request(method, `${game.path}/${path}`, { token }), "TOKEN_FORBIDDEN");
    }

    const trusting = await createGame(small);
    const { token: trusted } = await createCloudToken(small, trusting);
    const made = await uploadBuild(small, trusting, { token: trusted });
    expect(made.status).toBe(200);
    expect((await small.request("GET", `${trusting.path}/builds`, { token: trusted })).json.builds).toHaveLength(1);
    const path = `${trusting.path}/builds/${made.json.build_id}`;
    expectEmpty(await small.request("DELETE", path, { token: trusted }));
  });

  test("[BU7] exactly build_max_mib is accepted, one byte more is 413", async () => {
    const game = await createGame(small);
    const chunked = { "content-length": null, "transfer-encoding": "chunked" };
    for (const headers of [{}, chunked]) {
      expect((await uploadBuild(small, game, { bytes: ofSize(1024 * 1024), headers })).status).toBe(200);
      expectRefusal(await uploadBuild(small, game, { bytes: ofSize(1024 * 1024 + 1), headers }), "API_BODY_TOO_LARGE");
    }
  });

  test("[BU7] more than build_max_mib is 413, whether the length is declared or not", async () => {
    const game = await createGame(small);
    expectRefusal(await uploadBuild(small, game, { bytes: large(1_100_000) }), "API_BODY_TOO_LARGE");
    const chunked = await uploadBuild(small, game, {
      bytes: large(1_100_000),
      headers: { "content-length": null, "transfer-encoding": "chunked" },
    });
    expectRefusal(chunked, "API_BODY_TOO_LARGE");
    expect((await uploadBuild(small, game, { bytes: large(1_000_000) })).status).toBe(200);
    const whole = await uploadBuild(small, game, {
      headers: { "content-length": null, "transfer-encoding": "chunked" },
    });
    expect(whole.status).toBe(200);
    expect(leftovers(small)).toEqual([]);
  });

  /** At most four uploads are received at a time, so that they come in rows. */
  async function uploadAll(service: Service, count: number, upload: (index: number) => Promise<Answer>) {
    const answers: Answer[] = [];
    for (let from = 0; from < count; from += 4) {
      const row = Array.from({ length: Math.min(4, count - from) }, (_, index) => upload(from + index));
      answers.push(...(await Promise.all(row)));
    }
    expect(leftovers(service)).toEqual([]);
    return answers;
  }

  test("[BU8] a game has at most max_builds_per_game, exactly so under concurrent uploads; the same bytes are no more", async () => {
    const game = await createGame(small);
    const kept = someArchive();
    expect((await uploadBuild(small, game, { bytes: kept })).status).toBe(200);
    const answers = await uploadAll(small, 16, () => uploadBuild(small, game));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(9);
    for (const answer of refused) expectRefusal(answer, "CLOUD_QUOTA_REACHED");
    expect(refused[0]?.json.message).toContain("max_builds_per_game");
    const builds = await list(small, game);
    expect(builds).toHaveLength(8);
    expect((await uploadBuild(small, game, { bytes: kept })).status).toBe(200);

    await small.admin("DELETE", `${game.path}/builds/${builds[0].build_id}`);
    const again = await uploadAll(small, 4, () => uploadBuild(small, game));
    expect(again.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  test("[BU3] [AU3] each of eight concurrent uploads of the same bytes is recorded with the build that is kept", async () => {
    const game = await createGame(at());
    const bytes = someArchive();
    const answers = await uploadAll(at(), 8, () => uploadBuild(at(), game, { bytes }));
    expect(answers.map(({ status }) => status)).toEqual(new Array(8).fill(200));
    const [build] = await list(at(), game);
    const { entries } = await at().admin(
      "GET",
      `/cloud/audit?game_id=${game.gameId}&operation=games.builds.createBuild`,
    );
    expect(entries.map(({ target }: { target: string }) => target)).toEqual(new Array(8).fill(build.build_id));
  });

  test("[BU8] the builds of a game have at most max_build_mib_per_game together, exactly so", async () => {
    const game = await createGame(small);
    const answers = await uploadAll(small, 8, () => uploadBuild(small, game, { bytes: large(600_000) }));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(5);
    for (const answer of refused) expectRefusal(answer, "CLOUD_QUOTA_REACHED");
    expect(refused[0]?.json.message).toContain("max_build_mib_per_game");
    expect(await list(small, game)).toHaveLength(3);
  });

  test("[BU9] a node receives four uploads at once; a fifth is 503, and other requests are answered meanwhile", async () => {
    const game = await createGame(at());
    const bytes = someArchive();
    const head = [
      `POST ${game.path}/builds HTTP/1.1`,
      "host: localhost",
      `authorization: Bearer ${at().adminToken}`,
      `content-length: ${bytes.length}`,
      "",
      "",
    ].join("\r\n");
    const held = await Promise.all([1, 2, 3, 4].map(() => openRaw(at().port)));
    for (const connection of held) connection.write(Buffer.concat([Buffer.from(head), bytes.subarray(0, 20)]));
    await expect.poll(() => leftovers(at()).length).toBe(4);
    const fifth = await uploadBuild(at(), game);
    expectRefusal(fifth, "API_UNAVAILABLE");
    expect(fifth.headers["retry-after"]).toBe("10");
    expect(leftovers(at())).toHaveLength(4);
    expect((await call("GET", game.path)).status).toBe(200);

    for (const connection of held.slice(1)) connection.destroy();
    await expect.poll(() => leftovers(at()).length).toBe(1);
    held[0]!.write(bytes.subarray(20));
    expectAnswer((await held[0]!.answer())!, { build_id: aUuid, sha256: sha256(bytes), size: bytes.length });
    held[0]!.destroy();
    expect(leftovers(at())).toEqual([]);
    expect(await list(at(), game)).toHaveLength(1);
  });

  test("[BU9] an upload that is refused before its end is answered, and its connection closed a little later", async () => {
    const game = await createGame(at());
    const connection = await openRaw(at().port);
    const head = `POST ${game.path}/builds HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${at().adminToken}\r\n`;
    connection.write(`${head}content-length: 100000\r\n\r\nnot an archive`);
    expectRefusal((await connection.answer())!, "CLOUD_BUILD_INVALID");
    await connection.closed;
    expect(leftovers(at())).toEqual([]);
  });

  test("[BU10] a version names builds of its own game; a build that a version names stays", async () => {
    const game = await createGame(at());
    const { build_id } = (await uploadBuild(at(), game)).json;
    const gone = randomUUID();
    const invalid = await call("POST", `${game.path}/versions/validate`, {
      display_name: "A",
      config: withBuild(gone, { cwd: "../x", command: "a/../../b" }),
    });
    const place = ["config", "game_modes", Object.keys(processConfig.game_modes)[0], "runtime", "process"];
    expect(invalid.json.errors.map(({ path }: { path: string[] }) => path)).toEqual([
      [...place, "command", "invalid"],
      [...place, "cwd", "invalid"],
      [...place, "build_id", "not_found"],
    ]);
    const refused = await call("POST", `${game.path}/versions`, { display_name: "A", config: withBuild(gone) });
    expectRefusal(refused, "CLOUD_VALIDATION_ERROR", [[...place, "build_id", "not_found"] as string[]]);

    const versionId = await createVersion(at(), game, withBuild(build_id.toUpperCase()));
    const path = `${game.path}/builds/${build_id}`;
    expectRefusal(await call("DELETE", path), "CLOUD_BUILD_IN_USE");
    expectEmpty(await call("DELETE", `${game.path}/versions/${versionId}`));
    expectEmpty(await call("DELETE", path));
    expectRefusal(await call("DELETE", path), "CLOUD_BUILD_NOT_FOUND");
    expectRefusal(await call("GET", path), "CLOUD_BUILD_NOT_FOUND");
    expectRefusal(await call("DELETE", `${game.path}/builds/not-an-id`), "CLOUD_BUILD_NOT_FOUND");
    if (kind === "sqlite") expect(existsSync(join(at().dataDir, "builds", `${build_id}.tar.gz`))).toBe(false);
  });

  test("[BU10] of a deletion and a version at once, the build is gone and the version refused, or both are there", async () => {
    const game = await createGame(at());
    for (let round = 0; round < 8; round++) {
      const { build_id } = (await uploadBuild(at(), game)).json;
      const [deleted, made] = await Promise.all([
        call("DELETE", `${game.path}/builds/${build_id}`),
        call("POST", `${game.path}/versions`, { display_name: "A", config: withBuild(build_id) }),
      ]);
      expect([deleted.status, made.status]).toEqual(deleted.status === 204 ? [204, 400] : [409, 200]);
    }
  });
}
