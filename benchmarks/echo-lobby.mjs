// A lobby that sends every WebSocket message back. On the path /port it says where it listens, for those who come directly.
import { request } from "node:http";
import { WebSocketServer } from "ws";

const { FOYER_API_ENDPOINT, FOYER_TOKEN, PORT } = process.env;
const server = new WebSocketServer({ host: "127.0.0.1", port: Number(PORT), perMessageDeflate: false, backlog: 4096 });
server.on("connection", (socket, { url }) => {
  socket.on("message", (data, isBinary) => socket.send(data, { binary: isBinary }));
  if (url === "/port") socket.send(PORT);
});
server.on("listening", () => {
  const headers = { authorization: `Bearer ${FOYER_TOKEN}` };
  request(`${FOYER_API_ENDPOINT}/matchmaker/lobbies/ready`, { method: "POST", headers }, (answer) => {
    answer.resume();
  }).end();
});
