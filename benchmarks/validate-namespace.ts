import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connections, interleave, type Target } from "./load.ts";
import { bareProgram, foyerProgram, type ServerProcess, startServer } from "./server-process.ts";
import { comparisonTable } from "./table.ts";

export const question = "How much of Node's own HTTP speed is left when validateGameNamespace answers?";

const plan = { warmUpS: 3, rounds: 5, roundS: 3 };

/** More names than the read cache keeps, sent in turn, so that each one has been forgotten when it comes again. */
const namesPerConnection = 200;

/** Foyer with SQLite against a bare server that answers the same bytes; gives the table. */
export async function run(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "foyer-bench-"));
  const servers: ServerProcess[] = [];
  try {
    const args = ["serve", "--data-dir", folder, "--port", "0", "--metrics-port", "off"];
    const foyer = await startServer(foyerProgram, args, folder);
    servers.push(foyer);
    const headers = await cloudHeaders(foyer.url, readFileSync(join(folder, "admin-token"), "utf8").trim());
    const sample = await post(`${foyer.url}${path}`, headers, bodyOf("prod"));
    const bare = await startServer(bareProgram, [JSON.stringify(sample)], folder);
    servers.push(bare);

    const common = { path, headers, answer: sample.body };
    const sameBody = [bodyOf("prod")];
    const targets: [Target, Target, Target] = [
      { ...common, name: "bare node:http", server: bare, bodiesOf: () => sameBody },
      { ...common, name: "Foyer, one name (answer from the read cache)", server: foyer, bodiesOf: () => sameBody },
      { ...common, name: "Foyer, ever new names (SQLite asked each time)", server: foyer, bodiesOf: newNames },
    ];
    const results = await interleave(targets, plan);
    const caption = `${connections} connections, ${plan.rounds} interleaved rounds of ${plan.roundS} s, medians`;
    return `${caption}\n\n${comparisonTable(targets[0], results)}`;
  } finally {
    for (const server of servers) await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

const path = "/cloud/games/bench/namespaces/validate";

const bodyOf = (nameId: string) => JSON.stringify({ display_name: "Production", name_id: nameId });

const newNames = (connection: number) =>
  Array.from({ length: namesPerConnection }, (_, index) => bodyOf(`prod-${connection}-${index}`));

/** A game and a cloud token of it: its check costs more than the admin token's, and it is what a studio would use. */
async function cloudHeaders(url: string, adminToken: string): Promise<Record<string, string>> {
  const admin = headersOf(adminToken);
  await post(`${url}/cloud/games`, admin, JSON.stringify({ display_name: "Bench", name_id: "bench" }));
  const made = await post(`${url}/cloud/games/bench/tokens/cloud`, admin, "{}");
  const { token } = JSON.parse(made.body) as { token: string };
  return headersOf(token);
}

function headersOf(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}`, "content-type": "application/json" };
}

/** The body of a success, and the headers that the server chose itself. */
async function post(url: string, headers: Record<string, string>, body: string) {
  const response = await fetch(url, { method: "POST", headers, body });
  const text = await response.text();
  if (!response.ok) throw new Error(`POST ${url} answered ${response.status}: ${text}`);
  const chosen = [...response.headers].filter(([name]) => !["connection", "date", "keep-alive"].includes(name));
  return { headers: Object.fromEntries(chosen), body: text };
}
