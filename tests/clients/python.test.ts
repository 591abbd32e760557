import { execFile } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../support/harness.ts";
import { root } from "../support/repository.ts";
import { ensureServerBuilt, type Server, startServer } from "../support/server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const run = promisify(execFile);
const page = readFileSync(join(root, "clients/python/README.md"), "utf8");
const examples = [...page.matchAll(/^```python (\S+)\n(.*?)^```$/gms)].map(([, name, code]) => [name!, code!] as const);

let folder: string;
let server: Server;
let publicToken: string;

beforeAll(async () => {
  await ensureServerBuilt();
  folder = temporaryFolder();
  copyFileSync(join(root, "clients/python/foyer.py"), join(folder, "foyer.py"));
  server = await startServer(temporaryFolder());
  for (const [name, code] of examples) {
    writeFileSync(join(folder, name), code.replaceAll("127.0.0.1:7100", `127.0.0.1:${server.port}`));
  }
  publicToken = (await python("setup.py", { ADMIN_TOKEN: server.adminToken })).trim();
});

afterAll(async () => {
  await server?.admin("DELETE", "/cloud/games/snake?force=true");
  await server?.stop();
});

async function python(file: string, env: Record<string, string> = {}): Promise<string> {
  const variables = { PATH: process.env.PATH, PYTHONDONTWRITEBYTECODE: "1", ...env };
  return (await run("python3", [file], { cwd: folder, env: variables, timeout: 60_000 })).stdout;
}

/** The lobbies of the game, with their players. */
async function readLobbies() {
  const path = "/cloud/games/snake/namespaces/prod/lobbies";
  const { lobbies } = await server.admin("GET", path);
  return Promise.all(
    lobbies.map(async ({ lobby_id }: { lobby_id: string }) => (await server.admin("GET", `${path}/${lobby_id}`)).lobby),
  );
}

test("[SK12] the page of the Python client takes one from nothing to a seated player", async () => {
  expect(examples.map(([name]) => name)).toEqual(["server.py", "async_server.py", "setup.py", "client.py"]);
  expect(await python("client.py", { PUBLIC_TOKEN: publicToken })).toBe("Welcome.\nYou said: hello\n");
  const [lobby] = await readLobbies();
  expect(lobby).toMatchObject({ game_mode_id: "talk" });
});

test("[SK12] the page's server with asyncio seats a player, and ends with its lobby", async () => {
  for (const { lobby_id } of await readLobbies()) {
    await server.admin("DELETE", `/cloud/games/snake/namespaces/prod/lobbies/${lobby_id}`);
  }
  const plain = readFileSync(join(folder, "server.py"));
  copyFileSync(join(folder, "async_server.py"), join(folder, "server.py"));
  try {
    expect(await python("client.py", { PUBLIC_TOKEN: publicToken })).toBe("Welcome.\nYou said: hello\n");
    const [lobby] = await readLobbies();
    await server.admin("DELETE", `/cloud/games/snake/namespaces/prod/lobbies/${lobby.lobby_id}`);
    await until(async () => (await readLobbies()).length === 0);
  } finally {
    writeFileSync(join(folder, "server.py"), plain);
  }
});

test("[SK12] the page's server ends the connection that a newer one replaces", async () => {
  const answer = await fetch(`http://127.0.0.1:${server.port}/matchmaker/lobbies/find`, {
    method: "POST",
    headers: { authorization: `Bearer ${publicToken}`, "content-type": "application/json" },
    body: JSON.stringify({ game_modes: ["talk"] }),
  });
  // The shape is that of find's answer.
  const { ports, player } = (await answer.json()) as {
    ports: { default: { port: number } };
    player: { token: string };
  };
  const enter = async () => {
    const socket = connect(ports.default.port, "127.0.0.1");
    socket.setEncoding("utf8").write(`${player.token}\n`);
    const [line] = await once(socket, "data");
    return { socket, line };
  };
  const first = await enter();
  const ended = once(first.socket, "close");
  const second = await enter();
  await ended;
  expect([first.line, second.line]).toEqual(["Welcome.\n", "Welcome back.\n"]);
  second.socket.destroy();
});

