import Fastify from "fastify";
import { expect, test } from "vitest";
import { operations } from "../contract/index.ts";
import { toRefusal } from "./errors.ts";
import { useStrictValidation } from "./validation.ts";

/** A server whose body is this value, however it would be sent. */
function serverOf(schema: object, body: unknown) {
  const app = Fastify();
  useStrictValidation(app);
  app.setErrorHandler((error, request, reply) => reply.code(400).send(toRefusal(error, request)));
  app.post("/", {
    schema,
    preValidation: (request, _reply, done) => {
      request.body = body;
      done();
    },
    handler: () => "fine",
  });
  return app;
}

test("[T57] a list with many issues is checked only as far as issues are shown", async () => {
  let reads = 0;
  const ids = new Proxy(Array<number>(20_000).fill(0), {
    get(list, name) {
      if (typeof name === "string" && /^\d+$/.test(name)) reads += 1;
      return Reflect.get(list, name);
    },
  });
  const app = serverOf({ body: operations["lobbies.heartbeat"].body }, { player_ids: ids });
  const refusal = (await app.inject({ method: "POST", url: "/" })).json();
  expect([refusal.code, refusal.errors.length]).toEqual(["API_BAD_BODY", 100]);
  expect(refusal.message).toMatch(/^The body is invalid; see `errors`. The first of at least 100: player_ids\.0 /);
  expect(reads).toBeLessThan(300);
});

test("[T13] [T57] of ten thousand unknown parameters a hundred are named, and the known ones are still read", async () => {
  const app = serverOf({ querystring: operations["games.listGames"].query }, undefined);
  const many = Array.from({ length: 10_000 }, (_, index) => `k${index}=1`).join("&");
  const refusal = (await app.inject({ method: "POST", url: `/?${many}&limit=0` })).json();
  expect(refusal.code).toBe("API_BAD_QUERY");
  expect(refusal.message).toMatch(/^The query is invalid; see `errors`. The first of at least 100: /);
  expect(refusal.errors.map(({ path }: { path: string[] }) => path[0])).toEqual(
    Array.from({ length: 100 }, (_, index) => `k${index}`),
  );
});

test("[T13] a number in a query that is too large for a double is refused, and not read as endless", async () => {
  const app = serverOf({ querystring: operations["games.listGames"].query }, undefined);
  for (const limit of ["1e999", "-1e999"]) {
    const refusal = (await app.inject({ method: "POST", url: `/?limit=${limit}` })).json();
    expect([refusal.code, refusal.errors[0].path]).toEqual(["API_BAD_QUERY", ["limit"]]);
  }
  expect((await app.inject({ method: "POST", url: "/?limit=1e2" })).body).toBe("fine");
});
