import type { IncomingMessage } from "node:http";
import { isRefusal, type Refusal, refuse } from "../operations/refusal.ts";
import type { LobbyRoute, Routes } from "../operations/routing/routes.ts";
import type { Holder } from "./bounds.ts";
import type { Forwarded } from "./headers.ts";
import { type LobbyPath, parseLobbyPath } from "./lobby-path.ts";

/** What the service's own checks say about a request. */
export interface Admission extends Holder {
  readonly forwarded: Omit<Forwarded, "prefix">;
  /** It came from this machine without a proxy. */
  readonly isLocal: boolean;
  /** The host of the request is none that this process knows; the service of the lobby may. */
  readonly wrongHost: Refusal | null;
  /** Another node of the installation passed it on. */
  readonly isPassedOn: boolean;
}

/** The checks that every request of the service passes: host, headers, stopping, limits of the address. */
export type CheckEdge = (request: IncomingMessage) => Admission | Refusal;

/** A request that may go to a lobby. */
export interface Admitted {
  readonly admission: Admission;
  readonly path: LobbyPath;
  readonly route: LobbyRoute;
}

/** From a request to the port it goes to, or the refusal of the first check that it fails. */
export async function admitRequest(
  checkEdge: CheckEdge,
  routes: Routes,
  request: IncomingMessage,
  isUpgrade: boolean,
): Promise<Admitted | Refusal> {
  const admission = checkEdge(request);
  if (isRefusal(admission)) return admission;
  const path = parseLobbyPath(request.url ?? "");
  if (path === null) return refuse("API_NOT_FOUND", "This is not the path of a lobby: /lobby/<lobby_id>/<label>.");
  if (request.method === "TRACE") return refuse("API_METHOD_NOT_ALLOWED", "TRACE is not allowed for this path.");
  if (/^\s*script\s*$/i.test(String(request.headers["service-worker"] ?? ""))) {
    const message = "Pages of lobbies cannot install service workers: they would control other pages of this origin.";
    return refuse("TOKEN_FORBIDDEN", message);
  }
  const route = await routes.find(path.lobbyId, path.label);
  if (isRefusal(route)) return route;
  if (admission.wrongHost !== null && !route.hosts?.includes(hostOf(request))) return admission.wrongHost;
  if (admission.isPassedOn && route.target.kind === "node") {
    return refuse("API_LOBBY_UNREACHABLE", "The lobby is not on the node that the request was passed to.");
  }
  const { client, isLocal } = admission;
  const refusal = await routes.admit(route, { client, origin: request.headers.origin, isLocal });
  if (refusal !== null) return refusal;
  if (route.protocol === "ws" && !isUpgrade) {
    return refuse("API_UPGRADE_REQUIRED", "This port speaks WebSocket only. Connect with a WebSocket client.");
  }
  return { admission, path, route };
}

function hostOf({ headers: { host = "" } }: IncomingMessage): string {
  return host.replace(/:\d+$/, "").toLowerCase();
}
