/**
 * Rows of lobbies before format 3: several flags shared one number. They stay as they are in a journal until their lobby
 * changes. New fields do not concern this file.
 */

/** A record as the journal gives it: the format's number, then the facts. */
export type Row = readonly unknown[];

/** The order of layouts 1 and 2; the first one ended with `exit`. */
const oldOrder = [
  ...["versionId", "gameMode", "region", "maxPlayers", "maxPlayersDirect", "flags", "tags", "readyMs", "reservationMs"],
  ...["heartbeatMs", "emptyMs", "ports", "lobbyConfig", "state", "createReason", "createdBy", "createdAt", "status"],
  ...["readyAt", "silentSince", "emptySince", "stoppedAt", "stopReason", "exit", "peakBefore", "nodeId"],
];

/** The order of format 3. */
const newOrder = [
  ...["versionId", "gameMode", "region", "maxPlayers", "maxPlayersDirect", "isExternal", "isPrivate", "isJoinable"],
  ...["tags", "readyMs", "reservationMs", "heartbeatMs", "emptyMs", "lobbyConfig", "createReason", "createdBy"],
  ...["createdAt", "ports", "state", "exit", "nodeId", "status", "isClosed", "operatorClose", "readyAt", "silentSince"],
  ...["emptySince", "peakBefore", "stoppedAt", "stopReason"],
];

/** A row of format 3 or later is given back as it is, and so is one that is neither of these. */
export function upgradeLobbyRow(row: Row): Row {
  const isOld = (row[0] === 1 && row.length === 25) || (row[0] === 2 && row.length === 27);
  if (!isOld) return row;
  const facts = Object.fromEntries(oldOrder.map((name, at) => [name, row[at + 1]]));
  const flags = Number(facts.flags);
  const bit = (value: number) => ((flags & value) === 0 ? 0 : 1);
  Object.assign(facts, { isExternal: bit(1), isPrivate: bit(2), isClosed: bit(4), isJoinable: bit(8) });
  facts.operatorClose = bit(16) ? "operator" : bit(32) ? "token_revoked" : null;
  facts.peakBefore ??= 0;
  facts.nodeId ??= null;
  return [3, ...newOrder.map((name) => facts[name])];
}
