// A lobby server in plain Node that uses nothing but the documented environment and HTTP calls. What it does besides
// is chosen by variables of its version, so that tests can make it misbehave.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer } from "node:net";

const { FOYER_API_ENDPOINT, FOYER_TOKEN, PORT, BEHAVIOUR = "", WRITE_BYTES = "0", READY_AT_PORT } = process.env;
// Of several nodes any takes the call.
const readyTo = process.env.READY_TO ?? FOYER_API_ENDPOINT;

function call(method, path, body, endpoint = FOYER_API_ENDPOINT) {
  return fetch(`${endpoint}/matchmaker/${path}`, {
    method,
    headers: { authorization: `Bearer ${FOYER_TOKEN}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

// One line in, one line out: a player's connection. "crash" and "exit" end the process, "env" shows the environment,
// "say" and "complain" write to the logs, whose text is JSON.
const server = createServer((socket) => {
  let rest = "";
  socket.setEncoding("utf8").on("data", (text) => {
    const lines = `${rest}${text}`.split("\n");
    rest = lines.pop();
    for (const line of lines) answer(socket, line);
  });
  socket.on("error", () => undefined);
});

function answer(socket, word) {
  const [verb, rest] = word.split(/ (.*)/s);
  const said = () => socket.write("said\n");
  if (word === "crash") process.exit(7);
  if (word === "exit") process.exit(0);
  if (word === "env") socket.write(`${JSON.stringify(process.env)}\n`);
  else if (verb === "say") process.stdout.write(JSON.parse(rest), said);
  else if (verb === "complain") process.stderr.write(JSON.parse(rest), said);
  else if (verb === "connect") void connect(socket, rest);
  else if (verb === "leave") void leave(socket, rest);
  else socket.write(`${process.pid} ${word}\n`);
}

async function connect(socket, playerToken) {
  const answer = await call("POST", "players/connected", { player_token: playerToken });
  socket.write(`${answer.status}\n`);
}

async function leave(socket, playerToken) {
  const answer = await call("POST", "players/disconnected", { player_token: playerToken });
  socket.write(`${answer.status}\n`);
}

console.log("starting");
if (BEHAVIOUR === "crash-early") {
  console.error("the map is missing");
  process.exit(3);
}
if (BEHAVIOUR === "tidy") process.on("SIGTERM", () => console.log("saved") ?? process.exit(5));
if (BEHAVIOUR === "stubborn") process.on("SIGTERM", () => console.log("not yet"));
if (BEHAVIOUR === "child") spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
if (Number(WRITE_BYTES) > 0) process.stdout.write(`${"x".repeat(Number(WRITE_BYTES) - 1)}\n`);

if (BEHAVIOUR === "ready-first") {
  const answer = await call("POST", "lobbies/ready", undefined, readyTo);
  console.log(`ready: ${answer.status}`);
  while (!existsSync(process.env.LISTEN_WHEN)) await new Promise((resolve) => setTimeout(resolve, 20));
}

server.listen(Number(PORT), process.env.LISTEN_ON ?? "127.0.0.1", async () => {
  if (BEHAVIOUR === "ready-first") return;
  if (BEHAVIOUR === "never-ready") return;
  // Only where the node that started it has this port.
  if (READY_AT_PORT !== undefined && new URL(FOYER_API_ENDPOINT).port !== READY_AT_PORT) return;
  const answer = await call("POST", "lobbies/ready", undefined, readyTo);
  console.log(`ready: ${answer.status}`);
  if (BEHAVIOUR === "crash-late") process.exit(4);
});
