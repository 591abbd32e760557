import type { ErrorOf } from "../../contract/define.ts";
import type { Operations } from "../../contract/index.ts";
import type { CommandOf, Refusal as EngineRefusal, Find, Idempotency, RefusalCode } from "../../matchmaker/commands.ts";
import type { Client } from "../callers.ts";
import { startObstacle } from "../capacity/start-refusal.ts";
import { createStartRoom, type StartRoom } from "../capacity/start-room.ts";
import { refuseBlocked } from "../cloud/blocks.ts";
import type { NamespaceConfig } from "../config-reader.ts";
import type { Context } from "../context.ts";
import type { Handlers } from "../handlers.ts";
import { isRefusal, type Refusal, refuse } from "../refusal.ts";
import { createFindReport } from "./find-report.ts";
import { noLobbyMessage, tooLarge } from "./find-summary.ts";
import { idempotencyOf } from "./idempotency.ts";
import { checkFindRequest, checkLobbyConfig, checkTags } from "./lobby-requests.ts";
import {
  checkChosenSize,
  checkModeTags,
  deployedVersion,
  gameModeOf,
  isStartable,
  newLobby,
  pairsOf,
  regionNotFound,
} from "./new-lobby.ts";
import { previewedLobby } from "./preview.ts";
import { answerEarlier, answerSeated, namespaceGone, seatRefusal } from "./seat-reply.ts";

type FindRequest = Parameters<Handlers["lobbies.find"]>[0];
type CreateRequest = Parameters<Handlers["lobbies.create"]>[0];
type CreateLobby = CommandOf<"createLobby">;
type FindRefusal = Refusal<ErrorOf<Operations["lobbies.find"]>>;
type CreateRefusal = Refusal<ErrorOf<Operations["lobbies.create"]>>;

