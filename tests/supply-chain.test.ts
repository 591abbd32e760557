import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { importsOf, read, root, trackedFiles } from "./support/repository.ts";

interface ThirdParty {
  readonly name: string;
  readonly version: string;
  readonly licence: string | undefined;
  readonly integrity: string | undefined;
  readonly where: readonly string[];
}

interface Sbom {
  readonly metadata: { readonly component: { readonly "bom-ref": string } };
  readonly components: readonly { readonly "bom-ref": string; readonly purl: string; readonly hashes: unknown[] }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

interface LockEntry {
  readonly version?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly dev?: boolean;
  readonly link?: boolean;
}

// Casts: the scripts are plain JavaScript, and the lock file is what npm wrote.
const { thirdParties, allowedLicences } = (await load("third-party")) as {
  thirdParties(): readonly ThirdParty[];
  allowedLicences: readonly string[];
};
const { makeSbom, makeList } = (await load("sbom")) as { makeSbom(): Sbom; makeList(today: string): string };
const locks = ["package-lock.json", "scripts/other-nodes/package-lock.json"].map(
  (file) => [file, JSON.parse(read(file)).packages as Record<string, LockEntry>] as const,
);
const packages = thirdParties();
const nameAndVersion = ({ name, version }: ThirdParty) => `${name}@${version}`;

test("[SU1] every package of others that reaches users has an allowed licence", () => {
  expect(packages.length).toBeGreaterThan(50);
  const others = packages.filter(({ licence }) => licence === undefined || !allowedLicences.includes(licence));
  expect(others.map(({ name, licence }) => `${name}: ${licence}`)).toEqual([]);
});

test("[SU2] the list of them in the repository is that of the lock file", () => {
  // A list of another day is stale when something else than the date differs: then it would get this date.
  expect(makeList("2000-01-01")).toBe(read("THIRD_PARTY.md"));
});

test("[SU2] the list has every package that the lock file does not need for development only", () => {
  const [, entries] = locks[0]!;
  const needed = Object.entries(entries).filter(
    ([path, { dev, link }]) => path.includes("node_modules/") && !dev && !link,
  );
  const wanted = needed.map(([path, { version }]) => `${path.replace(/^.*node_modules\//, "")}@${version}`);
  const installed = packages.filter(({ where }) => where.includes("installed")).map(nameAndVersion);
  expect(installed.sort()).toEqual([...new Set(wanted)].sort());
});

test("[SU2] the list has every package that pages of the service import", () => {
  const pages = trackedFiles.filter((file) => /^(?:dashboard\/src|scripts\/docs\/client)\/.*\.(?:tsx?|js)$/.test(file));
  const names = pages
    .flatMap(importsOf)
    .filter((name) => !/^(?:\.|foyer-sdk)/.test(name))
    .map((name) => name.split("/", name.startsWith("@") ? 2 : 1).join("/"));
  const known = new Set(
    packages.filter(({ where }) => where.some((place) => place !== "installed")).map(({ name }) => name),
  );
  expect(names.length).toBeGreaterThan(10);
  expect([...new Set(names)].filter((name) => !known.has(name))).toEqual([]);
});

test("[SU3] the bill of materials has each of them with its checksum, and names nothing that it does not have", () => {
  const sbom = makeSbom();
  const references = sbom.components.map((component) => component["bom-ref"]);
  expect(references.sort()).toEqual(packages.map(nameAndVersion).sort());
  expect(sbom.components.filter(({ hashes }) => hashes.length === 0)).toEqual([]);
  const known = new Set([...references, sbom.metadata.component["bom-ref"]]);
  expect(sbom.dependencies.map(({ ref }) => ref).sort()).toEqual([...known].sort());
  const named = sbom.dependencies.flatMap(({ dependsOn }) => dependsOn);
  expect(named.filter((reference) => !known.has(reference))).toEqual([]);
  expect(references.filter((reference) => !named.includes(reference))).toEqual([]);
  expect(makeSbom()).toEqual(sbom);
});

test("[SU3] the bill of materials has every package that npm lists", () => {
  const args = ["sbom", "--sbom-format=cyclonedx", "--package-lock-only", "--omit=dev"];
  const { components } = JSON.parse(execFileSync("npm", args, { cwd: root, encoding: "utf8" })) as Sbom;
  const own = /^pkg:npm\/foyer-/;
  const listed = components.map(({ purl }) => purl).filter((purl) => !own.test(purl));
  const known = new Set(makeSbom().components.map(({ purl }) => purl));
  expect(listed.length).toBeGreaterThan(50);
  expect(listed.filter((purl) => !known.has(purl))).toEqual([]);
});

test("[SU4] the lock files pin every package by a checksum and name no registry", () => {
  for (const [file, entries] of locks) {
    const installed = Object.entries(entries).filter(([path, { link }]) => path.includes("node_modules/") && !link);
    expect(installed.length).toBeGreaterThan(3);
    const unpinned = installed.filter(([, { integrity }]) => !integrity?.startsWith("sha512-")).map(([path]) => path);
    const named = installed.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path);
    expect({ file, unpinned, named }).toEqual({ file, unpinned: [], named: [] });
  }
  const registry = new RegExp(["registry", "(?:npmjs|yarnpkg|npmmirror)"].join("\\."));
  expect(trackedFiles.filter((file) => registry.test(read(file)))).toEqual([]);
});

function load(name: string): Promise<unknown> {
  return import(`../scripts/${name}.mjs`);
}
