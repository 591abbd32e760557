import { setImmediate } from "node:timers/promises";
import { quoted } from "./entry-names.ts";
import { InvalidBuild } from "./invalid-build.ts";

const entriesMax = 100_000;

type Node =
  | { readonly kind: "file" }
  /** `steps`: the parts of its target, the last one first. */
  | { readonly kind: "link"; readonly steps: readonly string[] }
  | { readonly kind: "folder"; readonly children: Map<string, Node>; isListed: boolean };
type Folder = Extract<Node, { kind: "folder" }>;

/** The names of an archive. It refuses what two entries together make unsafe. */
export interface EntryTree {
  addFolder(parts: readonly string[]): void;
  addFile(parts: readonly string[]): void;
  addLink(parts: readonly string[], target: string): void;
  /** Refuses a target that is not a file that came before. */
  addHardLink(parts: readonly string[], target: readonly string[]): void;
  /** Call it when all entries are added: refuses symbolic links that leave the folder. */
  checkLinks(): Promise<void>;
}

/** Folders that no entry lists count as entries too: each of them takes memory and a place on the disk. */
export function createEntryTree(): EntryTree {
  const root: Folder = { kind: "folder", children: new Map(), isListed: false };
  const links: { readonly parts: readonly string[]; readonly steps: readonly string[] }[] = [];
  let count = 0;

  function countOne(): void {
    count += 1;
    if (count > entriesMax) throw new InvalidBuild(`The archive has more than ${entriesMax} files and folders.`);
  }

  function findParent(parts: readonly string[]): Folder {
    let folder = root;
    for (const part of parts.slice(0, -1)) {
      let child = folder.children.get(part);
      if (child === undefined) {
        countOne();
        child = { kind: "folder", children: new Map(), isListed: false };
        folder.children.set(part, child);
      }
      if (child.kind !== "folder") throw new InvalidBuild(`${show(parts)} is below a link or a file.`);
      folder = child;
    }
    return folder;
  }

  function add(parts: readonly string[], node: Node): void {
    const name = parts.at(-1);
    if (name === undefined) throw new InvalidBuild("The archive replaces its own folder by a file or a link.");
    const parent = findParent(parts);
    if (parent.children.has(name)) throw isTwice(parts);
    countOne();
    parent.children.set(name, node);
  }

  return {
    addFolder(parts) {
      const known = parts.length === 0 ? root : findParent(parts).children.get(parts.at(-1)!);
      if (known === undefined) return add(parts, { kind: "folder", children: new Map(), isListed: true });
      if (known.kind !== "folder" || known.isListed) throw isTwice(parts);
      known.isListed = true;
    },
    addFile: (parts) => add(parts, { kind: "file" }),
    addLink(parts, target) {
      const steps = target.split("/").reverse();
      add(parts, { kind: "link", steps });
      links.push({ parts, steps });
    },
    addHardLink(parts, target) {
      if (find(root, target)?.kind !== "file") {
        throw new InvalidBuild(`The hard link ${show(parts)} does not point to an earlier file.`);
      }
      add(parts, { kind: "file" });
    },
    async checkLinks() {
      const budget = { left: stepsMax };
      for (const [index, { parts, steps }] of links.entries()) {
        // Others have their turn in between.
        if (index % linksPerTurn === 0) await setImmediate();
        if (!staysInside(root, parts, steps, budget)) {
          throw new InvalidBuild(`The link ${show(parts)} leaves the folder of the archive.`);
        }
      }
    },
  };
}

function find(root: Folder, parts: readonly string[]): Node | undefined {
  let node: Node | undefined = root;
  for (const part of parts) node = node?.kind === "folder" ? node.children.get(part) : undefined;
  return node;
}

const hopsMax = 40;
const stepsMax = 1_000_000;
const linksPerTurn = 100;

/**
 * Follows the link as the operating system would, through other links too. A link to nothing, or in a circle, stays
 * inside.
 */
function staysInside(
  root: Folder,
  parts: readonly string[],
  steps: readonly string[],
  budget: { left: number },
): boolean {
  // The folders from the root to where we are; null: nothing is there.
  const path: (Node | null)[] = [root];
  for (const part of parts.slice(0, -1)) path.push(childOf(path.at(-1), part));
  const todo = [...steps];
  for (let hops = 0; todo.length > 0; ) {
    budget.left -= 1;
    if (budget.left < 0) throw new InvalidBuild("The archive has too many links that lead to other links.");
    const part = todo.pop()!;
    if (part === "" || part === ".") continue;
    if (part === "..") {
      path.pop();
      if (path.length === 0) return false;
      continue;
    }
    const child = childOf(path.at(-1), part);
    if (child?.kind !== "link") {
      path.push(child);
      continue;
    }
    hops += 1;
    if (hops > hopsMax) return true;
    for (const step of child.steps) todo.push(step);
  }
  return true;
}

function childOf(node: Node | null | undefined, name: string): Node | null {
  return node?.kind === "folder" ? (node.children.get(name) ?? null) : null;
}

function isTwice(parts: readonly string[]): InvalidBuild {
  return new InvalidBuild(`The archive has the name ${show(parts)} twice.`);
}

function show(parts: readonly string[]): string {
  return quoted(parts.join("/") || ".");
}