/** find, join and create: everything that can be settled before the atomic step is settled here. */
export function seatingOperations(context: Context) {
  function newIds(count: number | null | undefined): string[] {
    const ids = [context.newId()];
    while (ids.length < (count ?? 1)) ids.push(context.newId());
    return ids;
  }

  /** The command, or why there can be none. `mayCreate` is asked only when a lobby could be made. */
  function planFind(
    config: NamespaceConfig,
    request: FindRequest,
    idempotency: Idempotency | null,
    mayCreate: () => boolean,
    room: StartRoom,
  ): Find | FindRefusal {
    const { body, client } = request;
    room.planAnew();
    const blocked = refuseBlocked(config, client, context.now());
    if (blocked) return blocked;
    const version = deployedVersion(config);
    if (isRefusal(version)) return version;
    const tags = body.tags ?? {};
    const maxPlayers = body.max_players ?? null;
    const modes = [];
    for (const name of body.game_modes) {
      const mode = gameModeOf(version, name);
      if (isRefusal(mode)) return mode;
      if (!mode.actions.find.enabled) {
        return refuse("MATCHMAKER_FIND_DISABLED", `The game mode ${name} does not allow find.`);
      }
      const fault = checkModeTags(name, mode, tags) ?? checkChosenSize(name, mode, maxPlayers);
      if (fault) return fault;
      modes.push([name, mode] as const);
    }
    const pairs = pairsOf(version, modes, body.regions ?? [], client.place);
    if (pairs.length === 0) return regionNotFound(body.game_modes, body.regions ?? []);

    const startable = pairs.filter((pair) => isStartable(version.config.game_modes[pair.gameMode]!));
    const command: Find = {
      type: "find",
      namespaceId: config.namespaceId,
      now: context.now(),
      revision: config.revision,
      clientId: client.id,
      pairs,
      tags,
      playerIds: newIds(body.party_size),
      create: null,
      createRefusal: "NO_AVAILABLE_LOBBIES",
      idempotency,
    };
    if (startable.length === 0 || body.prevent_auto_create_lobby) return command;
    const obstacles = startable.map((pair) => startObstacle(context, config.namespaceId, version.versionId, pair));
    const pair = startable.find((_, index) => obstacles[index] === null) ?? startable[0]!;
    const more = { isExternal: false, isPrivate: false, ports: null, lobbyConfig: null };
    const create = newLobby(context.newId(), version, pair, { tags, maxPlayers }, more);
    if (obstacles.every((obstacle) => obstacle !== null)) {
      const index = Math.max(
        0,
        obstacles.findIndex(({ isShortage }) => isShortage),
      );
      room.lacks(obstacles[index]!, startable[index]!.region);
      return { ...command, create, startRefusal: "START_FAILED" };
    }
    if (!mayCreate()) return { ...command, create, startRefusal: "API_RATE_LIMIT" };
    // Who only asks what would happen takes no room.
    if (!body.dry_run) room.hold(pair.region, create.lobbyId);
    return { ...command, create };
  }

  function planCreate(
    config: NamespaceConfig,
    { body, client }: CreateRequest,
    room: StartRoom,
  ): CreateLobby | CreateRefusal {
    room.planAnew();
    const blocked = refuseBlocked(config, client, context.now());
    if (blocked) return blocked;
    const version = deployedVersion(config);
    if (isRefusal(version)) return version;
    const mode = gameModeOf(version, body.game_mode);
    if (isRefusal(mode)) return mode;
    const { create } = mode.actions;
    if (!create.enabled || !isStartable(mode)) {
      const message = `The game mode ${body.game_mode} does not allow players to create lobbies.`;
      return refuse("MATCHMAKER_CREATE_DISABLED", message);
    }
    const publicity = body.publicity ?? (create.public ? "public" : "private");
    if (!create[publicity]) {
      const message = `The game mode ${body.game_mode} does not allow ${publicity} lobbies to be created.`;
      return refuse("MATCHMAKER_PUBLICITY_NOT_ALLOWED", message);
    }
    const tags = body.tags ?? {};
    const maxPlayers = body.max_players ?? null;
    const fault = checkModeTags(body.game_mode, mode, tags) ?? checkChosenSize(body.game_mode, mode, maxPlayers);
    if (fault) return fault;
    const regions = body.region === undefined || body.region === null ? [] : [body.region];
    const [pair] = pairsOf(version, [[body.game_mode, mode]], regions, client.place);
    if (!pair) return regionNotFound([body.game_mode], regions);
    const obstacle = startObstacle(context, config.namespaceId, version.versionId, pair);
    if (obstacle) {
      room.lacks(obstacle, pair.region);
      return obstacle.refusal;
    }

    const { lobby_config } = body;
    const lobbyConfig = lobby_config === undefined || lobby_config === null ? null : JSON.stringify(lobby_config);
    const more = { isExternal: false, isPrivate: publicity === "private", ports: null, lobbyConfig };
    const lobby = newLobby(context.newId(), version, pair, { tags, maxPlayers }, more);
    room.hold(pair.region, lobby.lobbyId);
    return {
      type: "createLobby",
      reason: "created",
      namespaceId: config.namespaceId,
      now: context.now(),
      revision: config.revision,
      lobby,
      clientId: client.id,
      playerIds: newIds(body.party_size),
      idempotency: null,
    };
  }

  return {
    "lobbies.find": async (request) => {
      const { caller, body, client, whenGone } = request;
      const { namespaceId } = caller;
      const fault = checkFindRequest(body);
      if (fault) return fault;
      const idempotency = idempotencyOf("find", request.idempotencyKey, body);
      if (isRefusal(idempotency)) return idempotency;

      const budget = createBudgetPlace(context, client);
      const report = createFindReport(body);
      const room = createStartRoom(context, namespaceId, { isPreview: body.dry_run ?? false });
      let isNewLobby = false;
      let planned: Find | null = null;
      const build = (mayCreate: () => boolean) => (config: NamespaceConfig) => {
        const plan = planFind(config, request, idempotency, mayCreate, room);
        planned = isRefusal(plan) ? null : plan;
        return report && !isRefusal(plan) ? report.planned(plan) : plan;
      };
      const refused = ({ code, explanation }: EngineRefusal) => {
        const unstartable = code === "START_FAILED" ? room.refusal() : null;
        const refusal = unstartable ?? findRefusal(code, budget.retryAfterS(), noLobbyMessage(body, planned));
        return report ? report.refused(refusal, code, explanation) : refusal;
      };

      if (body.dry_run) {
        // As the find itself would be refused; nothing is spent.
        const seats = context.seatBudget.take(client, body.party_size ?? 1);
        if (isRefusal(seats)) return seats;
        seats.settle(false);
        const ask = () => context.configs.previewFind(namespaceId, build(budget.hasRoom));
        let preview = await ask();
        // As the find itself would wait.
        const whenRoom = () => (codeOf(preview) === "START_FAILED" ? room.whenRoom() : null);
        for (let mayFit = whenRoom(); mayFit; mayFit = whenRoom()) {
          await mayFit;
          preview = await ask();
        }
        if (preview === null) return namespaceGone();
        if (isRefusal(preview)) return preview;
        if (!preview.ok) return refused(preview);
        const lobby = await previewedLobby(context, namespaceId, preview.lobby);
        return { lobby, would_create: preview.wouldCreate, ...report?.previewed(preview) };
      }

      const seating = { namespaceId, hasKey: idempotency !== null, client, whenGone };
      const seats = context.seatBudget.take(client, body.party_size ?? 1);
      if (isRefusal(seats)) return (await answerEarlier(context, seating, client, idempotency)) ?? seats;
      let areTaken = false;
      try {
        let outcome = await context.configs.execute("find", namespaceId, build(budget.hold));
        const whenRoom = () =>
          budget.whenRoom(outcome) ?? (codeOf(outcome) === "START_FAILED" ? room.whenRoom() : null);
        for (let mayFit = whenRoom(); mayFit; mayFit = whenRoom()) {
          await mayFit;
          outcome = await context.configs.execute("find", namespaceId, build(budget.hold));
        }
        if (outcome === null) return namespaceGone();
        if (isRefusal(outcome)) return (await answerEarlier(context, seating, client, idempotency)) ?? outcome;
        if (!outcome.ok) return refused(outcome);
        isNewLobby = outcome.isNewLobby;
        areTaken = !outcome.isReplay;
        if (!report) return answerSeated(context, seating, outcome);
        const explained = report.seated(outcome);
        return answerSeated(context, seating, outcome).then((answer) =>
          isRefusal(answer) ? answer : { ...answer, ...explained },
        );
      } finally {
        seats.settle(areTaken);
        budget.settle(isNewLobby);
        room.settle(isNewLobby);
      }
    },

    "lobbies.join": async (request) => {
      const { caller, body, client, whenGone } = request;
      const { namespaceId } = caller;
      const idempotency = idempotencyOf("join", request.idempotencyKey, body);
      if (isRefusal(idempotency)) return idempotency;
      const seating = { namespaceId, hasKey: idempotency !== null, client, whenGone };
      const seats = context.seatBudget.take(client, body.party_size ?? 1);
      if (isRefusal(seats)) return (await answerEarlier(context, seating, client, idempotency)) ?? seats;
      let areTaken = false;
      try {
        const outcome = await context.configs.execute("join", namespaceId, (config) => {
          const blocked = refuseBlocked(config, client, context.now());
          if (blocked) return blocked;
          return {
            type: "join",
            namespaceId,
            now: context.now(),
            revision: config.revision,
            clientId: client.id,
            lobbyId: body.lobby_id.toLowerCase(),
            playerIds: newIds(body.party_size),
            idempotency,
          } satisfies CommandOf<"join">;
        });
        if (outcome === null) return namespaceGone();
        if (isRefusal(outcome)) return outcome;
        if (!outcome.ok)
          return seatRefusal(outcome.code, joinRefusals, joinMessages(body.lobby_id, body.party_size ?? 1));
        areTaken = !outcome.isReplay;
        return answerSeated(context, seating, outcome);
      } finally {
        seats.settle(areTaken);
      }
    },

    "lobbies.create": async (request) => {
      const { caller, body, client, whenGone } = request;
      const { namespaceId } = caller;
      const fault = checkTags(body.tags) ?? checkLobbyConfig(body.lobby_config);
      if (fault) return fault;
      const idempotency = idempotencyOf("create", request.idempotencyKey, body);
      if (isRefusal(idempotency)) return idempotency;
      const seating = { namespaceId, hasKey: idempotency !== null, client, whenGone };
      const seats = context.seatBudget.take(client, body.party_size ?? 1);
      if (isRefusal(seats)) return (await answerEarlier(context, seating, client, idempotency)) ?? seats;
      const room = createStartRoom(context, namespaceId);
      let isNewLobby = false;
      let areTaken = false;
      const execute = () =>
        context.configs.execute("createLobby", namespaceId, (config) => {
          const plan = planCreate(config, request, room);
          return isRefusal(plan) ? plan : { ...plan, idempotency };
        });
      try {
        let outcome = await execute();
        while (isRefusal(outcome)) {
          // Room is for another lobby: a retry whose lobby was made does not wait for it.
          const earlier = await answerEarlier(context, seating, client, idempotency);
          if (earlier) return earlier;
          const mayFit = room.whenRoom();
          if (!mayFit) return room.refusal() ?? outcome;
          await mayFit;
          outcome = await execute();
        }
        if (outcome === null) return namespaceGone();
        if (!outcome.ok) {
          const NO_AVAILABLE_LOBBIES = `No lobby is created: ${tooLarge(body.party_size ?? 1)}.`;
          return seatRefusal(outcome.code, newLobbyRefusals, { NO_AVAILABLE_LOBBIES });
        }
        isNewLobby = outcome.isNewLobby;
        areTaken = !outcome.isReplay;
        return answerSeated(context, seating, outcome);
      } finally {
        seats.settle(areTaken);
        room.settle(isNewLobby);
      }
    },
  } satisfies Partial<Handlers>;
}

