import { statSync } from "node:fs";
import { networkInterfaces } from "node:os";
import type { Config } from "../config/config.ts";
import { isUnspecified } from "../ground/local-host.ts";
import { chooseLobbyHostname } from "./open-parts.ts";

/** Warnings about allowed but unsafe settings, for the log of a start. */
export function startWarnings(config: Config, dataDir: string): string[] {
  const warnings: string[] = [];
  if (config.processTrust === "cloud" && config.runtimes.includes("process") && config.lobbyUser === null) {
    warnings.push(
      "process_trust is cloud and lobby_user is not set: everyone with a cloud token can run programs as the user that runs " +
        "Foyer, and read its secrets. Set lobby_user, or process_trust to admin.",
    );
  }
  if (config.dockerTrust === "cloud" && config.runtimes.includes("docker") && config.dockerImages === null) {
    warnings.push(
      "docker_trust is cloud and docker_images is not set: everyone with a cloud token can run any image on this machine. " +
        "Set docker_images, or docker_trust to admin.",
    );
  }
  if (isUnspecified(config.host) && config.publicUrl === null) warnings.push(warnNoPublicUrl(config));
  const plain = (["publicUrl", "gatewayUrl"] as const).filter((key) => config[key]?.startsWith("http:"));
  if (config.tlsCert !== null && plain.length > 0) {
    const name = plain[0] === "publicUrl" ? "public_url" : "gateway_url";
    warnings.push(
      `tls_cert is set, but ${name} is ${config[plain[0]!]}: players get http addresses. Set it to https://…`,
    );
  }
  if ((statSync(dataDir).mode & 0o002) !== 0) {
    warnings.push(
      `Every user of this machine can write to the data folder ${dataDir} and replace its secrets. Run chmod o-w on it.`,
    );
  }
  return warnings;
}

/** A player on another machine needs an address of this one in the answers. */
function warnNoPublicUrl(config: Config): string {
  const { host, port, lobbyPorts, tlsCert } = config;
  const found = listOwnAddresses();
  const example = `${tlsCert === null ? "http" : "https"}://${found[0] ?? "192.168.1.20"}:${port}`;
  return (
    `host is ${host} and public_url is not set: Foyer gives players the address ${chooseLobbyHostname(config)}, ports ${lobbyPorts}, ` +
    `for the lobbies that it runs. Set public_url to the address that players use, such as ${example}` +
    `${found.length > 1 ? ` (this machine also has ${found.slice(1).join(", ")})` : ""}.`
  );
}

function listOwnAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all.filter(({ internal, family }) => !internal && family === "IPv4").map(({ address }) => address);
}
