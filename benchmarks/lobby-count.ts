import { interleave, type Plan, type Target } from "./load.ts";
import { playerLife } from "./player-life.ts";
import { type ServerProcess, serveFoyer } from "./server-process.ts";
import { comparisonTable } from "./table.ts";
import { makeWorld, tagsOf, type World } from "./world.ts";

export const question = "Does find get slower with the number of lobbies?";

const plan: Plan = { warmUpS: 1, rounds: 3, roundS: 1.5 };
const connections = 256;

/** Services with more and more open lobbies, each asked with and without tags; the smallest is the baseline. */
export async function run({ isLong, isMillion }: { isLong: boolean; isMillion: boolean }): Promise<string> {
  const rounds = isLong ? plan.rounds * 3 : plan.rounds;
  const worlds: World[] = [];
  const servers: ServerProcess[] = [];
  const plain: Target[] = [];
  const tagged: Target[] = [];
  try {
    for (const lobbies of [100, 10_000, 100_000, ...(isMillion ? [1_000_000] : [])]) {
      const world = await makeWorld({ lobbies, taggedLobbies: lobbies, playersPerLobby: 0 });
      worlds.push(world);
      const server = await serveFoyer(world.folder);
      servers.push(server);
      const count = lobbies.toLocaleString("en");
      plain.push(findTarget(world, server, `${count} lobbies, no tags`, {}));
      tagged.push(findTarget(world, server, `${count} lobbies, two tags`, { game_modes: ["tagged"], tags: tagsOf(0) }));
    }
    const results = await interleave([...plain, ...tagged], { ...plan, rounds });
    const caption = `find, ${connections} connections, ${rounds} interleaved rounds of ${plan.roundS} s, medians`;
    return `${caption}\n\n${comparisonTable(results, new Set([plain[0]!, tagged[0]!]))}`;
  } finally {
    for (const server of servers) await server.stop();
    for (const world of worlds) world.remove();
  }
}

function findTarget(world: World, server: ServerProcess, name: string, request: object): Target {
  return { ...playerLife(world, server, connections, request).find, name };
}