const newLobbyRefusals = [
  "NO_AVAILABLE_LOBBIES",
  "TOO_MANY_LOBBIES",
  "TOO_MANY_PLAYERS_FROM_SOURCE",
  "IDEMPOTENCY_KEY_REUSED",
] as const;

const joinRefusals = [
  "LOBBY_NOT_FOUND",
  "LOBBY_STOPPED",
  "LOBBY_FULL",
  "JOIN_DISABLED",
  "TOO_MANY_PLAYERS_FROM_SOURCE",
  "IDEMPOTENCY_KEY_REUSED",
] as const;

function joinMessages(lobbyId: string, seats: number) {
  const lobby = `Lobby ${lobbyId.toLowerCase()}`;
  return {
    LOBBY_NOT_FOUND: `${lobby} is not in this namespace, or has been gone for a while.`,
    LOBBY_STOPPED: `${lobby} has stopped.`,
    LOBBY_FULL:
      seats === 1 ? `${lobby} has no free seat.` : `${lobby} does not have ${seats} free seats for this party.`,
    JOIN_DISABLED: `The game mode of lobby ${lobbyId.toLowerCase()} does not allow join.`,
  };
}

function findRefusal(code: RefusalCode, retryAfterS: number, NO_AVAILABLE_LOBBIES: string) {
  if (code === "API_RATE_LIMIT") {
    const message = "This client's finds have caused as many new lobbies as they may in a minute.";
    return refuse("API_RATE_LIMIT", message, { retryAfterS });
  }
  return seatRefusal(code, newLobbyRefusals, { NO_AVAILABLE_LOBBIES });
}

