import { expect, test } from "vitest";
import { settings } from "../../src/config/settings.ts";
import * as limits from "../../src/ground/limits.ts";
import { install } from "../nodes/installation.ts";
import { read } from "../support/repository.ts";
import { freePort } from "../support/services/programs.ts";

/** The names of all metrics that a node with Redis and PostgreSQL reports. */
async function readMetricNames(): Promise<Set<string>> {
  const installation = await install();
  const metricsPort = await freePort();
  await installation.start("alone", { metricsPort });
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)];
  return new Set(types.flatMap(([, name, type]) => (type === "histogram" ? [name!, `${name}_bucket`] : [name!])));
}

interface Dashboard {
  readonly panels: readonly { readonly targets?: readonly { readonly expr: string }[] }[];
  readonly templating: { readonly list: readonly { readonly query: string | { readonly query: string } }[] };
}

test("[GU1] a real service has every metric and operation that the Grafana dashboard queries", async () => {
  // The shape is that of a dashboard of Grafana.
  const { panels, templating } = JSON.parse(read("deploy/grafana/foyer.json")) as Dashboard;
  const variables = templating.list.map(({ query }) => (typeof query === "string" ? query : query.query));
  const queries = [...panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)), ...variables];
  const used = new Set(queries.flatMap((query) => query.match(/\b(?:foyer|process|nodejs)_\w+/g) ?? []));
  const known = await readMetricNames();
  expect(used.size).toBeGreaterThan(15);
  expect([...used].filter((name) => !known.has(name))).toEqual([]);

  const operations = queries
    .flatMap((query) => [...query.matchAll(/operation=~?"([^"]+)"/g)])
    .flatMap(([, names]) => names!.split("|"));
  const api = read("openapi.json");
  expect(operations.length).toBeGreaterThan(5);
  expect(operations.filter((name) => !api.includes(`"operationId": "${name}"`))).toEqual([]);
});

test("[GU2] docs/metrics.md lists the metrics of a real service, all of them and no other", async () => {
  const listed = [...read("docs/metrics.md").matchAll(/^\| `(foyer_\w+)` \|/gm)].map(([, name]) => name!);
  const known = [...(await readMetricNames())].filter((name) => name.startsWith("foyer_") && !name.endsWith("_bucket"));
  expect(listed.sort()).toEqual(known.sort());
});

test("[GU3] docs/limits.md and the settings agree", () => {
  const rows = read("docs/limits.md")
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .map((line) => ({ line, names: line.match(/(?<=`)[a-z_]+(?=`)/g) ?? [] }))
    .map(({ line, names }) => ({ line, names: names.filter((name) => Object.hasOwn(settings, name)) }))
    .filter(({ names }) => names.length > 0);
  expect(rows.length).toBeGreaterThan(10);
  for (const { line, names } of rows) {
    // Checked above.
    const defaults = names.map((name) => settings[name as keyof typeof settings].fallback);
    expect({ line, numbers: numbersIn(line) }).toEqual({ line, numbers: defaults });
  }
});

/** The numbers in the second column of a row, without the thousands' separators. */
function numbersIn(line: string): number[] {
  return [...line.split("|")[2]!.replaceAll(",", "").matchAll(/\d+/g)].map(([digits]) => Number(digits));
}

const fixed: readonly (readonly [string, ...number[]])[] = [
  ["lobbies at once", limits.lobbyCountMaxDefault],
  ["players in one lobby", limits.maxPlayersDefault],
  ["domains", limits.domainsPerNamespaceMax],
  ["blocks", limits.blocksPerNamespaceMax],
  ["`name_id`", limits.nameIdMaxCharacters],
  ["`display_name`", limits.displayNameMaxBytes],
  ["a domain", limits.domainMaxCharacters],
  ["game modes", limits.gameModesMax],
  ["regions", limits.regionsMax],
  ["ports of a game mode", limits.portsMax],
  ["`reconnect_s`", limits.reconnectMaxS],
  ["`ping_url`", limits.pingUrlMaxCharacters],
  ["body", limits.bodyMaxBytes / 1024, limits.heartbeatBodyMaxBytes / 1024],
  ["nesting of JSON", limits.jsonDepthMax],
  ["values in a body", limits.bodyValuesMax, limits.playerBodyValuesMax, limits.createBodyValuesMax],
  ["game modes in a find", limits.findGameModesMax],
  ["regions in a find", limits.findRegionsMax],
  ["players in a party", limits.partySizeMax],
  ["tags of a lobby", limits.tagsMax, limits.tagNameMaxBytes, limits.tagValueMaxBytes],
  ["lobby state", limits.lobbyStateMaxBytes / 1024],
  ["`lobby_config`", limits.lobbyConfigMaxBytes / 1024],
  ["player key", limits.playerKeyMaxCharacters],
  ["`Idempotency-Key`", limits.idempotencyKeyMaxCharacters],
  ["players in a heartbeat", limits.heartbeatPlayersMax],
  ["entries of a page", limits.pageSizeMax, limits.pageSizeDefault],
  ["lobbies in a watch", limits.watchedLobbiesMax],
];

test.each(fixed)("[GU3] docs/limits.md and the code agree about: %s", (row, ...numbers) => {
  const line = read("docs/limits.md")
    .split("\n")
    .find((text) => text.startsWith(`| ${row} |`));
  expect(numbersIn(line!)).toEqual(numbers);
});
