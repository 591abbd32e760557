import { connect } from "node:net";

// A client that means harm, in a process of its own so that it does not slow down the one that is measured.
// Sends the given bytes on many connections and reads nothing; opens each again when it is closed or was held for a while.
const { way, host, port, connections, requests, clients, holdMs } = JSON.parse(process.argv[2]);
const sockets = new Set();

function open(index) {
  const client = `203.0.113.${1 + (index % clients)}`;
  const isDirect = way === "direct";
  const socket = connect({ host, port, localAddress: isDirect ? client : undefined });
  sockets.add(socket);
  socket.pause();
  socket.on("error", () => {});
  socket.on("connect", () => {
    socket.write(requests.replaceAll("{forwarded}", isDirect ? "" : `X-Forwarded-For: ${client}\r\n`));
    if (holdMs > 0) setTimeout(() => socket.destroy(), holdMs);
  });
  socket.on("close", () => {
    sockets.delete(socket);
    setTimeout(() => open(index), 50);
  });
}

process.once("message", () => {
  for (let index = 0; index < connections; index++) open(index);
});
process.on("disconnect", () => process.exit());
