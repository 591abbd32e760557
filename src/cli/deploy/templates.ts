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
const sockets = new WebSocketServer({ port: Number(process.env.PORT) });

function sendToAll(text) {
  for (const socket of sockets.clients) socket.send(text);
}

sockets.on("connection", (socket) => {
  // The first message of a player is the token that Foyer gave it.
  socket.once("message", async (token) => {
    try {
      const player = await lobby.admit(String(token));
      const name = \`Player \${player.playerId.slice(-4)}\`;
      player.signal.addEventListener("abort", () => socket.close());
      socket.on("message", (text) => sendToAll(\`\${name}: \${text}\`));
      socket.on("close", () => {
        lobby.leave(player, { mayReturn: true });
        sendToAll(\`\${name} left.\`);
      });
      sendToAll(\`\${name} \${player.returned ? "is back" : "is here"}.\`);
    } catch (error) {
      socket.close(4001, error.message.slice(0, 100));
    }
  });
});

sockets.on("listening", () => lobby.ready());
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
  // foyer dev serves /foyer.json. For production write such a file beside this page, with your endpoint and a public token.
  const { endpoint, token, game_mode } = await (await fetch("foyer.json")).json();
  const headers = { authorization: "Bearer " + token, "content-type": "application/json" };
  const find = { method: "POST", headers, body: JSON.stringify({ game_modes: [game_mode] }) };
  const answer = await (await fetch(endpoint + "/matchmaker/lobbies/find", find)).json();
  const show = (line) => log.append(line, document.createElement("br"));
  if (!answer.player) throw show(answer.message);
  const socket = new WebSocket(answer.ports.default.url);
  socket.onopen = () => socket.send(answer.player.token);
  socket.onmessage = ({ data }) => show(data);
  socket.onclose = () => show("The connection is closed. Reload the page.");
  document.forms[0].onsubmit = (event) => {
    event.preventDefault();
    socket.send(text.value);
    text.value = "";
  };
</script>
</html>
`;
