import { get as getHttp } from "node:http";
import { get as getHttps } from "node:https";
import { type Logger, throttledByText } from "../ground/log.ts";

const answerMs = 5_000;

/** Asks whether the node at an address answers at all, whatever it answers; one question at a time for each. */
export function createCheckNode(): (url: string) => Promise<boolean> {
  const asking = new Map<string, Promise<boolean>>();

  return (url) => {
    const asked = asking.get(url) ?? ask(url).finally(() => asking.delete(url));
    asking.set(url, asked);
    return asked;
  };
}

async function ask(url: string): Promise<boolean> {
  const get = url.startsWith("https:") ? getHttps : getHttp;
  try {
    return await new Promise<boolean>((resolve) => {
      const sent = get(`${url}/healthz`, { agent: false }, () => {
        resolve(true);
        sent.destroy();
      });
      const timer = setTimeout(() => sent.destroy(), answerMs);
      sent.on("error", () => resolve(false));
      sent.once("close", () => {
        clearTimeout(timer);
        resolve(false);
      });
    });
  } catch {
    // It has reported an address that is none.
    return false;
  }
}

/** Logs that another node cannot be reached at its address, about once a minute for each. */
export function createNodeReport(log: Logger): (url: string) => void {
  return throttledByText((url: string) =>
    log.warn(
      { node_url: url },
      "another node does not answer at its node_url, so players do not reach its lobbies through this process; check that address and the network",
    ),
  );
}
