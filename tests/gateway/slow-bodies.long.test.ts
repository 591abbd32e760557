import { expect, test } from "vitest";
import { openRaw } from "../support/raw.ts";
import { openGatewayWorld, startWebLobby } from "./world.ts";

test("[T31] [GW19] a body for a lobby that takes longer than the 30 s of other requests is not cut off", async () => {
  const world = await openGatewayWorld();
  const web = await startWebLobby();
  const lobby = await world.lobbyAt(web.port);
  const pieces = Array.from({ length: 38 }, (_, second) => `piece ${second}\n`);
  const body = pieces.join("");
  const sent = await openRaw(world.service.port);
  sent.write(`POST ${lobby.web} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n`);
  // Longer than the time for a whole request and the 5 s between two looks at it.
  for (const piece of pieces) {
    sent.write(piece);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
  expect(await sent.answer()).toMatchObject({ status: 200, text: "hello" });
  expect(web.seen).toMatchObject([{ method: "POST", body }]);
  // The next request of the connection has the usual time.
  sent.write(`GET ${lobby.web} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
  expect(await sent.answer()).toMatchObject({ status: 200, text: "hello" });
  web.close();
  await world.close();
}, 120_000);
