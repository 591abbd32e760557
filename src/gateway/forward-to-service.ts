import { Agent, type IncomingMessage, type ServerResponse, request as sendHttp } from "node:http";
import { Agent as HttpsAgent, request as sendHttps } from "node:https";
import { pipeline } from "node:stream";
import { refuse } from "../operations/refusal.ts";
import type { Admission } from "./admit.ts";
import { answerRefusal } from "./answer-refusal.ts";
import { guarded } from "./forward-request.ts";
import { framingHeaders, hasBody, passedHeaders, toServiceHeaders } from "./headers.ts";

/** Less than the service keeps idle connections, so that none is used at the moment in which it is closed. */
const idleConnectionMs = 30_000;

/** Passes requests on to the service, with their bodies and answers of any length, event streams too. */
export interface ForwardToService {
  forward(request: IncomingMessage, response: ServerResponse, admission: Admission): void;
  close(): void;
}

export function createForwardToService(serviceUrl: string, newRequestId: () => string): ForwardToService {
  const { protocol, hostname, port } = new URL(serviceUrl);
  const isHttps = protocol === "https:";
  const options = { keepAlive: true, timeout: idleConnectionMs };
  const agent = isHttps ? new HttpsAgent(options) : new Agent(options);
  const send = isHttps ? sendHttps : sendHttp;
  const address = { host: hostname.replace(/^\[|\]$/g, ""), port: port || (isHttps ? 443 : 80) };

  return {
    forward(request, response, admission) {
      const headers = [...toServiceHeaders(request, admission.forwarded), ...framingHeaders(request)];
      const sent = send({
        ...address,
        agent,
        method: request.method ?? "GET",
        path: request.url ?? "/",
        // As node takes raw headers; its type knows only objects.
        headers: headers as unknown as Record<string, string>,
        setHost: false,
      });
      const unavailable = () => {
        if (response.headersSent) return void request.socket.destroy();
        const message = "The service does not answer. Try again shortly.";
        answerRefusal(response, refuse("API_UNAVAILABLE", message, { retryAfterS: 1 }), newRequestId());
      };
      const passAnswer = (answer: IncomingMessage): void => {
        if (response.headersSent || response.destroyed) return void answer.destroy();
        response.writeHead(answer.statusCode ?? 502, passedHeaders(answer));
        response.flushHeaders();
        pipeline(answer, response, () => undefined);
      };
      sent.on("error", unavailable);
      sent.once("response", guarded({ fail: unavailable }, passAnswer));
      response.once("close", () => {
        if (!response.writableFinished) sent.destroy();
      });
      if (hasBody(request)) request.pipe(sent);
      else {
        request.resume();
        sent.end();
      }
    },
    close: () => agent.destroy(),
  };
}
