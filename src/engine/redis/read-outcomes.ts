import type {
  CommandOf,
  CommandType,
  Find,
  FindRequest,
  InsidePlayer,
  Outcome,
  Refusal,
  RefusalCode,
  Seated,
  SeatedKey,
} from "../../matchmaker/commands.ts";
import { accept, refuse } from "../../matchmaker/outcome.ts";
import { readExplanation, type WrittenGathering } from "./read-explanation.ts";
import { parseTime, readKey, readView, type WrittenView } from "./read-views.ts";

/** Reads the answers of scripts to commands. The casts are safe: only Foyer's own scripts write these. */
export type WrittenAnswer = readonly [
  "OK" | "NO" | "MORE" | "LATE" | "EARLY" | "DEAF" | "GONE" | "ERROR",
  ...unknown[],
];

export function readOutcome<T extends CommandType>(command: CommandOf<T>, written: WrittenAnswer): Outcome<T> {
  if (written[0] === "NO") return readRefusal(written, command.type === "find" ? (command as Find) : null);
  const read: Reader<T> = readers[command.type as T];
  return read(written as Accepted, command);
}

export function readRefusal(written: WrittenAnswer, request: FindRequest | null): Refusal {
  const [, code, gathered, seated] = written as readonly ["NO", RefusalCode, WrittenGathering?, string[]?];
  if (seated !== undefined) return { ...refuse(code), seated: seated.map(readSeatedKey) };
  if (gathered === undefined || request === null) return refuse(code);
  return { ...refuse(code), explanation: readExplanation(gathered, request) };
}

function readSeatedKey(text: string): SeatedKey {
  const [index, lobbyId = ""] = text.split(" ");
  return { index: Number(index), lobbyId };
}

type Accepted = readonly ["OK", ...string[]];
type Reader<T extends CommandType> = (written: Accepted, command: CommandOf<T>) => Outcome<T>;

const readers: { readonly [T in CommandType]: Reader<T> } = {
  configure: ([, isApplied]) => accept({ isApplied: isApplied === "1" }),
  find: (written, command) => accept(readSeated(written, command)),
  join: (written, command) => accept(readSeated(written, command)),
  createLobby: (written, command) => accept(readSeated(written, command)),
  setReady: readChanged,
  setClosed: readChanged,
  setOperatorClosed: readChanged,
  closeRegistered: ([, next]) => accept({ next: next === undefined || next === "" ? null : next }),
  endSeats: ([, ended, next]) =>
    accept({ ended: Number(ended), next: next === undefined || next === "" ? null : next }),
  setState: () => accept({}),
  setPorts: () => accept({}),
  placeLobby: readChanged,
  heartbeat: ([, isClosed, isOutdated, connectedIds, isClosedByOperator, heldIds, heartbeatMs, reconnectMs, keys]) =>
    accept({
      players: showKeys(readInside(connectedIds, heldIds), keys),
      isClosed: isClosed === "1",
      isClosedByOperator: isClosedByOperator === "1",
      isOutdated: isOutdated === "1",
      heartbeatMs: Number(heartbeatMs),
      reconnectMs: Number(reconnectMs),
    }),
  stopLobby: () => accept({}),
  connectPlayer: ([, isReturn, key]) => accept({ isReturn: isReturn === "1", ...readKey(key) }),
  disconnectPlayer: readChanged,
  releaseSeats: ([, released]) => accept({ released: Number(released) }),
  releasePlayer: readChanged,
  expire: ([, nextDueAt]) => accept({ nextDueAt: parseTime(nextDueAt) }),
  restarted: () => accept({}),
  removeNamespace: () => accept({}),
};

/** Ids and keys in turn; nothing, if no player has one. */
function showKeys(players: InsidePlayer[], text: string | undefined): InsidePlayer[] {
  if (text === undefined || text === "") return players;
  const parts = text.split(" ");
  const keys = new Map<string, string>();
  for (let at = 0; at < parts.length; at += 2) keys.set(parts[at]!, parts[at + 1]!);
  return players.map((player) => ({ ...player, ...readKey(keys.get(player.playerId)) }));
}

function readChanged([, isChanged]: Accepted) {
  return accept({ isChanged: isChanged === "1" });
}

function readSeated(written: readonly unknown[], command: CommandOf<"find" | "join" | "createLobby">): Seated {
  const [, isNew, replay, keptIds, view, gathered] = written as unknown as readonly [
    ok: "OK",
    isNew: string,
    isReplay: string,
    playerIds: string,
    view: WrittenView,
    gathered?: WrittenGathering,
  ];
  const isReplay = replay === "1";
  const playerIds = isReplay ? splitIds(keptIds) : command.playerIds;
  const seated = { lobby: readView(view), playerIds, isNewLobby: isNew === "1", isReplay };
  return gathered === undefined ? seated : { ...seated, explanation: readExplanation(gathered, command as Find) };
}

/** Both are in order; together they are again. */
function readInside(connectedIds: string | undefined, heldIds: string | undefined): InsidePlayer[] {
  const connected = splitIds(connectedIds).map((playerId) => ({ playerId, isHeld: false }));
  if (heldIds === undefined || heldIds === "") return connected;
  const held = splitIds(heldIds).map((playerId) => ({ playerId, isHeld: true }));
  return [...connected, ...held].sort((a, b) => (a.playerId < b.playerId ? -1 : 1));
}

/** Ids have no space. */
function splitIds(text: string | undefined): string[] {
  return text === undefined || text === "" ? [] : text.split(" ");
}
