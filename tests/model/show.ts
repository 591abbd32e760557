import { isDeepStrictEqual } from "node:util";
import type { Engine } from "../../src/engine/engine.ts";
import type { Answer, FindRequest, Pair, PlayerView } from "../../src/matchmaker/commands.ts";
import type { Seen } from "./auditor.ts";
import { nextDueAt, withNextDue } from "./due.ts";
import {
  expiresAt,
  isDeployed,
  isLiving,
  isTaken,
  type Model,
  type ModelLobby,
  missingOf,
  takenIn,
  viewOf,
} from "./model.ts";
import { chooseFor } from "./rules.ts";

/** Asks the engine everything there is to ask about a namespace, and says where the model would answer otherwise. */
export async function show(
  engine: Engine,
  model: Model,
  now: number,
  isThorough: boolean,
): Promise<{ seen: Seen; violations: string[] }> {
  const violations: string[] = [];
  const compare = (name: string, shown: unknown, wanted: unknown) => {
    if (isDeepStrictEqual(shown, wanted)) return;
    violations.push(`${name}: ${JSON.stringify(shown)} is shown instead of ${JSON.stringify(wanted)}`);
  };
  const base = { namespaceId: model.namespaceId, now };
  const counts = await engine.read({ type: "counts", ...base });
  compare("counts", counts, withNextDue(model, counts, countsOf(model)));
  const all = await engine.read({ type: "listAllLobbies", ...base, includeStopped: true, after: null, limit: 1e6 });
  const byLobbyId = (a: ModelLobby, b: ModelLobby) => (a.made.lobbyId < b.made.lobbyId ? -1 : 1);
  compare(
    "lobbies",
    all.lobbies,
    model.lobbies
      .slice()
      .sort(byLobbyId)
      .map((lobby) => viewOf(model, lobby)),
  );
  const players = new Map<string, readonly PlayerView[]>();
  const living = model.lobbies.filter(isLiving);
  const shownPlayers = await Promise.all(
    living.map(({ made: { lobbyId } }) => engine.read({ type: "players", ...base, lobbyId })),
  );
  for (const [at, lobby] of living.entries()) {
    const { lobbyId } = lobby.made;
    compare(`players of ${lobbyId}`, shownPlayers[at], playersOf(model, lobby));
    players.set(lobbyId, shownPlayers[at]!);
  }
  if (isThorough) {
    compare("statistics", await engine.read({ type: "statistics", ...base }), statisticsOf(model));
    for (const playerKey of ["anna", "ben", "ann"]) {
      const query = {
        type: "listAllLobbies",
        ...base,
        includeStopped: false,
        playerKey,
        after: null,
        limit: 2,
      } as const;
      const found = await engine.read(query);
      const wanted = model.lobbies
        .filter((lobby) => takenIn(model, lobby).some((seat) => seat.playerKey === playerKey))
        .sort(byLobbyId)
        .map((lobby) => viewOf(model, lobby));
      compare(`lobbies with ${playerKey}`, found.lobbies, wanted.slice(0, 2));
      compare(`next with ${playerKey}`, found.next, wanted.length > 2 ? wanted[1]!.lobbyId : null);
    }
    compare("missing", await engine.read({ type: "missingIdle", ...base }), missingIdleOf(model));
    compare(
      "list",
      await publicList(engine, base),
      publicListOf(model).map((lobby) => viewOf(model, lobby)),
    );
    const revision = model.configuration?.revision ?? 0;
    for (const request of previews) {
      const shown = await engine.read({ type: "previewFind", ...base, revision, ...request });
      compare("preview", shown, previewOf(model, request));
    }
  }
  return { seen: { lobbies: all.lobbies, players, counts }, violations };
}

const previews: readonly FindRequest[] = [
  { gameMode: "duel", region: "local" },
  { gameMode: "royale", region: "far" },
].map((pair) => ({
  clientId: "192.0.2.9",
  pairs: [pair],
  tags: {},
  playerIds: ["a"],
  create: null,
  createRefusal: "NO_AVAILABLE_LOBBIES",
}));

