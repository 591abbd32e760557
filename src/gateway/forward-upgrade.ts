import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { refuse } from "../operations/refusal.ts";
import { type Exchange, type ForwardParts, guarded, passAnswer, startRequest } from "./forward-request.ts";
import { toHandshakeHeaders } from "./headers.ts";

/** Passes a WebSocket handshake on to the lobby, and then every byte in both directions. */
export function forwardUpgrade(parts: ForwardParts & { readonly socket: Socket }): Exchange {
  const { socket, response } = parts;
  const sent = startRequest(parts, true);
  let lobby: Socket | null = null;
  const giveBack = readEarly(socket);
  sent.end();
  const take = (answer: IncomingMessage, opened: Socket, head: Buffer): void => {
    opened.on("error", () => opened.destroy());
    lobby = opened;
    if (socket.destroyed) return void opened.destroy();
    if (answer.headers.upgrade?.toLowerCase() !== "websocket") {
      opened.destroy();
      const message = "The lobby answered the WebSocket handshake with another protocol.";
      parts.refuse(refuse("API_LOBBY_UNREACHABLE", message));
      return;
    }
    response.detachSocket(socket);
    if (head.length > 0) opened.unshift(head);
    giveBack();
    join(socket, opened, answer, parts.idleMs);
  };
  sent.once("upgrade", guarded(parts, take));
  // The lobby refuses the handshake, and says why.
  sent.once(
    "response",
    guarded(parts, (answer: IncomingMessage) => passAnswer(parts, answer)),
  );
  socket.once("close", () => {
    sent.destroy();
    lobby?.destroy();
  });
  return {
    close() {
      sent.destroy();
      lobby?.destroy();
      socket.destroy();
    },
    onClose: (listener) => void socket.once("close", listener),
  };
}

/** A client waits for the answer to its handshake, so this is more than it sends before. */
const earlyMaxBytes = 64 * 1024;

/** Reads what the client sends before the lobby answers: only who reads notices that the client has left. */
function readEarly(client: Socket): () => void {
  const pieces: Buffer[] = [];
  let bytes = 0;
  const leave = () => void client.destroy();
  const keep = (piece: Buffer) => {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes > earlyMaxBytes) leave();
  };
  client.on("data", keep).on("end", leave);
  if (client.readableEnded) leave();
  return () => {
    client.off("data", keep).off("end", leave).pause();
    if (bytes > 0) client.unshift(Buffer.concat(pieces));
  };
}

function join(client: Socket, lobby: Socket, handshake: IncomingMessage, idleMs: number): void {
  // As Node reads and writes heads.
  client.write(handshakeText(handshake), "latin1");
  client.setNoDelay(true);
  // Every byte in either direction passes through the client's socket.
  client.setTimeout(idleMs, () => client.destroy());
  lobby.setTimeout(0);
  lobby.once("close", () => endSoon(client));
  // A pipeline would end the client before it has what the lobby sent last.
  client.pipe(lobby);
  lobby.pipe(client);
}

const lastBytesMs = 2_000;

/** The client gets what the lobby sent before it closed, if it reads it soon. */
function endSoon(client: Socket): void {
  if (client.destroyed) return;
  client.destroySoon();
  setTimeout(() => client.destroy(), lastBytesMs).unref();
}

function handshakeText(handshake: IncomingMessage): string {
  const headers = toHandshakeHeaders(handshake);
  let text = "HTTP/1.1 101 Switching Protocols\r\n";
  for (let i = 0; i < headers.length; i += 2) text += `${headers[i]}: ${headers[i + 1]}\r\n`;
  return `${text}\r\n`;
}
