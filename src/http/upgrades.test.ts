import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { expect, test } from "vitest";
import { takeUpgrades } from "./upgrades.ts";

test("[FG3] what a client has sent on a connection that Foyer closes is not handled", async () => {
  let requests = 0;
  const server = createServer(({ socket }) => {
    requests += 1;
    if (requests === 10) socket.destroy();
  });
  takeUpgrades(
    server,
    () => false,
    () => {},
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  client.on("error", () => {});
  client.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(500));
  await new Promise((resolve) => client.once("close", resolve));
  expect(requests).toBe(10);
  server.close();
});
