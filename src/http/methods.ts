import { METHODS } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

/**
 * Gives every path an answer to every method, so that a path with a literal end (`…/namespaces/validate`) is never
 * taken for one with a parameter (`…/namespaces/{namespace_id}`) when the method is wrong. Call it before the routes
 * are added and the function it returns after; that returns all methods that some path allows.
 */
export function answerOtherMethods(
  app: FastifyInstance,
  answer: (request: FastifyRequest, reply: FastifyReply, allowed: readonly string[]) => FastifyReply,
): () => string[] {
  const methodsByUrl = new Map<string, Set<string>>();
  app.addHook("onRoute", ({ url, method }) => {
    const methods = methodsByUrl.get(url) ?? new Set();
    for (const name of [method].flat()) methods.add(name);
    methodsByUrl.set(url, methods);
  });
  // CONNECT never reaches a route.
  const everyMethod = METHODS.filter((method) => method !== "CONNECT");
  for (const method of everyMethod) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
  // Otherwise a field in the body of a GET would be ignored without an error.
  for (const method of ["GET", "HEAD"]) app.addHttpMethod(method, { hasBody: true, overrideExisting: true });

  return () => {
    const possible = new Set<string>();
    for (const [url, methods] of [...methodsByUrl]) {
      const allowed = [...methods, "OPTIONS"].sort();
      for (const method of allowed) possible.add(method);
      app.route({
        method: everyMethod.filter((method) => !methods.has(method)),
        url,
        exposeHeadRoute: false,
        // Before the body is read: path and method come first.
        onRequest: (request, reply) => void answer(request, reply, allowed),
        handler: (_request, reply) => reply.send(),
      });
    }
    return [...possible].sort();
  };
}
