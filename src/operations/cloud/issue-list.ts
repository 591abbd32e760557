/** Names from the root to a value: keys of objects, and indexes of arrays as text. */
export type Place = readonly string[];

/**
 * Faults of one document, at most one for each place and at most `max` in all. Whoever looks for faults stops when it
 * is full: what nobody will be shown is not worth looking for, and a hostile document has very many.
 */
export interface FaultList<F> {
  readonly isFull: boolean;
  /** The first fault of a place stays. `place` may change afterwards. */
  add(place: Place, make: (place: string[]) => F): void;
  all(): F[];
}

export function createFaultList<F>(max: number): FaultList<F> {
  const faults: F[] = [];
  const root: Node = { isFaulty: false, children: null };
  return {
    get isFull() {
      return faults.length >= max;
    },
    add(place, make) {
      if (faults.length >= max) return;
      const node = nodeAt(root, place);
      if (node.isFaulty) return;
      node.isFaulty = true;
      faults.push(make([...place]));
    },
    all: () => faults,
  };
}

/** Names may be as long as the whole document, so places are compared name by name and never joined to one text. */
type Node = { isFaulty: boolean; children: Map<string, Node> | null };

function nodeAt(root: Node, place: Place): Node {
  let node = root;
  for (const name of place) {
    node.children ??= new Map();
    let child = node.children.get(name);
    if (!child) {
      child = { isFaulty: false, children: null };
      node.children.set(name, child);
    }
    node = child;
  }
  return node;
}

/** A place as it is shown: honest names are far shorter, and an answer should not be many times as long as its request. */
export function shownPlace(place: Place): string[] {
  return place.map((name) => (name.length > nameShownMax ? `${name.slice(0, nameShownMax)}…` : name));
}

const nameShownMax = 128;
