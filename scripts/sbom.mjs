import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./ensure-installed.mjs";
import { licenceText, thirdParties } from "./third-party.mjs";

/**
 * The software bill of materials in CycloneDX JSON: the service and every package of others that reaches its users. It is
 * made from package-lock.json alone, so the same lock file gives the same bytes; it has no time and no serial number.
 * `npm sbom --omit dev` is no help: it leaves out packages that development needs as well.
 */
export function makeSbom() {
  const { name, version, description, license } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const packages = thirdParties();
  const direct = packages.filter(({ isDirect }) => isDirect);
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.5",
    version: 1,
    metadata: {
      component: {
        ...{ type: "application", "bom-ref": `${name}@${version}`, name, version, description },
        ...{ purl: packageUrl(name, version), licenses: [{ license: { id: license } }] },
      },
    },
    components: packages.map(toComponent),
    dependencies: [
      { ref: `${name}@${version}`, dependsOn: direct.map(reference) },
      ...packages.map((entry) => ({ ref: reference(entry), dependsOn: entry.dependsOn })),
    ],
  };
}

function toComponent(entry) {
  const [group, name] = entry.name.startsWith("@") ? entry.name.split("/") : [undefined, entry.name];
  return {
    type: "library",
    "bom-ref": reference(entry),
    ...(group !== undefined && { group }),
    name,
    version: entry.version,
    scope: "required",
    hashes: [{ alg: "SHA-512", content: toHex(entry.integrity) }],
    licenses: [{ license: { id: entry.licence } }],
    purl: packageUrl(entry.name, entry.version),
    properties: entry.where.map((value) => ({ name: "foyer:where", value })),
  };
}

const reference = ({ name, version }) => `${name}@${version}`;

const packageUrl = (name, version) => `pkg:npm/${name.replace("@", "%40")}@${version}`;

function toHex(integrity) {
  return Buffer.from(integrity.replace(/^sha512-/, ""), "base64").toString("hex");
}

const listFile = join(root, "THIRD_PARTY.md");

/** The list for people. Its date is the day on which it last changed; without another one it keeps the date that it has. */
export function makeList(today) {
  const packages = thirdParties();
  const row = ({ name, version, licence, where }) => `| ${name} | ${version} | ${licence} | ${where.join(", ")} |`;
  const texts = packages.flatMap(({ name, where }) => {
    const text = where.includes("installed") ? null : licenceText(name);
    return text === null ? [] : [`### ${name}\n\n\`\`\`text\n${text}\n\`\`\`\n`];
  });
  const body = `# Packages of others

These packages reach users of Foyer. *Installed*: npm installs them with \`foyer-server\`, each with its licence file. *Dashboard*,
*documentation*: their code is part of the files that the service serves there; [their licences](#licences-of-bundled-packages) are below.
Tools that only build or test Foyer are not listed.

\`npm run sbom\` makes this file and \`sbom.cdx.json\` (CycloneDX) from \`package-lock.json\`, which has a checksum of every package.
\`npm run audit\` asks the npm registry for known vulnerabilities of them. ${packages.length} packages; the list last changed on DATE.

| package | version | licence | where |
|---|---|---|---|
${packages.map(row).join("\n")}

## Licences of bundled packages

${texts.join("\n")}`;
  const old = existsSync(listFile) ? readFileSync(listFile, "utf8") : "";
  const oldDate = /last changed on (\d{4}-\d\d-\d\d)\./.exec(old)?.[1];
  const kept = oldDate === undefined ? null : body.replace("on DATE.", `on ${oldDate}.`);
  return kept === old ? old : body.replace("on DATE.", `on ${today}.`);
}

/** Writes sbom.cdx.json, which the npm package contains and git ignores. */
export function writeSbom() {
  writeChanged(join(root, "sbom.cdx.json"), `${JSON.stringify(makeSbom(), null, 2)}\n`);
}

/** Writes THIRD_PARTY.md, which the repository and the npm package contain. */
export function writeList() {
  writeChanged(listFile, makeList(new Date().toISOString().slice(0, 10)));
}

function writeChanged(file, text) {
  if (!existsSync(file) || readFileSync(file, "utf8") !== text) writeFileSync(file, text);
}