function codeOf(outcome: object | null): unknown {
  return outcome !== null && "code" in outcome ? outcome.code : null;
}

/** One find's place in its client's budget. Direct loopback requests have no budget, as they have no rate limits. */
function createBudgetPlace({ creationBudget, now }: Context, client: Client) {
  let isHeld = false;
  let retryAfterS = 0;
  return {
    hold(): boolean {
      if (!client.isLimited || isHeld) return true;
      retryAfterS = creationBudget.hold(client, now());
      isHeld = retryAfterS === 0;
      return isHeld;
    },
    /** Looks without holding: whoever only asks must not be in the way of another find. */
    hasRoom(): boolean {
      if (!client.isLimited) return true;
      retryAfterS = creationBudget.hold(client, now());
      if (retryAfterS === 0) creationBudget.settle(client, false, now());
      return retryAfterS === 0;
    },
    /** A place that this client's other finds only hold may come free: worth waiting for. Null: it is not about that. */
    whenRoom(outcome: object | null): Promise<unknown> | null {
      return codeOf(outcome) === "API_RATE_LIMIT" ? creationBudget.whenFree(client, now()) : null;
    },
    settle(isUsed: boolean): void {
      if (isHeld) creationBudget.settle(client, isUsed, now());
    },
    retryAfterS: () => retryAfterS,
  };
}
