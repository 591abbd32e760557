import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";

/** The programs that the tests start, and the packages of Debian and Ubuntu that have them. Any one of `programs` is enough. */
const needed = [
  { programs: ["postgres"], packages: ["postgresql"] },
  { programs: ["redis-server"], packages: ["redis-server"] },
  { programs: ["redis-cli"], packages: ["redis-tools"] },
  { programs: ["redis-sentinel"], packages: ["redis-sentinel"] },
  { programs: ["nginx"], packages: ["nginx"] },
  { programs: ["caddy"], packages: ["caddy"] },
  { programs: ["openssl"], packages: ["openssl"] },
  { programs: ["python3"], packages: ["python3"] },
  { programs: ["dockerd"], packages: ["docker.io"] },
  { programs: ["podman"], packages: ["podman", "containernetworking-plugins"] },
  { programs: ["docker-registry"], packages: ["docker-registry"] },
  { programs: ["busybox"], packages: ["busybox-static"] },
  { programs: ["tini-static"], packages: ["tini"] },
  { programs: ["ip"], packages: ["iproute2"] },
  { programs: ["mkfs.ext4"], packages: ["e2fsprogs"] },
  {
    programs: ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"],
    packages: ["chromium", "fonts-dejavu-core"],
  },
];

/** Other programs may be installing something else. */
const waitForOthersS = 300;

/** The packages whose programs are missing on this machine. */
export function missingPackages() {
  return needed.filter(({ programs }) => !programs.some(isInstalled)).flatMap(({ packages }) => packages);
}

/** Announces and installs the missing packages that the tests need. False: it cannot, and it printed what to do. */
export function ensureSystemPackages() {
  const missing = missingPackages();
  if (missing.length === 0) return true;
  const command = `apt-get install --no-install-recommends ${missing.join(" ")}`;
  if (!existsSync("/usr/bin/apt-get")) {
    console.error(`The tests need programs that are not in PATH. Debian calls their packages: ${missing.join(", ")}.`);
    console.error("On macOS: brew install postgresql redis nginx caddy, and Google Chrome. Then run this again.");
    return false;
  }
  if (process.getuid?.() !== 0) {
    console.error(`The tests need system packages that are missing. Run: sudo ${command}`);
    return false;
  }
  console.log(`Installing system packages for the tests: ${missing.join(", ")} (${command}) …`);
  keepPostgresFromStarting();
  const isDone = install(missing);
  if (!isDone) console.error(`Installing failed. Run ${command} by hand to see why.`);
  return isDone;
}

function install(packages) {
  // In that run level the packages start no servers.
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" };
  const keep = ["-o", "Dpkg::Options::=--force-confold", "-o", `DPkg::Lock::Timeout=${waitForOthersS}`];
  const steps = [
    ["update", "-qq"],
    ["install", "-y", "-qq", "--no-install-recommends", ...keep, ...packages],
  ];
  return steps.every((step) => succeeds(step, env));
}

/** The lists of packages have their own lock, which apt-get does not wait for. */
function succeeds(step, env) {
  for (let attempt = 1; ; attempt++) {
    const { status, stderr } = spawnSync("/usr/bin/apt-get", step, {
      env,
      encoding: "utf8",
      stdio: ["ignore", "ignore", "pipe"],
    });
    if (status === 0) return true;
    if (!/lock/i.test(stderr) || attempt === waitForOthersS) {
      console.error(stderr.trimEnd());
      return false;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
  }
}

/** Otherwise Debian's package would start a server. */
function keepPostgresFromStarting() {
  const file = "/etc/postgresql-common/createcluster.conf";
  if (existsSync(file)) return;
  mkdirSync("/etc/postgresql-common", { recursive: true });
  writeFileSync(file, "create_main_cluster = false\n");
}

function isInstalled(program) {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).map((version) => join(debian, version, "bin")) : [];
  const applications = { "google-chrome": "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome" };
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin", "/usr/local/sbin", ...versions];
  const files = folders.filter((folder) => folder !== "").map((folder) => join(folder, program));
  return [...files, applications[program] ?? ""].some((file) => file !== "" && existsSync(file));
}
