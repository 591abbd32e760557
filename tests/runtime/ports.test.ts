import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";
import { afterEach, expect, test } from "vitest";
import { until } from "../support/harness.ts";
import { type Driver, openDriver, ownPorts, shellLobby } from "./driver.ts";

const drivers: Driver[] = [];

async function open(...options: Parameters<typeof openDriver>): Promise<Driver> {
  const driver = await openDriver(...options);
  drivers.push(driver);
  return driver;
}

afterEach(async () => {
  for (const driver of drivers.splice(0)) {
    await Promise.all((await driver.list()).map((lobbyId) => driver.stop(lobbyId)));
    await driver.close();
  }
});

const forever = "exec sleep 1000";

test("[RT2] a port that another program uses is not assigned, TCP or UDP", async () => {
  const { min } = ownPorts(1);
  const server = createServer().listen(min, "127.0.0.1");
  const socket = createSocket("udp4").bind(min + 1);
  await Promise.all([once(server, "listening"), once(socket, "listening")]);
  const driver = await open({ ports: { min, max: min + 2 } });
  const ports = await driver.start(shellLobby(forever, { ports: { default: { protocol: "udp" } } }));
  expect(ports.default!.port).toBe(min + 2);
  const refused = driver.start(shellLobby(forever, { ports: { default: { protocol: "udp" } } }));
  await expect(refused).rejects.toThrow(/FOYER_LOBBY_PORTS/);
  await expect(refused).rejects.toMatchObject({ isShortage: true });
  server.close();
  socket.close();
});

test("[RT2] a lobby for which the range has too few ports takes none of them", async () => {
  const { min } = ownPorts(4);
  const driver = await open({ ports: { min, max: min + 1 } });
  const labels = (...names: string[]) => Object.fromEntries(names.map((name) => [name, { protocol: "tcp" }]));
  for (let tries = 0; tries < 3; tries++) {
    const refused = driver.start(shellLobby(forever, { ports: labels("a", "b", "c") }));
    await expect(refused).rejects.toMatchObject({ isShortage: true });
  }
  const ports = await driver.start(shellLobby(forever, { ports: labels("a", "b") }));
  expect(Object.values(ports).map(({ port }) => port)).toHaveLength(2);
});

test("[VF6] a listener at another address of the same port does not make it busy; the process gets its address as HOST", async () => {
  const { min } = ownPorts(2);
  const proxy = createServer().listen(min, "127.0.0.2");
  const taken = createServer().listen(min + 1, "127.0.0.3");
  await Promise.all([once(proxy, "listening"), once(taken, "listening")]);
  const driver = await open({ ports: { min, max: min + 1 }, bind: "127.0.0.3" });
  const lobby = shellLobby(`echo "$HOST"; ${forever}`, { env: { HOST: "0.0.0.0" } });
  expect((await driver.start(lobby)).default!.port).toBe(min);
  await until(async () => (await driver.logs(lobby.lobbyId, "stdout", 100)).text === "127.0.0.3\n");
  await expect(driver.start(shellLobby(forever))).rejects.toThrow(/Every port .* is in use/);
  proxy.close();
  taken.close();
});

test("[VF6] an address that the machine does not have is named, and no port is lost by it", async () => {
  const driver = await open({ bind: "192.0.2.1" });
  for (const protocol of ["tcp", "udp"]) {
    const refused = driver.start(shellLobby(forever, { ports: { default: { protocol } } }));
    await expect(refused).rejects.toThrow(/192\.0\.2\.1.+FOYER_LOBBY_BIND/);
    await expect(refused).rejects.toMatchObject({ isShortage: true });
  }
});

test("[VF3] a driver names the TCP ports that do not listen, at the address that lobbies listen on", async () => {
  const driver = await open({ ports: ownPorts(3), bind: "127.0.0.3" });
  const ports = { game: { protocol: "ws" }, admin: { protocol: "http" }, voice: { protocol: "udp" } };
  const lobby = shellLobby(forever, { ports });
  const announced = await driver.start(lobby);
  const game = createServer().listen(announced.game!.port, "127.0.0.3");
  const elsewhere = createServer().listen(announced.admin!.port, "127.0.0.1");
  await Promise.all([once(game, "listening"), once(elsewhere, "listening")]);
  const unanswered = [{ label: "admin", port: announced.admin!.port }];
  expect(await driver.unansweredPorts(lobby.lobbyId)).toEqual(unanswered);
  expect(await driver.unansweredPorts("unknown")).toBeNull();
  game.close();
  elsewhere.close();
});
