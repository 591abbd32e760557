/** The token of this tab, if the user asked to keep it. Session storage ends with the tab; nothing is kept longer. */
export interface KeptToken {
  read(): string | null;
  keep(token: string): void;
  forget(): void;
}

const name = "foyer-token";

export function keptTokenOf(storage: Storage): KeptToken {
  return {
    read: () => storage.getItem(name),
    keep: (token) => storage.setItem(name, token),
    forget: () => storage.removeItem(name),
  };
}