function countsOf(model: Model): Answer<"counts"> {
  const seats = (status: string) => model.seats.filter((seat) => seat.status === status).length;
  const lobbies = (status: string) => model.lobbies.filter((lobby) => lobby.status === status).length;
  const { configuration } = model;
  return {
    revision: configuration?.removedAt === null ? configuration.revision : null,
    starting: lobbies("starting"),
    ready: lobbies("ready"),
    reserved: seats("reserved"),
    connected: seats("connected"),
    held: seats("held"),
    nextDueAt: nextDueAt(model),
  };
}

function playersOf(model: Model, lobby: ModelLobby): PlayerView[] {
  return takenIn(model, lobby)
    .sort((a, b) => a.reservedAt - b.reservedAt || (a.playerId < b.playerId ? -1 : 1))
    .map((seat) => {
      const { hasMissedOne: _, endedAt: __, heldAt: ___, ...shown } = seat;
      return { ...shown, expiresAt: expiresAt(model, seat) };
    });
}

function statisticsOf(model: Model): Answer<"statistics"> {
  const pairs = new Map<string, Pair & { playerCount: number }>();
  for (const { made, ...lobby } of model.lobbies) {
    const playerCount = takenIn(model, { made, ...lobby }).length;
    const name = `${made.gameMode}/${made.region}`;
    const before = pairs.get(name)?.playerCount ?? 0;
    if (playerCount > 0) {
      pairs.set(name, { gameMode: made.gameMode, region: made.region, playerCount: before + playerCount });
    }
  }
  const names = [...pairs.keys()].sort();
  return { playerCount: model.seats.filter(isTaken).length, pairs: names.map((name) => pairs.get(name)!) };
}

function missingIdleOf(model: Model): Answer<"missingIdle"> {
  const { configuration } = model;
  if (configuration?.removedAt !== null) return [];
  let room = configuration.limits.lobbyCountMax - model.lobbies.filter(isLiving).length;
  return configuration.idleMinimums
    .map(({ gameMode, region }) => {
      const missing = Math.max(0, Math.min(room, missingOf(model, gameMode, region)));
      room -= missing;
      return { gameMode, region, missing };
    })
    .filter(({ missing }) => missing > 0);
}

/** Page by page, to see that nothing is missed or doubled at the borders. */
async function publicList(engine: Engine, base: { namespaceId: string; now: number }) {
  const query = { type: "listLobbies", ...base, gameModes: ["royale", "duel"], region: null, limit: 2 } as const;
  const pages: Answer<"listLobbies">["lobbies"][number][] = [];
  for (let after: Answer<"listLobbies">["next"] = null; ; ) {
    const page: Answer<"listLobbies"> = await engine.read({ ...query, after });
    pages.push(...page.lobbies);
    if (page.next === null) return pages;
    after = page.next;
  }
}

function publicListOf(model: Model): ModelLobby[] {
  const place = ({ made }: ModelLobby) => `${made.gameMode}/${made.region}/${made.lobbyId}`;
  return model.lobbies
    .filter((lobby) => lobby.status === "ready" && isDeployed(model, lobby))
    .filter((lobby) => !lobby.made.isPrivate && lobby.silentSince === null)
    .sort((a, b) => (place(a) < place(b) ? -1 : 1));
}

function previewOf(model: Model, request: FindRequest): Answer<"previewFind"> {
  const { configuration } = model;
  if (configuration?.removedAt !== null) return { ok: false, code: "STALE_REVISION" };
  const choice = chooseFor(model, configuration, request);
  if ("ok" in choice) return choice;
  return "made" in choice
    ? { ok: true, lobby: viewOf(model, choice), wouldCreate: false }
    : { ok: true, lobby: null, wouldCreate: true };
}
