/** For a game without a page: takes a seat, connects, sends the player token, and shows what the server sends. */
export const testPage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Try your lobby</title>
<style>
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { max-width: 42rem; margin: 2rem auto; padding: 0 1rem; }
  #log { white-space: pre-wrap; overflow-wrap: anywhere; border: 1px solid #8886; border-radius: 8px; padding: 1rem; min-height: 12rem; }
  form { display: flex; gap: .5rem; margin-top: 1rem; }
  input { flex: 1; font: inherit; padding: .5rem; }
  button { font: inherit; padding: .5rem 1rem; }
</style>
<h1>Try your lobby</h1>
<p>This page finds a lobby, connects to its WebSocket, and sends the player token first. Open it twice for two players.</p>
<div id="log" role="log" aria-live="polite"></div>
<form><input id="text" aria-label="Message" autocomplete="off" placeholder="A message to your server"><button>Send</button></form>
<script type="module">
  const say = (text) => { log.textContent += text + "\\n"; };
  const { endpoint, token, game_mode } = await (await fetch("/foyer.json")).json();
  const headers = { authorization: "Bearer " + token, "content-type": "application/json" };
  const post = (path, body) => fetch(endpoint + path, { method: "POST", headers, body: JSON.stringify(body) });
  let socket;
  async function takeSeat() {
    const kept = sessionStorage.getItem("seat");
    const back = kept && await post("/matchmaker/players/resume", { player_token: kept });
    const answer = back?.ok ? back : await post("/matchmaker/lobbies/find", { game_modes: [game_mode] });
    const json = await answer.json();
    if (answer.ok) return json;
    say(json.code + ": " + json.message);
    return null;
  }
  async function play() {
    say("Looking for a seat …");
    const seat = await takeSeat();
    if (seat === null) return setTimeout(play, 3000);
    sessionStorage.setItem("seat", seat.player.token);
    const port = Object.values(seat.ports)[0];
    socket = new WebSocket(port.url ?? "ws://" + port.hostname + ":" + port.port);
    socket.onopen = () => { say("Connected to lobby " + seat.lobby.lobby_id + "."); socket.send(seat.player.token); };
    socket.onmessage = async ({ data }) => say("< " + (typeof data === "string" ? data : await data.text()));
    socket.onclose = ({ code, reason }) => { say("Disconnected (" + code + (reason && ", " + reason) + ")."); setTimeout(play, 1000); };
  }
  document.forms[0].onsubmit = (event) => {
    event.preventDefault();
    if (socket?.readyState === 1) { socket.send(text.value); say("> " + text.value); text.value = ""; }
  };
  play();
</script>
</html>
`;
