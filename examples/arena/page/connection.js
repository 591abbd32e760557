/**
 * Connects to a lobby with the answer of find, join or create. Resolves when the lobby has accepted the player; rejects
 * with the lobby's message when it has not. `onEnd` gets the lobby's reason; null: the connection broke.
 */
export function enterLobby(answer, name, { onNews, onNotice, onEnd }) {
  const socket = new WebSocket(readAddress(answer.ports.default));
  return new Promise((resolve, reject) => {
    let isIn = false;
    socket.addEventListener("open", () => send({ type: "hello", token: answer.player.token, name }));
    socket.addEventListener("message", ({ data }) => {
      const message = JSON.parse(data);
      if (message.type === "welcome") {
        isIn = true;
        // The lobby frees the seat only for this reason. After any other end it is held, so that the player can return.
        resolve({ ...message, send, leave: () => socket.close(1000, "left") });
      } else if (message.type === "news") onNews(message.news, message.seq);
      else if (message.type === "notice") onNotice(message.text);
    });
    socket.addEventListener("close", ({ code, reason }) => {
      if (isIn) onEnd(isByLobby(code) ? reason : null);
      else reject(new Error(reason || "The lobby cannot be reached. Try again in a moment."));
    });
  });

  function send(message) {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
  }
}

/** The lobby says why it ends a connection with these codes. Any other end is an accident, also one of a proxy. */
const isByLobby = (code) => code >= 4000 && code <= 4999;

/** A lobby on Foyer's own machine may be announced as 127.0.0.1; other machines reach it at the host of this page. */
function readAddress({ url }) {
  const address = new URL(url);
  if (["127.0.0.1", "localhost", "[::1]"].includes(address.hostname)) address.hostname = location.hostname;
  return address.href;
}
