import type { Server } from "node:http";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { createServer as createTlsServer, type TLSSocket } from "node:tls";
import { connectionQueueMax } from "../ground/limits.ts";
import type { Logger } from "../ground/log.ts";
import { createTlsFileCheck, readTlsPair, type TlsFiles, type TlsPair } from "../ground/tls-files.ts";

export interface TlsListener {
  /** Returns the port. */
  listen(host: string, port: number): Promise<number>;
  /** Reads the files again if they have changed. It is also done every few seconds. */
  checkFiles(): void;
  /** Accepts no more connections, and closes those whose handshake is not done. The others belong to the HTTP server. */
  close(): void;
}

const handshakeMs = 10_000;
const checkFilesEveryMs = 2_000;
const warnDaysBefore = 7;
const dayMs = 24 * 60 * 60_000;

/**
 * Accepts TLS connections, and gives each one to the HTTP server when its handshake is done. So all connections are
 * handled and limited in one place, encrypted or not.
 */
export function createTlsListener(parts: {
  files: TlsFiles;
  server: Server;
  log: Logger;
  now(): number;
  readonly handshakeTimeoutMs?: number;
  /** Counts a connection until its handshake is done, which ends with the function it returns; null: its client has too many of them. */
  countHandshake(socket: Socket): (() => void) | null;
}): TlsListener {
  const { files, server, log } = parts;
  /** By the client's address and port: the socket of a handshake is another object afterwards. */
  const handshakes = new Map<string, Handshake>();
  const first = readTlsPair(files);
  const listener = createServer({ noDelay: true });
  const secure = createTlsServer({
    ...first.options,
    ALPNProtocols: ["http/1.1"],
    handshakeTimeout: parts.handshakeTimeoutMs ?? handshakeMs,
  });

  listener.on("connection", (socket: Socket) => {
    const counted = parts.countHandshake(socket);
    if (counted === null) return void socket.destroy();
    const peer = peerName(socket);
    const handshake = { socket, end: once(counted) };
    handshakes.set(peer, handshake);
    socket.once("close", () => {
      handshake.end();
      if (handshakes.get(peer) === handshake) handshakes.delete(peer);
    });
    secure.emit("connection", socket);
  });
  secure.on("secureConnection", (socket: TLSSocket) => {
    const peer = peerName(socket);
    handshakes.get(peer)?.end();
    handshakes.delete(peer);
    server.emit("connection", socket);
  });

  secure.on("tlsClientError", (error, socket) => {
    log.debug({ err: error }, "a TLS handshake failed");
    socket.destroy();
  });
  // Out of descriptors, for example: reported together with those of the HTTP server.
  listener.on("error", (error) => {
    if (listener.listening) server.emit("error", error);
  });

  const certificate = followFiles(parts, first, (options) => secure.setSecureContext(options));

  return {
    listen: (host, port) =>
      new Promise((resolve, reject) => {
        listener.once("error", reject);
        listener.listen({ host, port, backlog: connectionQueueMax }, () => {
          listener.off("error", reject);
          resolve((listener.address() as AddressInfo).port);
        });
      }),
    checkFiles: certificate.check,
    close() {
      certificate.stop();
      listener.close();
      for (const { socket } of handshakes.values()) socket.destroy();
    },
  };
}

/** Uses new files when they come, and warns before the certificate ends. */
function followFiles(
  { files, log, now }: { files: TlsFiles; log: Logger; now(): number },
  first: TlsPair,
  use: (options: TlsPair["options"]) => void,
) {
  function warnIfEnding({ validTo }: TlsPair): void {
    const days = Math.floor((validTo.getTime() - now()) / dayMs);
    const state = days < 0 ? "has ended" : `ends in ${days} days`;
    if (days < warnDaysBefore) log.warn(`The certificate in ${files.cert} (tls_cert) ${state}: renew it.`);
  }

  const check = createTlsFileCheck(files, (pair) => {
    if (pair instanceof Error) {
      log.error(`${pair.message} Foyer keeps the certificate that it has. Replace both files by a pair that fits.`);
      return;
    }
    use(pair.options);
    log.info({ valid_to: pair.validTo.toISOString() }, "read the new TLS certificate");
    warnIfEnding(pair);
  });
  warnIfEnding(first);
  const timer = setInterval(check, checkFilesEveryMs).unref();
  return { check, stop: () => clearInterval(timer) };
}

interface Handshake {
  readonly socket: Socket;
  end(): void;
}

function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) work();
    isDone = true;
  };
}

const peerName = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`;
