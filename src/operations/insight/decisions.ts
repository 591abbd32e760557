/** What a caller asked for, cut to what operators need. Never an address, key, token, code or lobby_config. */
export interface DecisionAsked {
  readonly game_modes?: string[];
  readonly regions?: string[];
  readonly tags?: Record<string, string>;
  readonly seats: number;
  readonly max_players?: number;
  readonly version?: string;
  readonly lobby_id?: string;
}

interface NewDecision {
  readonly operation: "find" | "join" | "create";
  readonly asked: DecisionAsked;
  /** The code of the refusal, or CREATED. */
  readonly outcome: string;
  readonly lobbyId: string | null;
  readonly waitedMs: number;
  /** What the player would have been shown with `explain`; null: there is none. */
  readonly explain: object | null;
}

/** Plain JSON, since nodes send it to one another. */
export interface Decision extends NewDecision {
  readonly decisionId: string;
  readonly at: number;
  /** How many equal refusals it stands for. */
  readonly count: number;
}

export interface DecisionFilter {
  readonly outcome: string | null;
  readonly gameMode: string | null;
}

/** Remembers the latest calls that were refused or made a lobby, in memory. */
export interface Decisions {
  note(namespaceId: string, decision: NewDecision): void;
  /** Newest first. */
  list(namespaceId: string, filter: DecisionFilter): Decision[];
  /** Whether another refusal may be explained in this second. What turns out not to be one is given back. */
  takeExplain(): boolean;
  giveBackExplain(): void;
  size(): { readonly namespaces: number; readonly decisions: number; readonly characters: number };
}

interface DecisionLimits {
  readonly namespacesMax: number;
  readonly perNamespaceMax: number;
  /** Of all texts together. */
  readonly charactersMax: number;
  readonly explainsPerSecond: number;
}

const usualLimits: DecisionLimits = {
  namespacesMax: 100,
  perNamespaceMax: 200,
  charactersMax: 64 * 1024 * 1024,
  explainsPerSecond: 20,
};

/** Equal refusals within so long are one. */
const mergeMs = 1_000;

interface Kept {
  readonly decisionId: string;
  readonly at: number;
  /** All but what is counted. Equal decisions have equal texts. */
  readonly text: string;
  readonly explainText: string;
  readonly namespace: KeptNamespace;
  waitedMs: number;
  count: number;
}

interface KeptNamespace {
  usedAt: number;
  /** Oldest first. */
  kept: Kept[];
  /** The latest with each text. */
  readonly latest: Map<string, Kept>;
}

export function createDecisions(now: () => number, newId: () => string, limits = usualLimits): Decisions {
  const namespaces = new Map<string, KeptNamespace>();
  const explains = createExplainBudget(now, limits.explainsPerSecond);
  let characters = 0;
  let uses = 0;

  function dropOldest(namespace: KeptNamespace): void {
    const dropped = namespace.kept.shift();
    if (dropped === undefined) return;
    characters -= countCharacters(dropped);
    if (namespace.latest.get(dropped.text) === dropped) namespace.latest.delete(dropped.text);
  }

  function enter(namespaceId: string): KeptNamespace {
    const known = namespaces.get(namespaceId);
    if (known) return known;
    if (namespaces.size >= limits.namespacesMax) {
      const [oldestId, oldest] = [...namespaces].reduce((a, b) => (b[1].usedAt < a[1].usedAt ? b : a));
      while (oldest.kept.length > 0) dropOldest(oldest);
      namespaces.delete(oldestId);
    }
    const made: KeptNamespace = { usedAt: 0, kept: [], latest: new Map() };
    namespaces.set(namespaceId, made);
    return made;
  }

  function add(namespace: KeptNamespace, kept: Kept): void {
    namespace.kept.push(kept);
    namespace.latest.set(kept.text, kept);
    characters += countCharacters(kept);
    if (namespace.kept.length > limits.perNamespaceMax) dropOldest(namespace);
    while (characters > limits.charactersMax) {
      dropOldest([...namespaces.values()].reduce((a, b) => (b.kept.length > a.kept.length ? b : a)));
    }
  }

  return {
    ...explains,
    note(namespaceId, { waitedMs, explain, ...facts }) {
      const namespace = enter(namespaceId);
      uses += 1;
      namespace.usedAt = uses;
      const text = JSON.stringify(facts);
      const at = now();
      const equal = namespace.latest.get(text);
      if (equal !== undefined && at - equal.at < mergeMs) {
        equal.count += 1;
        equal.waitedMs = Math.max(equal.waitedMs, waitedMs);
        return;
      }
      const explainText = explain === null ? "" : JSON.stringify(explain);
      add(namespace, { decisionId: newId(), at, text, explainText, namespace, waitedMs, count: 1 });
    },
    list(namespaceId, filter) {
      const all = namespaces.get(namespaceId)?.kept ?? [];
      return all
        .map(read)
        .filter((decision) => fits(decision, filter))
        .reverse();
    },
    size() {
      const decisions = [...namespaces.values()].reduce((sum, { kept }) => sum + kept.length, 0);
      return { namespaces: namespaces.size, decisions, characters };
    },
  };
}

function countCharacters({ text, explainText }: Kept): number {
  return text.length + explainText.length;
}

function read({ decisionId, at, text, explainText, waitedMs, count }: Kept): Decision {
  // The casts are safe: the texts were written above.
  const facts = JSON.parse(text) as Omit<NewDecision, "waitedMs" | "explain">;
  return { decisionId, at, ...facts, count, waitedMs, explain: explainText === "" ? null : JSON.parse(explainText) };
}

function fits({ outcome, asked }: Decision, filter: DecisionFilter): boolean {
  if (filter.outcome !== null && filter.outcome !== outcome) return false;
  return filter.gameMode === null || (asked.game_modes?.includes(filter.gameMode) ?? false);
}

/** In each second of the clock so many. */
function createExplainBudget(now: () => number, perSecond: number): Pick<Decisions, "takeExplain" | "giveBackExplain"> {
  let second = 0;
  let taken = 0;
  return {
    takeExplain() {
      const current = Math.floor(now() / 1000);
      if (current !== second) taken = 0;
      second = current;
      if (taken >= perSecond) return false;
      taken += 1;
      return true;
    },
    giveBackExplain() {
      if (Math.floor(now() / 1000) === second && taken > 0) taken -= 1;
    },
  };
}
