import { versionConfig } from "../../contract/version-config.ts";

export const schemaFileName = ".foyer-schema.json";

/** For editors: what foyer.game.json may contain. */
export function schemaText(): string {
  const text = (description: string) => ({ type: "string", description });
  const schema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "A game of Foyer",
    type: "object",
    required: ["game", "config"],
    additionalProperties: false,
    properties: {
      $schema: { type: "string" },
      game: text("The game's name_id: 1 to 32 of a-z, 0-9 and single hyphens."),
      display_name: text("The game's name for people."),
      page: text("The folder with the game's web page, which foyer dev serves."),
      include: {
        type: "array",
        items: { type: "string" },
        description: "Files that foyer deploy packs although they may be secret, such as certs/dev.pem.",
      },
      development_packages: {
        type: "boolean",
        description: "Whether foyer deploy packs packages that only development needs; false by default.",
      },
      config: versionConfig,
    },
  };
  return `${JSON.stringify(schema, null, 2)}\n`;
}

/** A chat: what one player sends, all players see. */
export const serverText = `import { createLobbyServer } from "foyer-sdk/server";
import { WebSocketServer } from "ws";

// Foyer, or \`foyer dev\`, starts this program once per lobby.
const lobby = createLobbyServer();
const server = new WebSocketServer({ port: Number(process.env.PORT) }, () => lobby.ready());
const players = new Map();

function sendToAll(text) {
  for (const socket of players.keys()) socket.send(text);
}

server.on("connection", (socket) => {
  socket.on("error", () => socket.terminate());
  // The first message of a player is the token that Foyer gave it.
  socket.once("message", async (token) => {
    const admission = lobby.admit(String(token));
    socket.on("close", () => lobby.leave(admission, { mayReturn: true }));
    const player = await admission.catch((refusal) => socket.close(4003, refusal.code));
    if (!player || socket.readyState !== socket.OPEN) return;
    const name = \`Player \${player.playerId.slice(-4)}\`;
    players.set(socket, name);
    player.signal.addEventListener("abort", () => socket.close(4004, player.signal.reason));
    socket.on("message", (text) => sendToAll(\`\${name}: \${text}\`));
    socket.on("close", () => players.delete(socket) && sendToAll(\`\${name} left.\`));
    sendToAll(\`\${name} \${player.returned ? "is back" : "is here"}.\`);
  });
});
`;

export const pageText = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>My game</title>
<style>
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { max-width: 40rem; margin: 2rem auto; padding: 0 1rem; }
  input { font: inherit; width: 100%; box-sizing: border-box; padding: .5rem; }
</style>
<h1>My game</h1>
<div id="log" role="log"></div>
<form><input id="text" aria-label="Message" autocomplete="off" placeholder="Say something"></form>
<script type="module">
  // foyer dev serves both of these files. Elsewhere put them beside this page: a copy of node_modules/foyer-sdk/dist as foyer-sdk,
  // and foyer.json with your endpoint, a public token and the game mode. With a bundler import "foyer-sdk/client" instead.
  import { createMatchmaker } from "./foyer-sdk/client.js";
  const { game_mode, ...options } = await (await fetch("foyer.json")).json();

  const show = (line) => log.append(line, document.createElement("br"));
  const matchmaker = createMatchmaker({ ...options, storage: sessionStorage });
  let socket;
  document.forms[0].onsubmit = (event) => {
    event.preventDefault();
    if (socket?.readyState !== WebSocket.OPEN) return;
    socket.send(text.value);
    text.value = "";
  };
  try {
    // A reload returns to the same seat.
    const { ports, player } = (await matchmaker.resume()) ?? (await matchmaker.find(game_mode));
    socket = new WebSocket(ports.default.url);
    socket.onopen = () => socket.send(player.token);
    socket.onmessage = ({ data }) => show(data);
    socket.onclose = () => show("The connection is closed. Reload the page.");
  } catch (refusal) {
    show(refusal.message);
  }
</script>
</html>
`;
