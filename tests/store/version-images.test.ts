import { describe, expect, test } from "vitest";
import { findVersionImage, recordVersionImage } from "../../src/store/version-images.ts";
import { storeKinds } from "../support/services/stores.ts";
import { atOnce, emptyStore, newId, now, storedGame, storedVersion } from "./fixtures.ts";

describe.each(storeKinds)("images of versions on %s", (kind) => {
  test("[DK6] of several nodes that start a version first, one decides which image it runs", async () => {
    const db = await emptyStore(kind);
    const { versionId } = await storedVersion(db, await storedGame(db));
    expect(await findVersionImage(db, versionId, "game:1")).toBe(null);
    let number = 0;
    const record = () =>
      recordVersionImage(db, {
        ...{ versionImageId: newId(), versionId, image: "game:1", createTs: now },
        ...{ imageId: `sha256:${number++}`, digest: null },
      });
    const [first, ...others] = await atOnce(8, record);
    for (const other of others) expect(other).toEqual(first);
    expect(await findVersionImage(db, versionId, "game:1")).toEqual(first);
    expect(await findVersionImage(db, versionId, "game:2")).toBe(null);
  });

  test("[DK6] nothing is recorded for a version that does not exist", async () => {
    const db = await emptyStore(kind);
    const row = { versionImageId: newId(), versionId: newId(), image: "game:1", createTs: now };
    expect(await recordVersionImage(db, { ...row, imageId: "sha256:1", digest: null })).toBe(null);
  });
});
