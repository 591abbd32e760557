import type { NewLobby } from "../../src/matchmaker/commands.ts";

/** What a test or benchmark gives a new lobby where it does not matter: a field that is added to lobbies has its value here. */
export const anyLobby = {
  gameMode: "duel",
  region: "local",
  isExternal: false,
  isPrivate: false,
  isJoinable: true,
  takesOpenKeys: false,
  tags: {},
  heartbeatMs: 0,
  isMute: false,
  reconnectMs: 0,
  ports: null,
  lobbyConfig: null,
} as const satisfies Partial<NewLobby>;
