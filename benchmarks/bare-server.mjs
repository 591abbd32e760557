import { createServer } from "node:http";

// The least that Node's own HTTP server can do: read the request to its end and answer bytes that were made before.
// What to answer is given by path, as { status, headers, body }.
const answers = new Map(Object.entries(JSON.parse(process.argv[2])));

const server = createServer((request, response) => {
  const { status, headers, body } = answers.get(request.url);
  request.on("data", () => {});
  request.on("end", () => response.writeHead(status, headers).end(body));
});
server.listen(0, process.argv[3] ?? "127.0.0.1", () => console.error(`API http://127.0.0.1:${server.address().port}`));
