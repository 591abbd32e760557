import { createServer } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import type { ImageRecords, RecordedImage } from "../../../src/runtime/docker/docker-parts.ts";
import { until } from "../../support/harness.ts";
import type { ContainerEngine } from "../../support/services/container-engine.ts";
import { freePort } from "../../support/services/programs.ts";
import type { Registry } from "../../support/services/registry.ts";
import { makeShellImage } from "../../support/services/root-file-system.ts";
import type { Driver } from "../driver.ts";
import { containerDriver, containerLobby, stopAfterEach } from "./under-test.ts";

/** What is recorded, as the store would keep it for all nodes. */
function createRecords(): ImageRecords {
  const records = new Map<string, RecordedImage>();
  return {
    find: async (versionId, image) => records.get(`${versionId} ${image}`) ?? null,
    async record(versionId, image, found) {
      const key = `${versionId} ${image}`;
      records.set(key, records.get(key) ?? found);
      return records.get(key)!;
    },
  };
}

/** Which image a version's containers run, with images of this machine and of a registry. */
export function describeImages(engine: () => ContainerEngine, registry: () => Registry): void {
  const { open, isGone } = containerDriver(engine, "");
  const pulled = (image: string, versionId: string, pull: "missing" | "never" | "always") =>
    containerLobby(image, "cat /words", { program: { versionId, pull } });

  /** What the container of that version prints. */
  async function words(
    driver: Driver,
    image: string,
    versionId: string,
    pull: "missing" | "never" | "always" = "never",
  ) {
    const lobby = pulled(image, versionId, pull);
    await driver.start(lobby);
    await until(() => driver.exits.some(({ lobbyId }) => lobbyId === lobby.lobbyId));
    await until(() => isGone(driver, lobby.lobbyId));
    return (await driver.logs(lobby.lobbyId, "stdout", 1000)).text;
  }

  describe("images", () => {
    stopAfterEach();

    test("[DK6] a tag is resolved when the version is first started; the version keeps that image, and another version gets the new one", async () => {
      const images = createRecords();
      const driver = await open({ docker: { images } });
      await engine().importImage("foyer-game:1", await makeShellImage("first"));
      expect(await words(driver, "foyer-game:1", "old")).toBe("first");
      await engine().importImage("foyer-game:1", await makeShellImage("second"));
      expect(await words(driver, "foyer-game:1", "new")).toBe("second");
      // The rollback.
      expect(await words(driver, "foyer-game:1", "old")).toBe("first");
    });

    test("[DK6] an image that is not there is named, and with pull never it is not looked for", async () => {
      const driver = await open();
      const missing = `${registry().address}/no-such-game:1`;
      for (const [pull, reason] of [
        ["never", /The image \S+\/no-such-game:1 is not on this machine, and the version says that it is never pulled/],
        ["missing", /The image \S+\/no-such-game:1 could not be pulled/],
      ] as const) {
        const refused = driver.start(pulled(missing, "missing", pull));
        await expect(refused).rejects.toThrow(reason);
        await expect(refused).rejects.toMatchObject({ isShortage: false });
      }
      expect(driver.room()).toBe(64);
    });

    test("[DK6] an image is pulled from its registry when it is missing, or always at the first start; later the same one, by its digest", async () => {
      const images = createRecords();
      const driver = await open({ docker: { images } });
      const name = `${registry().address}/game:1`;
      const publish = async (text: string) => {
        await engine().importImage(name, await makeShellImage(text));
        await engine().push(name);
      };
      await publish("first");
      await engine().removeImages();
      expect(await words(driver, name, "old", "missing")).toBe("first");
      await publish("second");
      // The tag means another image by now, here and in the registry; another node has neither.
      expect(await words(driver, name, "old", "missing")).toBe("first");
      await engine().removeImages();
      expect(await words(driver, name, "old", "missing")).toBe("first");
      expect(await words(driver, name, "new", "always")).toBe("second");
      await engine().removeImages();
      await expect(driver.start(pulled(name, "old", "never"))).rejects.toThrow(
        /first started with .* is not on this machine/,
      );
    });

    test("[DK6] a pull ends in time, and says so", async () => {
      const silent = createServer(() => undefined);
      const port = await freePort();
      silent.listen(port, "127.0.0.1");
      onTestFinished(() => void silent.close());
      const driver = await open({ docker: { pullWithinMs: 500, waitMs: 500 } });
      const refused = driver.start(pulled(`127.0.0.1:${port}/game:1`, "slow", "missing"));
      await expect(refused).rejects.toThrow(/was not pulled within 0.5 s.*FOYER_DOCKER_PULL_S/);
      await expect(refused).rejects.toMatchObject({ isShortage: true });
    });
  });
}
