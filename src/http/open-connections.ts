import type { Connection } from "./exchange.ts";

/** The connections that are open now, in no order. */
export interface OpenConnections {
  add(connection: Connection): void;
  delete(connection: Connection): void;
  /** Do not keep it: it changes with the next connection. */
  all(): readonly Connection[];
}

/**
 * It is an array, not a set: a set that things are added to and deleted from makes itself a new table every few changes. Each
 * old table refers to the next one and to what was in it, and once one of them is old, a minor collection keeps all that follow,
 * with the sockets in them (docs/decisions/0018).
 */
export function createOpenConnections(): OpenConnections {
  const open: Connection[] = [];
  return {
    add(connection) {
      connection.place = open.length;
      open.push(connection);
    },
    delete(connection) {
      const last = open.pop();
      if (last === undefined || last === connection) return;
      open[connection.place] = last;
      last.place = connection.place;
    },
    all: () => open,
  };
}