const script = `
import os, threading
from foyer import Foyer, FoyerError, LobbyServer

told = []
changed = threading.Condition()
def note(*words):
    with changed:
        told.append(" ".join(str(word) for word in words))
        changed.notify_all()
def expect(text):
    with changed:
        assert changed.wait_for(lambda: text in told, 60), (text, told)

endpoint = os.environ["FOYER_URL"]
cloud = Foyer(endpoint, os.environ["ADMIN_TOKEN"])
N = "/cloud/games/own/namespaces/prod"
mode = {"max_players": 8, "timeouts": {"reconnect_s": 60}, "runtime": {"external": {}}}
config = {"regions": {"local": {}}, "game_modes": {"duel": mode}}
cloud.call("POST", "/cloud/games", {"display_name": "Own", "name_id": "own"})
version = cloud.call("POST", "/cloud/games/own/versions", {"display_name": "1", "config": config})
cloud.call("POST", "/cloud/games/own/namespaces", {"display_name": "Prod", "name_id": "prod", **version})
players = Foyer(endpoint, cloud.call("POST", N + "/tokens/public")["token"])
backend = Foyer(endpoint, cloud.call("POST", N + "/tokens/server")["token"])
ports = {"default": {"hostname": "127.0.0.1", "port": 5000, "is_tls": False}}
made = backend.call("POST", "/matchmaker/lobbies/register", {"game_mode": "duel", "region": "local", "ports": ports})
path = N + "/lobbies/" + made["lobby_id"]
statuses = lambda: sorted(player["status"] for player in cloud.call("GET", path)["lobby"]["players"])
start = lambda **more: LobbyServer(endpoint, made["token"], heartbeat_s=0.05, **more)
lobby = start(on_closed=lambda is_closed: note("closed", is_closed), on_stopping=lambda reason: note("stopping", reason))
lobby.ready()
token = players.call("POST", "/matchmaker/lobbies/find", {"game_modes": ["duel"]})["player"]["token"]

first = lobby.admit(token, lambda reason: note("first", reason))
second = lobby.admit(token, lambda reason: note("second", reason))
lobby.leave(first)
print([first.returned, second.returned, told, statuses()])
lobby.leave(second, may_return=True)
print([lobby.players(), statuses()])
third = lobby.admit(token, lambda reason: note("third", reason))
print([third.returned, third.player_id == first.player_id, statuses()])
try:
    lobby.admit("player_nonsense")
except FoyerError as error:
    print(error.code, error.status)
lobby.close(); expect("closed True")
lobby.open(); expect("closed False")
cloud.call("PUT", N + "/blocks", {"client": "127.0.0.1", "end_seats": True})
expect("third removed")
cloud.call("DELETE", path)
expect("stopping stopped_by_foyer")
`;

test("[SK12] a Python lobby admits, replaces, holds and loses players, and learns what operators do", async () => {
  writeFileSync(join(folder, "own.py"), script);
  const output = await python("own.py", {
    FOYER_URL: `http://127.0.0.1:${server.port}`,
    ADMIN_TOKEN: server.adminToken,
  });
  expect(output.trim().split("\n")).toEqual([
    "[False, True, ['first replaced'], ['connected']]",
    "[[], ['held']]",
    "[True, True, ['connected']]",
    "MATCHMAKER_PLAYER_NOT_FOUND 404",
  ]);
});

test("[SK12] without a token the Python client says what to do", async () => {
  const { stderr } = await run("python3", ["server.py"], { cwd: folder, env: { PATH: process.env.PATH } }).catch(
    (e) => e,
  );
  expect(stderr).toContain("run this server with `foyer dev -- python3 server.py`");
});
