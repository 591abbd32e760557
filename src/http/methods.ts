import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

export interface OtherMethods {
  /** All methods that some path allows. */
  readonly possible: readonly string[];
  /** What a path allows, for a method that no path allows; null: nothing has this path. */
  allowedAt(path: string): readonly string[] | null;
}

/**
 * Gives every path an answer to every method that some path allows, so that a path with a literal end (`…/namespaces/validate`) is never
 * taken for one with a parameter (`…/namespaces/{namespace_id}`) when the method is wrong. Methods that no path allows have
 * no routes: `allowedAt` finds their answer. Call it before the routes are added and the function it returns after.
 */
export function answerOtherMethods(
  app: FastifyInstance,
  answer: (request: FastifyRequest, reply: FastifyReply, allowed: readonly string[]) => FastifyReply,
): () => OtherMethods {
  const methodsByUrl = new Map<string, Set<string>>();
  app.addHook("onRoute", ({ url, method }) => {
    const methods = methodsByUrl.get(url) ?? new Set();
    for (const name of [method].flat()) methods.add(name);
    methodsByUrl.set(url, methods);
  });
  // Otherwise a field in the body of a GET would be ignored without an error.
  for (const method of ["GET", "HEAD"]) app.addHttpMethod(method, { hasBody: true, overrideExisting: true });

  return () => {
    const known = [...methodsByUrl].map(([url, methods]) => ({ url, allowed: [...methods, "OPTIONS"].sort() }));
    const possible = [...new Set(known.flatMap(({ allowed }) => allowed))].sort();
    for (const { url, allowed } of known) {
      const methods = methodsByUrl.get(url)!;
      app.route({
        method: possible.filter((method) => !methods.has(method)),
        url,
        exposeHeadRoute: false,
        // Before the body is read: path and method come first.
        onRequest: (request, reply) => void answer(request, reply, allowed),
        handler: (_request, reply) => reply.send(),
      });
    }
    // A literal part comes before a parameter, and a parameter before the rest of a path.
    const parts = (url: string) => url.replace(/:\w+/g, "\uFFFE").replaceAll("*", "\uFFFF");
    known.sort((a, b) => (parts(a.url) < parts(b.url) ? -1 : 1));
    const patterns = known.map(({ url, allowed }) => ({
      pattern: new RegExp(`^${url.replace(/[.+]/g, "\\$&").replaceAll("*", ".*").replace(/:\w+/g, "[^/]+")}$`),
      allowed,
    }));
    return { possible, allowedAt: (path) => patterns.find(({ pattern }) => pattern.test(path))?.allowed ?? null };
  };
}
