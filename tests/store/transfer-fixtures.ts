import { hashToken } from "../../src/ground/tokens.ts";
import { setBlock } from "../../src/store/blocks.ts";
import { insertBuild } from "../../src/store/builds.ts";
import type { Db } from "../../src/store/db.ts";
import { addDomain } from "../../src/store/domains.ts";
import { insertPastLobby } from "../../src/store/lobby-history.ts";
import { openDb } from "../../src/store/open-db.ts";
import { insertToken } from "../../src/store/tokens.ts";
import { exportStore } from "../../src/store/transfer/export.ts";
import type { StorePlace } from "../../src/store/transfer/export-snapshot.ts";
import type { DocumentSource } from "../../src/store/transfer/lines.ts";
import { recordVersionImage } from "../../src/store/version-images.ts";
import { deployVersion, insertVersion } from "../../src/store/versions.ts";
import { freshDatabase, type StoreKind } from "../support/services/stores.ts";
import {
  folder,
  newId,
  now,
  storedGame,
  storedNamespace,
  storedVersion,
  token,
  uint32Max,
  version,
} from "./fixtures.ts";

/** A place for a store that does not exist yet. */
export async function newPlace(kind: StoreKind): Promise<StorePlace> {
  const { databaseUrl } = await freshDatabase(kind);
  return { databaseUrl, dataDir: await folder() };
}

/** Opens the store, works on it and closes it again, as a service or an import would. */
export async function at<T>(place: StorePlace, work: (db: Db) => Promise<T>): Promise<T> {
  const db = await openDb(place);
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}

/** `between` runs after each piece of the document. */
export async function exported(place: StorePlace, between?: () => Promise<void>): Promise<string> {
  let text = "";
  await exportStore(place, {
    foyer: "1.2.3",
    exportTs: now,
    async write(piece) {
      text += piece;
      await between?.();
    },
  });
  return text;
}

/** The text in small chunks, which break lines and characters in the middle. */
export function sourceOf(document: string | Buffer, chunkBytes = 1000): DocumentSource {
  const bytes = Buffer.from(document);
  return async function* () {
    for (let start = 0; start < bytes.length; start += chunkBytes) yield bytes.subarray(start, start + chunkBytes);
  };
}

/** Something of everything, with the odd values that a store can hold. */
export async function fill(db: Db): Promise<void> {
  const { gameId } = await storedGame(db, { displayName: "Größe 🎮 “quoted”\u2028" });
  await storedGame(db);
  const sizes = { size: 2 ** 29, unpackedSize: 2 ** 32 };
  const build = { buildId: newId(), gameId, displayName: "Größe 🎮", sha256: "a".repeat(64), createTs: now, ...sizes };
  await insertBuild(db, build, { buildsMax: 1, bytesMax: 2 ** 30 });
  const uses = [{ useId: newId(), buildId: build.buildId }];
  const first = await storedVersion(db, { gameId, config: '{"regions":{"local":{}},"n":1e3}' });
  const second = version({ gameId });
  await insertVersion(db, second, { uses });
  await recordVersionImage(db, {
    ...{ versionImageId: newId(), versionId: first.versionId, image: "registry.example.com/game:1", createTs: now },
    ...{ imageId: `sha256:${"a".repeat(64)}`, digest: null },
  });
  const { namespaceId } = await storedNamespace(db, {
    gameId,
    versionId: first.versionId,
    lobbyCountMax: uint32Max,
    maxPlayers: 0,
    maxPlayersPerClient: uint32Max,
    domainPublicAuth: { enabled: true, allowLocalhost: false },
    revision: 2 ** 40,
  });
  await storedNamespace(db, { gameId, domainPublicAuth: { enabled: false, allowLocalhost: true } });
  const deployment = () => ({ deploymentId: newId(), deployTs: now + 5 });
  await deployVersion(db, { namespaceId, versionId: second.versionId, deployment });
  const unique = newId().slice(-8);
  for (const domain of [`play.${unique}.example`, `xn--bcher-kva.${unique}.example`]) {
    await addDomain(db, { namespaceId, domain, createTs: now, domainsMax: 32 });
  }
  for (const [client, untilTs] of [
    ["192.0.2.0/24", null],
    ["2001:db8::/64", now + 9],
  ] as const) {
    const block = { client, createTs: now, untilTs, note: untilTs === null ? null : "Größe 🎮" };
    await setBlock(db, { blockId: newId(), namespaceId, block, blocksMax: 1000 });
  }
  const kept = (fields: Parameters<typeof token>[0]) => insertToken(db, { ...token(fields), hash: hashToken(newId()) });
  await kept({ gameId, expiresTs: now + 1, lastUsedTs: now });
  await kept({ gameId, namespaceId, kind: "pub", revokeTs: now });
  await kept({ gameId, namespaceId, kind: "server" });
  await kept({ gameId, namespaceId, kind: "dev", details: '{"hostname":"127.0.0.1","ports":{}}' });
  await storedHistory(db, namespaceId, first.versionId, 3);
}

export async function storedHistory(db: Db, namespaceId: string, versionId: string, count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    await insertPastLobby(db, {
      lobbyId: newId(),
      namespaceId,
      gameMode: "duel",
      region: "local",
      versionId,
      createTs: now,
      readyTs: index === 0 ? null : now + 1,
      stopTs: now + 2,
      stopReason: "crashed",
      peakPlayerCount: index,
      exitCode: index === 1 ? 137 : null,
      exitSignal: index === 2 ? "SIGKILL" : null,
      exitMessage: index === 0 ? "line one\nline two \\ ä" : null,
    });
  }
}
