import { spawnSync } from "node:child_process";
import { root } from "./ensure-installed.mjs";
import { thirdParties } from "./third-party.mjs";

// `npm run audit` asks the npm registry for known vulnerabilities. Exit code 0: no package that reaches users has one, 1: some
// have, 2: not known, because the registry did not answer. Not every registry answers this question.
const { stdout } = spawnSync("npm", ["audit", "--json"], { cwd: root, encoding: "utf8" });
const vulnerabilities = readVulnerabilities(stdout);
if (vulnerabilities === undefined) {
  console.error(
    "Not checked: the npm registry did not answer `npm audit`. Try again with another registry, or look up the packages that THIRD_PARTY.md lists.",
  );
  process.exitCode = 2;
} else {
  const shipped = new Set(thirdParties().map(({ name }) => name));
  const found = Object.values(vulnerabilities);
  for (const { name, severity, range } of found) {
    console.log(`  ${severity}: ${name} ${range} (${shipped.has(name) ? "reaches users" : "builds or tests only"})`);
  }
  const affected = found.filter(({ name }) => shipped.has(name)).length;
  console.log(`${affected} of ${shipped.size} packages that reach users have known vulnerabilities.`);
  process.exitCode = affected === 0 ? 0 : 1;
}

function readVulnerabilities(text) {
  try {
    return JSON.parse(text).vulnerabilities;
  } catch {
    // npm wrote no JSON, so there is no answer.
    return undefined;
  }
}
