import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { interleave, type Sent, type Target } from "./load.ts";
import { bearer, send } from "./requests.ts";
import { type ServerProcess, serveFoyer, startBare } from "./server-process.ts";
import { comparisonTable } from "./table.ts";

export const question = "How much of Node's own HTTP speed is left when validateGameNamespace answers?";

const connections = 64;
const plan = { warmUpS: 2, rounds: 3, roundS: 2 };

/** More names than the read cache keeps, sent in turn, so that each one has been forgotten when it comes again. */
const namesPerConnection = 200;

/** Foyer with SQLite against a bare server that answers the same bytes; gives the table. */
export async function run(options: { isLong: boolean }): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "foyer-bench-"));
  const servers: ServerProcess[] = [];
  try {
    const foyer = await serveFoyer(folder);
    servers.push(foyer);
    const headers = await cloudHeaders(foyer.url, readFileSync(join(folder, "admin-token"), "utf8").trim());
    const sample = await send("POST", `${foyer.url}${path}`, headers, bodyOf("prod"));
    const bare = await startBare({ [path]: sample });
    servers.push(bare);

    const common = { method: "POST", path, connections, accepts: (body: string) => body === sample.body } as const;
    const sentOf = (nameId: string): Sent => ({ body: JSON.stringify(bodyOf(nameId)), headers });
    const same = [sentOf("prod")];
    const newNames = (connection: number) =>
      Array.from({ length: namesPerConnection }, (_, index) => sentOf(`prod-${connection}-${index}`));
    const targets: [Target, Target, Target] = [
      { ...common, name: "bare node:http", server: bare, requestsOf: () => same },
      { ...common, name: "Foyer, one name (answer from the read cache)", server: foyer, requestsOf: () => same },
      { ...common, name: "Foyer, ever new names (SQLite asked each time)", server: foyer, requestsOf: newNames },
    ];
    const rounds = options.isLong ? plan.rounds * 3 : plan.rounds;
    const results = await interleave(targets, { ...plan, rounds });
    const caption = `${connections} connections, ${rounds} interleaved rounds of ${plan.roundS} s, medians`;
    return `${caption}\n\n${comparisonTable(results, new Set([targets[0]]))}`;
  } finally {
    for (const server of servers) await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

const path = "/cloud/games/bench/namespaces/validate";

const bodyOf = (nameId: string) => ({ display_name: "Production", name_id: nameId });

/** A game and a cloud token of it: its check costs more than the admin token's, and it is what a studio would use. */
async function cloudHeaders(url: string, adminToken: string): Promise<Record<string, string>> {
  const admin = bearer(adminToken);
  await send("POST", `${url}/cloud/games`, admin, { display_name: "Bench", name_id: "bench" });
  const made = await send("POST", `${url}/cloud/games/bench/tokens/cloud`, admin, {});
  const { token } = JSON.parse(made.body) as { token: string };
  return bearer(token);
}
