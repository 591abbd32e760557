import { delimiter, dirname } from "node:path";
import { allAddresses } from "./process-ports.ts";

/**
 * The whole environment of a lobby's process. None of the service's own variables are passed on: they contain secrets,
 * and a lobby that works because of one would not work elsewhere. The version's variables override the common ones, but
 * not the path of the lobby's folder. The variables of the contract, the ports and the address override all others.
 */
export function buildEnvironment(
  given: Readonly<Record<string, string>>,
  ports: Readonly<Record<string, number>>,
  own: { readonly home: string; readonly temporary: string; readonly bind: string },
): Record<string, string> {
  const folders = { HOME: own.home, TMPDIR: own.temporary };
  const host = own.bind === allAddresses ? {} : { HOST: own.bind };
  return { PATH: searchPath(), LANG: "C.UTF-8", ...given, ...folders, ...host, ...portVariables(ports) };
}

/** `PORT_<LABEL>` for each port, and `PORT` when there is one. */
export function portVariables(ports: Readonly<Record<string, number>>): Record<string, string> {
  const variables = Object.entries(ports).map(([label, port]) => [
    `PORT_${label.toUpperCase().replaceAll("-", "_")}`,
    String(port),
  ]);
  const [only, ...others] = Object.values(ports);
  return { ...Object.fromEntries(variables), ...(only !== undefined && others.length === 0 && { PORT: String(only) }) };
}

/** The usual folders, after the folder of the Node that runs the service: so `node` in a version is this Node. */
export function searchPath(): string {
  const usual = ["/usr/local/bin", "/usr/bin", "/bin", "/usr/local/sbin", "/usr/sbin", "/sbin", "/opt/homebrew/bin"];
  return [...new Set([dirname(process.execPath), ...usual])].join(delimiter);
}
