import { createServer } from "node:http";

// The least that Node's own HTTP server can do: read the request to its end and answer bytes that were made before.
const { headers, body } = JSON.parse(process.argv[2]);

const server = createServer((request, response) => {
  request.on("data", () => {});
  request.on("end", () => response.writeHead(200, headers).end(body));
});
server.listen(0, "127.0.0.1", () => console.error(`API http://127.0.0.1:${server.address().port}`));
