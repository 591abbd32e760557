import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type Refusal, refuse } from "../operations/context.ts";
import { errorsPage, homePage, referencePage, stylesheet } from "./docs.ts";
import { sendRefusal } from "./errors.ts";

export interface PagesParts {
  readonly openApi: object;
  readonly hasDemo: boolean;
  checkReady(): Promise<void>;
  checkHost(request: FastifyRequest): Refusal | null;
}

/** The service's own pages: health, the contract for machines and for people. They need no token and tell no secret. */
export function addPages(app: FastifyInstance, parts: PagesParts): void {
  const openApi = JSON.stringify(parts.openApi);

  function page(url: string, type: string, text: string): void {
    app.get(url, (request, reply) => {
      const wrongHost = parts.checkHost(request);
      if (wrongHost) return sendRefusal(reply, request.id, wrongHost);
      return send(reply, type, text);
    });
  }

  page("/healthz", json, '{"status":"ok"}');
  app.get("/readyz", async (request, reply) => {
    const wrongHost = parts.checkHost(request);
    if (wrongHost) return sendRefusal(reply, request.id, wrongHost);
    try {
      await parts.checkReady();
    } catch {
      const refusal = refuse("API_UNAVAILABLE", "The store does not answer.", { retryAfterS: 1 });
      return sendRefusal(reply, request.id, refusal);
    }
    return send(reply, json, '{"status":"ready"}');
  });
  page("/openapi.json", json, openApi);
  page("/docs", html, referencePage());
  page("/docs/errors", html, errorsPage());
  page("/docs/style.css", "text/css; charset=utf-8", stylesheet);
  page("/", html, homePage(parts.hasDemo));
}

const html = "text/html; charset=utf-8";
const json = "application/json; charset=utf-8";
const policy =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

function send(reply: FastifyReply, type: string, text: string): FastifyReply {
  if (type === html) reply.header("content-security-policy", policy).header("referrer-policy", "no-referrer");
  return reply.type(type).send(text);
}
