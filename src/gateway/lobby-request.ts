import { type ClientRequest, type IncomingMessage, request as sendHttp } from "node:http";
import { request as sendHttps } from "node:https";
import { answerHeadMaxBytes } from "../ground/limits.ts";
import type { LobbyTarget } from "../operations/routing/routes.ts";
import { type Forwarded, framingHeaders, type RawHeaders, toLobbyHeaders } from "./headers.ts";
import type { LobbyPath } from "./lobby-path.ts";

/** Proves to another node that a request comes from a node of the same installation. */
export type ProveNode = () => RawHeaders;

/**
 * A request to the lobby, or to the node that runs it, on a connection of its own. It is written from what was parsed,
 * so that the lobby and the gateway see the same request.
 */
export function openLobbyRequest(parts: {
  readonly request: IncomingMessage;
  readonly path: LobbyPath;
  readonly target: LobbyTarget;
  readonly forwarded: Omit<Forwarded, "prefix">;
  readonly isUpgrade: boolean;
  readonly proveNode: ProveNode;
}): ClientRequest {
  const { request, path, target, isUpgrade } = parts;
  const isNode = target.kind === "node";
  const headers = [
    ...toLobbyHeaders(request, { ...parts.forwarded, prefix: path.prefix }),
    ...(isNode ? parts.proveNode() : []),
    ...(isUpgrade ? ["connection", "Upgrade", "upgrade", "websocket"] : ["connection", "close"]),
    ...(isUpgrade ? [] : framingHeaders(request)),
  ];
  const options = {
    agent: false,
    method: request.method ?? "GET",
    path: isNode ? `${path.prefix}${path.rest}` : path.rest,
    // As node takes raw headers; its type knows only objects.
    headers: headers as unknown as Record<string, string>,
    maxHeaderSize: answerHeadMaxBytes,
    setHost: false,
    joinDuplicateHeaders: false,
  } as const;
  if (!isNode) return sendHttp({ ...options, host: target.host, port: target.port });
  const { protocol, hostname, port } = new URL(target.url);
  const host = hostname.replace(/^\[|\]$/g, "");
  const send = protocol === "https:" ? sendHttps : sendHttp;
  return send({ ...options, host, port: port || (protocol === "https:" ? 443 : 80) });
}
