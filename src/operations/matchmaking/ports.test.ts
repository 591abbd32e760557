import { expect, test } from "vitest";
import { createShowPorts, parseGatewayOrigin, portAnswer, routedPort } from "./ports.ts";

const lobbyId = "0193aaaa-0000-7000-8000-000000000001";

test.each([
  ["https://gw.example.com", { hostname: "gw.example.com", port: 443, is_tls: true }, "wss://gw.example.com"],
  ["http://gw.example.com", { hostname: "gw.example.com", port: 80, is_tls: false }, "ws://gw.example.com"],
  [
    "https://gw.example.com:8443",
    { hostname: "gw.example.com", port: 8443, is_tls: true },
    "wss://gw.example.com:8443",
  ],
  ["http://[2001:db8::1]:7100", { hostname: "2001:db8::1", port: 7100, is_tls: false }, "ws://[2001:db8::1]:7100"],
])("[GW4] ports behind %s", (origin, address, base) => {
  const stored = { game: routedPort({ hostname: "10.0.0.1", port: 27_000, is_tls: false, protocol: "ws" }) };
  const show = createShowPorts(() => parseGatewayOrigin(origin));
  const { game } = show({ lobbyId, ports: JSON.stringify(stored) });
  expect(game).toMatchObject({ ...address, url: `${base}/lobby/${lobbyId}/game` });
  expect(Object.keys(game!).sort()).toEqual(["host", "hostname", "is_tls", "port", "url"]);
});

test("[SM2] the address of an http port ends in a slash, that of a ws port does not", () => {
  const ports = ["http", "https", "ws", "wss", "udp"].map((protocol) =>
    portAnswer({
      hostname: "2001:db8::1",
      port: 27_000,
      is_tls: protocol.endsWith("s") && protocol !== "ws",
      protocol,
    }),
  );
  const host = "[2001:db8::1]:27000";
  const direct = [`http://${host}/`, `https://${host}/`, `ws://${host}`, `wss://${host}`, undefined];
  expect(ports.map(({ url }) => url)).toEqual(direct);
  const routed = routedPort({ hostname: "10.0.0.1", port: 27_000, is_tls: false, protocol: "http" });
  const show = createShowPorts(() => parseGatewayOrigin("https://gw.example.com"));
  const { page } = show({ lobbyId, ports: JSON.stringify({ page: routed }) });
  expect(page!.url).toBe(`https://gw.example.com/lobby/${lobbyId}/page/`);
  expect(String(new URL("map.png", page!.url))).toBe(`https://gw.example.com/lobby/${lobbyId}/page/map.png`);
});

test("[GW2] other ports are shown as they are stored, also those of an earlier Foyer", () => {
  const show = createShowPorts(() => {
    throw new Error("not needed");
  });
  const direct = { game: portAnswer({ hostname: "10.0.0.1", port: 27_000, is_tls: false, protocol: undefined }) };
  expect(show({ lobbyId, ports: JSON.stringify(direct) })).toEqual(direct);
  expect(show({ lobbyId, ports: null })).toEqual({});
});
