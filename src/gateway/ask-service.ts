import { get as getHttp, type IncomingMessage } from "node:http";
import { get as getHttps } from "node:https";
import type { LobbyDescription } from "../operations/routing/lobby-description.ts";
import type { NodeProofs } from "./node-proof.ts";

const answerMs = 5_000;
/** A thousand blocks and the domains of a namespace are less. */
const answerMaxBytes = 512 * 1024;

/** Asks the service where a lobby is; null: there is no such lobby. Rejects when the service does not answer. */
export function createAskService(serviceUrl: string, proofs: Pick<NodeProofs, "prove">) {
  const get = serviceUrl.startsWith("https:") ? getHttps : getHttp;

  return (lobbyId: string): Promise<LobbyDescription | null> =>
    new Promise((resolve, reject) => {
      const [name = "", proof = ""] = proofs.prove();
      const options = { agent: false as const, headers: { [name]: proof }, timeout: answerMs };
      const asked = get(`${serviceUrl}/lobby/${lobbyId}`, options, (answer) => {
        readAnswer(answer).then(resolve, reject);
      });
      const timer = setTimeout(() => asked.destroy(new Error("the service did not answer in time")), answerMs);
      asked.on("error", reject);
      asked.once("close", () => clearTimeout(timer));
    });
}

async function readAnswer(answer: IncomingMessage): Promise<LobbyDescription | null> {
  const text = await readText(answer);
  if (answer.statusCode !== 200)
    throw new Error(`the service answered ${answer.statusCode} to a question about a lobby`);
  // The service answers with the result of createDescribeLobby.
  return JSON.parse(text) as LobbyDescription | null;
}

async function readText(answer: IncomingMessage): Promise<string> {
  let text = "";
  for await (const piece of answer.setEncoding("utf8")) {
    text += piece;
    if (text.length > answerMaxBytes) throw new Error("the answer of the service is too long");
  }
  return text;
}
