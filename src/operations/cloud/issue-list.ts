/** Names from the root to a value: keys of objects, and indexes of arrays as text. */
export type Place = readonly string[];

/**
 * Issues of one document, at most one for each place and at most `max` in all. The search stops when the list is full:
 * further issues would not be shown, and a hostile document has very many.
 */
export interface IssueList<I> {
  readonly isFull: boolean;
  /** The first issue of a place stays. `place` may change afterwards. */
  add(place: Place, make: (place: string[]) => I): void;
  all(): I[];
}

export function createIssueList<I>(max: number): IssueList<I> {
  const issues: I[] = [];
  const root: Node = { hasIssue: false, children: null };
  return {
    get isFull() {
      return issues.length >= max;
    },
    add(place, make) {
      if (issues.length >= max) return;
      const node = nodeAt(root, place);
      if (node.hasIssue) return;
      node.hasIssue = true;
      issues.push(make([...place]));
    },
    all: () => issues,
  };
}

/** Names may be as long as the whole document, so paths are compared name by name and never joined into one text. */
type Node = { hasIssue: boolean; children: Map<string, Node> | null };

function nodeAt(root: Node, place: Place): Node {
  let node = root;
  for (const name of place) {
    node.children ??= new Map();
    let child = node.children.get(name);
    if (!child) {
      child = { hasIssue: false, children: null };
      node.children.set(name, child);
    }
    node = child;
  }
  return node;
}

/** A path as it is shown. It is shortened, so that an answer is not many times as long as its request. */
export function shownPlace(place: Place): string[] {
  return place.map((name) => (name.length > nameShownMax ? `${name.slice(0, nameShownMax)}…` : name));
}

const nameShownMax = 128;
