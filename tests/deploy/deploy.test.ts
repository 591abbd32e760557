import { execFile } from "node:child_process";
import { cpSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { loadConfig } from "../../src/config/config.ts";
import { settings } from "../../src/config/settings.ts";
import { mayBeInFile, settingKeys, toFileVariable, toVariable } from "../../src/config/sources.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (file: string) => readFileSync(join(root, file), "utf8");
const guide = "docs/from-one-machine-to-many.md";
const deployFiles = readdirSync(join(root, "deploy"), { recursive: true, encoding: "utf8" })
  .map((name) => `deploy/${name}`)
  .filter((name) => statSync(join(root, name)).isFile());

// biome-ignore lint/suspicious/noExplicitAny: a parsed document may be anything, and a wrong reading fails the test.
type Parsed = any;
const compose: Parsed = parse(read("deploy/docker-compose.yml"), { merge: true });
const manifests: Parsed[] = ["deploy/kubernetes/foyer.yml", "deploy/kubernetes/secret.yml.example"].flatMap((file) =>
  parseAllDocuments(read(file), { strict: true }).map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS();
  }),
);
const manifest = (kind: string): Parsed => manifests.find((object) => object.kind === kind);
const dockerfile = read("deploy/Dockerfile");
const unit = read("deploy/systemd/foyer.service");
const nginx = read("deploy/nginx.conf");

/** Variables as shells and systemd write them. */
const variablesIn = (text: string): Record<string, string> =>
  Object.fromEntries([...text.matchAll(/\b([A-Z][A-Z_]*)=(\S*)/g)].map(([, name, value]) => [name, value]));
const someSecret = "0123456789abcdef".repeat(4);
const filled = (value: string) => value.replace(/\$\{(\w+):\?[^}]*\}/g, (_, name) => examples[name] || someSecret);
const examples = variablesIn(read("deploy/foyer.env.example").replace(/^#.*$/gm, ""));
const imageVariables = variablesIn(/^ENV (?:.*\\\n)*.*$/m.exec(dockerfile)![0]);

describe("settings", () => {
  test("every variable named in deploy/ and in the guide is a setting", () => {
    const known = new Set([...settingKeys.map(toVariable), ...settingKeys.filter(mayBeInFile).map(toFileVariable)]);
    const unknown = [...deployFiles, guide].flatMap((file) =>
      [...read(file).matchAll(/\bFOYER_[A-Z][A-Z_]*\b/g)]
        .filter(([name]) => !known.has(name))
        .map(([name]) => `${file}: ${name}`),
    );
    expect(unknown).toEqual([]);
  });

  const { containers } = manifest("Deployment").spec.template.spec;
  /** The Secret is mounted where the variables look for its files. */
  const secrets = temporaryFolder();
  for (const [name, value] of Object.entries<string>(manifest("Secret").stringData)) {
    writeFileSync(join(secrets, name), value || someSecret);
  }
  const mount = containers[0].volumeMounts.find(({ name }: Parsed) => name === "secrets").mountPath;
  const podVariables: [string, string][] = containers[0].env.map((entry: Parsed) => [
    entry.name,
    (entry.value ?? "foyer-a1").replace(mount, secrets),
  ]);
  test.each<[string, Record<string, string>]>([
    ["the image", imageVariables],
    ...["foyer-1", "foyer-2"].map((name): [string, Record<string, string>] => [
      `${name} of docker-compose.yml`,
      { ...imageVariables, ...compose.services[name].environment },
    ]),
    ["the unit", { ...variablesIn(/^Environment=(.*)$/m.exec(unit)![1]!), ...examples }],
    ["the pod", { ...imageVariables, ...Object.fromEntries(podVariables) }],
  ])("a start with the settings of %s finds no issue", (_name, variables) => {
    const env = Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, filled(value)]));
    expect(loadConfig({ env, cwd: temporaryFolder() }).demo).toBe(false);
  });
});

