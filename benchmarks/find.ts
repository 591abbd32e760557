import { interleave, type Plan, type Round, type Target } from "./load.ts";
import { pacedP99 } from "./paced.ts";
import { playerLife, setClosed } from "./player-life.ts";
import { type Answer, bearer, send } from "./requests.ts";
import { type ServerProcess, serveFoyer, startBare } from "./server-process.ts";
import { comparisonTable, markdownTable } from "./table.ts";
import { makeWorld, type World } from "./world.ts";

export const question = "How much of Node's own HTTP speed is left when players and lobbies call, durably?";

const plan: Plan = { warmUpS: 2, rounds: 3, roundS: 2 };

/** One service with 10,000 open lobbies against a bare server that answers the same bytes. */
export async function run({ isLong }: { isLong: boolean }): Promise<string> {
  const rounds = isLong ? plan.rounds * 3 : plan.rounds;
  const world = await makeWorld({ lobbies: 10_000, taggedLobbies: 0, playersPerLobby: 0 });
  const servers: ServerProcess[] = [];
  try {
    const foyer = await serveFoyer(world.folder);
    servers.push(foyer);
    const bare = await startBare(await sampleAnswers(foyer, world));
    servers.push(bare);
    const parts: string[] = [];
    for (const connections of [64, 256]) {
      const { targets, bareFind, find } = targetsOf(world, foyer, bare, connections);
      const results = await interleave(targets, { ...plan, rounds });
      const baselines = new Set(targets.filter((target) => target.server === bare));
      const caption = `${connections} connections, 10,000 lobbies, ${rounds} interleaved rounds of ${plan.roundS} s, medians`;
      parts.push(`${caption}\n\n${comparisonTable(results, baselines)}`);
      parts.push(await halfLoad([bareFind, find], results.get(find)!, isLong));
    }
    return parts.join("\n\n");
  } finally {
    for (const server of servers) await server.stop();
    world.remove();
  }
}

/** What Foyer answers, for the bare server to repeat. */
async function sampleAnswers(foyer: ServerProcess, world: World): Promise<Record<string, Answer>> {
  const body = { game_modes: ["duel"] };
  const found = await send("POST", `${foyer.url}${findPath}`, bearer(world.publicToken), body);
  const lobby = bearer(world.lobbyTokenOf(world.lobbyIds[0]!));
  const closed = await send("PUT", `${foyer.url}${closedPath}`, lobby, { is_closed: false });
  return { [findPath]: found, [closedPath]: closed };
}

const findPath = "/matchmaker/lobbies/find";
const closedPath = "/matchmaker/lobbies/closed";

function targetsOf(world: World, foyer: ServerProcess, bare: ServerProcess, connections: number) {
  const life = playerLife(world, foyer, connections);
  const close = setClosed(world, foyer, connections);
  const bareFind: Target = { ...life.find, name: "bare node:http, find's answer", server: bare, accepts: () => true };
  const targets: Target[] = [
    bareFind,
    life.find,
    { ...close, name: "bare node:http, an empty answer", server: bare },
    life.connected,
    life.disconnected,
    close,
  ];
  return { targets, bareFind, find: life.find };
}

/** Half of what Foyer was measured to take. The bare server gets as much, and shows what client and machine add. */
async function halfLoad(targets: readonly Target[], measured: Round, isLong: boolean): Promise<string> {
  const perSecond = Math.round(measured.requestsPerSecond / 2);
  const rows: string[][] = [];
  for (const target of targets) {
    const { p50Ms, p99Ms } = await pacedP99(target, perSecond, isLong ? 15 : 5);
    const name = `${target.name}, ${target.connections} connections`;
    rows.push([name, String(perSecond), p50Ms.toFixed(2), p99Ms.toFixed(2)]);
  }
  return markdownTable(["at half of find's measured maximum", "requests/s", "p50 ms", "p99 ms"], rows);
}
