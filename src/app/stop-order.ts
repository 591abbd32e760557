/** How the service ends. */
interface Ending {
  /** Whether its lobbies have ended too. */
  readonly haveLobbiesEnded: boolean;
}

/** Closes what was opened, in reverse order, at the end of the service or when a later step of the start fails. */
export interface StopOrder {
  add(close: (ending: Ending) => Promise<unknown> | unknown): void;
  /** Closes the rest even if one step fails. */
  closeAll(ending: Ending): Promise<void>;
}

export function createStopOrder(): StopOrder {
  const opened: Parameters<StopOrder["add"]>[0][] = [];
  return {
    add(close) {
      opened.push(close);
    },
    async closeAll(ending) {
      const errors: unknown[] = [];
      for (let close = opened.pop(); close; close = opened.pop()) {
        try {
          await close(ending);
        } catch (error) {
          errors.push(error);
        }
      }
      if (errors.length > 0) throw errors[0];
    },
  };
}
