import { existsSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { exportCommand } from "../../src/cli/export.ts";
import { StoreUnavailable } from "../../src/ground/unavailable.ts";
import { exportStore } from "../../src/store/transfer/export.ts";
import { until } from "../support/harness.ts";
import { freshDatabase } from "../support/services/stores.ts";
import { folder, open, storedGame } from "./fixtures.ts";

async function storeWithGames() {
  const dataDir = await folder();
  const { databaseUrl } = await freshDatabase("postgresql");
  await storedGame(await open({ databaseUrl, dataDir }));
  const connect = async () => {
    const client = new pg.Client({ connectionString: databaseUrl! });
    await client.connect();
    onTestFinished(() => client.end());
    return client;
  };
  const elsewhere = await connect();
  const exporting = async (condition = "true") => {
    const text = `select pid from pg_stat_activity where application_name = 'foyer export' and datname = current_database()`;
    return (await elsewhere.query(`${text} and ${condition}`)).rows.map(({ pid }) => pid);
  };
  const breakConnections = async () => {
    for (const pid of await exporting()) await elsewhere.query("select pg_terminate_backend($1)", [pid]);
    await until(async () => (await exporting()).length === 0);
  };
  return { dataDir, databaseUrl: databaseUrl!, connect, exporting, breakConnections };
}

test("[O23] a connection that breaks while idle ends an export with an error, not the process", async () => {
  const { dataDir, databaseUrl, breakConnections } = await storeWithGames();
  const write = async () => {
    await breakConnections();
  };
  const exported = exportStore({ databaseUrl, dataDir }, { foyer: "1.2.3", exportTs: 0, write });
  await expect(exported).rejects.toBeInstanceOf(StoreUnavailable);
});

test("[O23] foyer export says what happened, exits 1 and leaves no file when its connection breaks", async () => {
  const { dataDir, databaseUrl, connect, exporting, breakConnections } = await storeWithGames();
  const file = join(dataDir, "foyer.jsonl");
  const said: string[] = [];
  const terminal = { out() {}, err: (text: string) => said.push(text), isInteractive: false, colours: false };
  await (await connect()).query("begin; lock table tokens in access exclusive mode");
  const exited = exportCommand(file, [`--database-url=${databaseUrl}`], { ...terminal, columns: 80, now: Date.now });
  await until(async () => (await exporting("wait_event_type = 'Lock'")).length === 1);
  expect(existsSync(file)).toBe(true);
  await breakConnections();

  expect(await exited).toBe(1);
  expect(said.join("")).toMatch(/^foyer: The database is unavailable: .*check FOYER_DATABASE_URL/);
  expect(existsSync(file)).toBe(false);
});
