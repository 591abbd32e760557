import { expect, onTestFinished, test } from "vitest";
import { expectRefusal } from "../support/expectations.ts";
import { type Service, until } from "../support/harness.ts";
import {
  createWorld,
  lobbyPids,
  lobbyVersion,
  startRuntimeService,
  type World,
  worldOf,
} from "../support/runtime-world.ts";

const full = lobbyVersion({ max_players: 1 });

function endAfterTest(service: Service, worlds: readonly World[], { dataDir } = service): void {
  onTestFinished(async () => {
    for (const { namespace } of worlds) await service.admin("DELETE", `${namespace.path}?force=true`);
    await until(() => lobbyPids(dataDir).length === 0);
    await service.close();
  });
}

async function stopOne(world: World): Promise<void> {
  const [lobby] = await world.lobbies();
  await world.client.admin("DELETE", `${world.namespace.path}/lobbies/${lobby.lobby_id}`);
}

/** Stops a lobby of the greedy namespace, and lets both ask until one of them has the slot. */
async function passOn(greedy: World, modest: World): Promise<void> {
  await stopOne(greedy);
  await until(async () => {
    expectRefusal(await greedy.find(), "MATCHMAKER_LOBBY_START_FAILED");
    return (await modest.find()).status === 200;
  });
}

test("[SH1] [SH5] a game that took every lobby process leaves the next one its share, also after a restart", async () => {
  const service = await startRuntimeService({ maxLobbyProcesses: 4 });
  const [greedy, modest] = [await createWorld(service, full), await createWorld(service, full)];
  for (let count = 0; count < 4; count++) expect((await greedy.find()).status).toBe(200);
  const dry = await modest.find({ dry_run: true });
  expect(dry.json.code).toBe("MATCHMAKER_LOBBY_START_FAILED");
  // Who only asks what would happen wants nothing: the next place is still the first one's.
  await stopOne(greedy);
  await until(async () => (await greedy.find()).status === 200);
  const refused = await modest.find();
  expectRefusal(refused, "MATCHMAKER_LOBBY_START_FAILED");
  await passOn(greedy, modest);

  await service.close();
  const next = await startRuntimeService({ maxLobbyProcesses: 4, dataDir: service.dataDir });
  const again = ({ game, namespace, publicToken }: World) => worldOf(next, game, namespace, publicToken);
  endAfterTest(next, [again(greedy), again(modest)], service);
  await passOn(again(greedy), again(modest));
  expect((await again(greedy).lobbies()).length).toBe(2);
  const shortage = await again(greedy).find();
  expect(shortage.json.message).toMatch(/no free slot for another lobby/);
  expect(shortage.text).not.toMatch(/share|FOYER/);
});

test("[SH5] idle lobbies count and ask for slots like any others", async () => {
  const service = await startRuntimeService({ maxLobbyProcesses: 4 });
  const pool = lobbyVersion({ max_players: 1, idle_lobbies: { min: 8 } });
  const warm = await createWorld(service, pool);
  const modest = await createWorld(service, full);
  endAfterTest(service, [warm, modest]);
  await until(async () => (await warm.lobbies()).length === 4);
  await until(async () => {
    if ((await modest.find()).status === 200) return true;
    // Its pool is filled up again at once, but not with places that another namespace wants.
    if ((await warm.lobbies()).length > 2) await stopOne(warm);
    return false;
  });
  expect((await warm.lobbies()).length).toBeLessThan(4);
});