describe("the image", () => {
  test("has a Node that package.json allows, runs no install scripts and no root", () => {
    const [major] = /^ARG BASE_IMAGE=\S*node:(\d+)-/m.exec(dockerfile)!.slice(1).map(Number);
    const [least] = /(\d+)\./
      .exec(JSON.parse(read("package.json")).engines.node)!
      .slice(1)
      .map(Number);
    expect(major).toBeGreaterThanOrEqual(least!);
    for (const [line] of dockerfile.matchAll(/npm (?:ci|prune|install).*/g)) expect(line).toContain("--ignore-scripts");
    expect(dockerfile).toMatch(/^USER [1-9]\d*:[1-9]\d*$/m);
    expect(dockerfile).toMatch(/^ENTRYPOINT \["node", /m);
    expect(imageVariables.FOYER_HOST).toBe("0.0.0.0");
  });

  test("gets every file that it copies, and the build what it needs", () => {
    const allowed = read(".dockerignore")
      .split("\n")
      .flatMap((line) => (line.startsWith("!") ? [line.slice(1)] : []));
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, names]) => names!.split(" "));
    // Manifests are copied on their own first, so that a change of sources does not install everything again.
    const isWithin = (name: string) => allowed.includes(name) || allowed.includes(name.split("/")[0]!);
    expect(copied.filter((name) => !isWithin(name))).toEqual([]);
    expect(allowed.filter((name) => !copied.includes(name))).toEqual([]);
    for (const name of copied) expect(() => statSync(join(root, name))).not.toThrow();
  });

  test("is built from what it copies: the service, its documentation and the dashboard", async () => {
    const build = temporaryFolder();
    const excluded = read(".dockerignore")
      .split("\n")
      .filter((line) => line.endsWith("/dist"));
    for (const [, names, target] of dockerfile.split("\nFROM")[1]!.matchAll(/^COPY (?!--from)(.*) (\S+)$/gm)) {
      for (const name of names!.split(" ")) {
        const to = target!.endsWith("/") ? join(build, target!, basename(name)) : join(build, target!);
        const isWanted = (path: string) =>
          !excluded.includes(relative(root, path)) && !path.includes(`${name}/node_modules`);
        cpSync(join(root, name), to, { recursive: true, filter: isWanted });
      }
    }
    symlinkSync(join(root, "node_modules"), join(build, "node_modules"));
    const [, program] = /^RUN node -e "(.*)" \\$/m.exec(dockerfile)!;
    await promisify(execFile)(process.execPath, ["-e", program!], { cwd: build });
    for (const [, from] of dockerfile.matchAll(/^COPY --from=build \/build\/(\S+)/gm)) {
      expect(readdirSync(join(build, from!)).length, from).toBeGreaterThan(0);
    }
  });
});

