import { followWallClock, openClock } from "../app/open-parts.ts";
import { loadSettings, wantsColours } from "../config/config.ts";
import { readSecret, secretFromText } from "../ground/data-folder.ts";
import { createIds, createRequestIds } from "../ground/ids.ts";
import { createLog } from "../ground/log.ts";
import { openRedirect } from "../http/redirect.ts";
import { startStandaloneGateway } from "../http/standalone-gateway.ts";
import { exitOnUncaught, listenForStop } from "./signals.ts";
import type { Terminal } from "./terminal.ts";

/** `foyer gateway`: runs until a signal, and then closes all connections. */
export async function gateway(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { config, warnings } = loadSettings({ argv });
  const secrets = [config.secret, config.previousSecret].filter((text) => text !== null);
  const log = createLog({
    ...{ level: config.logLevel, format: config.logFormat },
    ...{ colours: wantsColours(process.stdout), secrets },
  });
  exitOnUncaught(log);
  for (const warning of warnings) log.warn(warning);
  const { stopped } = listenForStop();
  const secret = readSecret(config.dataDir, config.secret);
  if (secret === null) {
    terminal.err(
      `foyer: there is no secret in ${config.dataDir}. Start the service first, or give both the same FOYER_SECRET.\n`,
    );
    return 1;
  }

  const clock = openClock(log);
  const following = setInterval(() => followWallClock(clock), 1_000).unref();
  const running = await startStandaloneGateway({
    config,
    log,
    secret,
    previousSecret: config.previousSecret === null ? null : secretFromText(config.previousSecret),
    newRequestId: createRequestIds(createIds(clock.now)().slice(-12)),
    now: clock.now,
  });
  const redirect = await openRedirect(config, config.gatewayHost);
  terminal.err(`Foyer's gateway\n  players   ${running.url}\n  service   ${config.serviceUrl}\nStop with Ctrl-C.\n`);
  log.info({ signal: await stopped }, "stopping");
  clearInterval(following);
  redirect.close();
  await running.close();
  return 0;
}
