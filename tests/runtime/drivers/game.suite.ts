import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Child, newDataDir, startChild } from "../../support/child.ts";
import { until } from "../../support/harness.ts";
import { connectTo, createWorld, type World, worldOf } from "../../support/runtime-world.ts";
import type { ContainerEngine } from "../../support/services/container-engine.ts";
import { freePort } from "../../support/services/programs.ts";
import { makeNodeImage } from "../../support/services/root-file-system.ts";
import { ownRange } from "../driver.ts";

const program = fileURLToPath(new URL("../lobby.mjs", import.meta.url));

/** A game in an image, played on a service that is killed and started again. */
export function describeGame(engine: () => ContainerEngine): void {
  describe("a game in containers", () => {
    const dataDir = newDataDir();
    let child: Child;
    let flags: string[];

    beforeAll(async () => {
      await engine().importImage("foyer-game:node", await makeNodeImage(program));
      const port = await freePort();
      const { socket, hostAddress } = engine();
      flags = [`--host=0.0.0.0`, `--port=${port}`, `--lobby-ports=${ownRange(4)}`, "--lobby-stop-grace-s=2"];
      flags.push(`--docker-socket=${socket}`, `--lobby-api-endpoint=http://${hostAddress}:${port}`);
      child = await startChild(dataDir, flags);
    });
    afterAll(async () => {
      // SIGINT ends the lobbies too.
      child?.process.kill("SIGINT");
      await child?.ended;
    });

    const docker = {
      image: "foyer-game:node",
      command: "/bin/node",
      args: ["/game/lobby.mjs"],
      pull: "never",
      env: { LISTEN_ON: "0.0.0.0" },
      memory_mib: 256,
    };
    const version = {
      regions: { local: {} },
      game_modes: { duel: { max_players: 1, runtime: { docker } } },
    };
    const reopen = ({ game, namespace, publicToken }: World) => worldOf(child.client, game, namespace, publicToken);

    test("[DK10] [DV7] players find and play it; after kill -9 of the service it runs on and is taken over, and how others ended is known", async () => {
      const world = await createWorld(child.client, version);
      const [kept, lost] = [await world.find(), await world.find()];
      expect([kept.status, lost.status]).toEqual([200, 200]);
      const [player, other] = [await connectTo(kept), await connectTo(lost)];
      expect(await player.ask(`connect ${kept.json.player.token}`)).toBe("200");
      const env = JSON.parse(await player.ask("env"));
      expect(env.FOYER_API_ENDPOINT).toContain(engine().hostAddress);

      child.process.kill("SIGKILL");
      await child.ended;
      expect(await player.ask("while it is down")).toMatch(/ while it is down$/);
      await player.ask('say "words of that time\\n"');
      other.socket.on("error", () => undefined).write("crash\n");
      const path = `/containers/foyer-${lost.json.lobby.lobby_id}/json`;
      // biome-ignore lint/suspicious/noExplicitAny: the engine's API defines the shape.
      await until(async () => ((await engine().ask("GET", path)) as any).State.Status === "exited");

      child = await startChild(dataDir, flags);
      const again = reopen(world);
      const lobbies = await again.lobbies(true);
      expect(lobbies).toContainEqual(expect.objectContaining({ lobby_id: kept.json.lobby.lobby_id, status: "ready" }));
      expect(lobbies).toContainEqual(
        expect.objectContaining({
          ...{ lobby_id: lost.json.lobby.lobby_id, stop_reason: "crashed", exit_code: 7 },
          exit_message: expect.stringContaining("While the service was down: Its process exited with code 7"),
        }),
      );
      expect(await player.ask(`leave ${kept.json.player.token}`)).toBe("204");
      const logs = `${again.namespace.path}/lobbies/${kept.json.lobby.lobby_id}/logs`;
      await until(async () => (await again.client.admin("GET", logs)).text.includes("words of that time"));
      const { text } = await again.client.admin("GET", logs);
      expect(text).toBe("starting\nready: 204\nwords of that time\n");
      player.socket.on("error", () => undefined).write("crash\n");
      await until(async () => (await again.lobbies()).length === 0);
    });

    test("[DK10] [RT14] SIGINT of the service ends its containers", async () => {
      const world = await createWorld(child.client, version);
      const found = await world.find();
      expect(found.status).toBe(200);
      child.process.kill("SIGINT");
      expect(await child.ended).toBe(0);
      const path = `/containers/foyer-${found.json.lobby.lobby_id}/json`;
      await expect(engine().ask("GET", path)).rejects.toMatchObject({ status: 404 });
      child = await startChild(dataDir, flags);
      const [lobby] = await reopen(world).lobbies(true);
      expect(lobby).toMatchObject({ status: "stopped", stop_reason: "operator" });
    });
  });
}