test("the commands of the guide install the folders that the image has", () => {
  const [, commands] = /\ninstall -d \/opt\/foyer([^`]*?)\ninstall -d -m/.exec(read(guide))!;
  const [, image] = dockerfile.split("\nFROM $").slice(-2);
  const folders = [...image!.matchAll(/^COPY --from=build \/build\/(\S+)/gm)].map(([, folder]) => folder!);
  expect(folders.length).toBeGreaterThan(4);
  expect(folders.filter((folder) => !new RegExp(`\\s${folder}\\s`).test(commands!))).toEqual([]);
});

describe("docker-compose.yml", () => {
  test("two nodes differ in their name, address and volume alone", () => {
    const [one, two] = [compose.services["foyer-1"], compose.services["foyer-2"]];
    expect(
      JSON.parse(JSON.stringify(one).replaceAll("foyer-1", "foyer-2").replaceAll("172.30.71.11", "172.30.71.12")),
    ).toEqual(two);
    expect(one.environment.FOYER_NODE_ID).toBe("foyer-1");
    expect(Number.parseInt(one.stop_grace_period, 10)).toBeGreaterThan(10);
  });

  test("Redis keeps what it acknowledges and evicts nothing", () => {
    const flags: string[] = compose.services.redis.command;
    const flagValue = (flag: string) => flags[flags.indexOf(flag) + 1];
    expect(flagValue("--appendonly")).toBe("yes");
    expect(flagValue("--appendfsync")).toBe("always");
    expect(flagValue("--maxmemory-policy")).toBe("noeviction");
    expect(compose.services.redis.volumes).toEqual(["redis:/data"]);
  });

  test("nginx knows both nodes, and they trust only nginx", () => {
    const servers = [...nginx.matchAll(/^\s*server (\S+):7100 /gm)].map(([, name]) => name);
    expect(servers).toEqual(["foyer-1", "foyer-2"]);
    const { FOYER_TRUSTED_PROXIES } = compose.services["foyer-1"].environment;
    expect(compose.services.nginx.networks.inside.ipv4_address).toBe(FOYER_TRUSTED_PROXIES);
  });

  test("no service can be given the fixed address of another before that one starts", () => {
    const [{ ip_range }] = compose.networks.inside.ipam.config;
    expect(ip_range).toBe("172.30.71.128/25");
    for (const name of ["foyer-1", "foyer-2", "nginx"]) {
      const { ipv4_address } = compose.services[name].networks.inside;
      expect(Number(/^172\.30\.71\.(\d+)$/.exec(ipv4_address)![1])).toBeLessThan(128);
    }
  });

  test("every service and volume that is named exists, and every service but nginx is inside", () => {
    for (const [name, service] of Object.entries<Parsed>(compose.services)) {
      for (const other of Object.keys(service.depends_on ?? {})) expect(compose.services).toHaveProperty(other);
      for (const volume of service.volumes) {
        if (!volume.startsWith("./")) expect(compose.volumes).toHaveProperty(volume.split(":")[0]);
      }
      if (name !== "nginx") expect(service).not.toHaveProperty("ports");
      if (!name.startsWith("foyer-")) expect(service).toHaveProperty("healthcheck");
    }
  });
});

test("nginx waits longer than a find does, and closes idle connections before Foyer does", () => {
  const seconds = (name: string) => Number(new RegExp(`^\\s*${name} (\\d+)s;`, "m").exec(nginx)![1]);
  expect(seconds("proxy_read_timeout")).toBeGreaterThan(settings.find_wait_s.fallback);
  const keptMs = Number(/keepAliveTimeout: ([\d_]+)/.exec(read("src/http/fastify.ts"))![1]!.replaceAll("_", ""));
  expect(seconds("keepalive_timeout") * 1000).toBeLessThan(keptMs);
  const annotation = manifest("Ingress").metadata.annotations["nginx.ingress.kubernetes.io/proxy-read-timeout"];
  expect(Number(annotation)).toBeGreaterThan(settings.find_wait_s.fallback);
});

test("the unit stops Foyer alone, and takes nothing from lobbies that live on", () => {
  const options = Object.fromEntries([...unit.matchAll(/^([A-Z]\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]));
  expect(options).toMatchObject({
    KillMode: "process",
    KillSignal: "SIGTERM",
    OOMPolicy: "continue",
    Restart: "always",
  });
  expect(Number(options.TimeoutStopSec)).toBeGreaterThan(10);
  for (const harmful of [
    "PrivateTmp",
    "RemoveIPC",
    "DynamicUser",
    "ProcSubset",
    "ProtectProc",
    "PrivateUsers",
    "PrivateNetwork",
    "MemoryDenyWriteExecute",
  ]) {
    expect(options).not.toHaveProperty(harmful);
  }
  expect(options.ReadWritePaths).toContain("/tmp");
});

describe("the Kubernetes manifests", () => {
  const deployment = manifest("Deployment");
  const pod = deployment.spec.template.spec;
  const [container] = pod.containers;

  test("the parts point at one another", () => {
    const labels = deployment.spec.template.metadata.labels;
    expect(deployment.spec.selector.matchLabels).toEqual(labels);
    expect(manifest("Service").spec.selector).toEqual(labels);
    expect(manifest("PodDisruptionBudget").spec.selector.matchLabels).toEqual(labels);
    expect(manifest("PodDisruptionBudget").spec.minAvailable).toBeLessThan(deployment.spec.replicas);
    const volume = pod.volumes.find(({ name }: Parsed) => name === "secrets");
    expect(manifest("Secret").metadata.name).toBe(volume.secret.secretName);
    const ports = container.ports.map(({ name }: Parsed) => name);
    for (const probe of ["startupProbe", "livenessProbe", "readinessProbe"]) {
      expect(ports).toContain(container[probe].httpGet.port);
    }
    expect(ports).toContain(manifest("Service").spec.ports[0].targetPort);
    const [{ backend }] = manifest("Ingress").spec.rules[0].http.paths;
    expect(backend.service).toEqual({ name: manifest("Service").metadata.name, port: { name: "http" } });
    const volumes = pod.volumes.map(({ name }: Parsed) => name);
    expect(container.volumeMounts.map(({ name }: Parsed) => name)).toEqual(volumes);
  });

  test("a lost database makes a node not ready and restarts none", () => {
    expect(container.livenessProbe.httpGet.path).toBe("/healthz");
    expect(container.readinessProbe.httpGet.path).toBe("/readyz");
  });

  test("the service's name puts no FOYER_ variables into the pod, and there is time to stop", () => {
    expect(pod.enableServiceLinks).toBe(false);
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(12);
    expect(pod.securityContext.runAsUser).toBe(Number(/^USER (\d+)/m.exec(dockerfile)![1]));
  });
});
