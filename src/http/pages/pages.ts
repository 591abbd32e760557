import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type Refusal, refuse } from "../../operations/refusal.ts";
import { jsonType, sendRefusal } from "../errors.ts";
import { recently } from "../recently.ts";
import { type StoredPage, storedPage } from "../stored-page.ts";

/** Decides who may load a page. Null: this request may. */
export interface AdmitPage {
  checkProbe(request: FastifyRequest): Refusal | null;
  admitPage(request: FastifyRequest, reply: FastifyReply): Refusal | null;
}

export interface PagesParts {
  readonly openApi: object;
  readonly openApi30: object;
  readonly admit: AdmitPage;
  checkReady(): Promise<void>;
}

/**
 * The service's own pages: health, and the contract for machines. They need no token and contain no secret.
 */
export function addPages(app: FastifyInstance, { admit, ...parts }: PagesParts): void {
  addProbes(app, admit, parts.checkReady);
  addPage(app, admit, "/openapi.json", storedPage(jsonType, JSON.stringify(parts.openApi)));
  addPage(app, admit, "/openapi-3.0.json", storedPage(jsonType, JSON.stringify(parts.openApi30)));
}

export function addPage(app: FastifyInstance, { admitPage }: AdmitPage, url: string, page: StoredPage): void {
  app.get(url, {
    onRequest: (request, reply, done) => {
      const refusal = admitPage(request, reply);
      if (refusal) sendRefusal(reply, request.id, refusal);
      else done();
    },
    handler: (request, reply) => page.send(request, reply),
  });
}

/** Probes are not limited, so they must cost next to nothing. */
function addProbes(app: FastifyInstance, { checkProbe }: AdmitPage, checkReady: () => Promise<void>): void {
  const isReady = recently(() =>
    checkReady().then(
      () => true,
      () => false,
    ),
  );
  const probe = (url: string, answer: () => string | Promise<string | Refusal>) =>
    app.get(url, async (request, reply) => {
      const refusal = checkProbe(request);
      if (refusal) return sendRefusal(reply, request.id, refusal);
      const outcome = await answer();
      if (typeof outcome !== "string") return sendRefusal(reply, request.id, outcome);
      return reply.type(jsonType).send(outcome);
    });
  app.get("/ping", (request, reply) => {
    const refusal = checkProbe(request);
    if (refusal) return sendRefusal(reply, request.id, refusal);
    return reply.code(204).headers(pingHeaders).send();
  });
  probe("/healthz", () => '{"status":"ok"}');
  probe("/readyz", async () => {
    if (await isReady()) return '{"status":"ready"}';
    return refuse("API_UNAVAILABLE", "The data store is unavailable.", { retryAfterS: 1 });
  });
}

/** Pages of any origin use it to measure the latency to a node. */
const pingHeaders = { "access-control-allow-origin": "*", "timing-allow-origin": "*", "cache-control": "no-store" };
