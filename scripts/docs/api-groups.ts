import type { Operation } from "../../src/contract/define.ts";
import { operationList } from "../../src/contract/index.ts";

export interface ApiGroup {
  readonly url: string;
  readonly title: string;
  readonly about: string;
  readonly operations: readonly (readonly [string, Operation])[];
}

/** Pages of the reference, by the ids of their operations without the last word. Others get a page of their own. */
const known: readonly { slug: string; title: string; about: string; of: readonly string[] }[] = [
  {
    slug: "lobbies",
    title: "Lobbies",
    about: "What players and lobbies call: find, join, create, ready.",
    of: ["lobbies"],
  },
  { slug: "players", title: "Players", about: "Seats: connected, disconnected, resume, release.", of: ["players"] },
  { slug: "regions", title: "Regions", about: "The regions of a namespace, nearest first.", of: ["regions"] },
  { slug: "games", title: "Games", about: "Games and their cloud tokens.", of: ["games", "games.tokens"] },
  {
    slug: "namespaces",
    title: "Namespaces",
    about: "Namespaces, their limits, domains, tokens, deployments, events and activity.",
    of: ["games.namespaces"],
  },
  {
    slug: "operator-lobbies",
    title: "Lobbies for operators",
    about: "Read, close and stop lobbies of a namespace; logs, history and why a find does what it does.",
    of: ["games.namespaces.lobbies"],
  },
  { slug: "blocks", title: "Blocks", about: "Keep a client out of a namespace.", of: ["games.namespaces.blocks"] },
  { slug: "versions", title: "Versions", about: "Create, check and read versions of a game.", of: ["games.versions"] },
  { slug: "builds", title: "Builds", about: "Upload the program of a version.", of: ["games.builds"] },
  {
    slug: "service",
    title: "Service",
    about: "The audit log, nodes, and who a token is.",
    of: ["audit", "auth", "nodes"],
  },
];

export function listGroups(): ApiGroup[] {
  const prefixes = [...new Set(operationList.map(([id]) => prefixOf(id)))];
  const others = prefixes
    .filter((prefix) => !known.some(({ of }) => of.includes(prefix)))
    .map((prefix) => ({
      slug: prefix.replaceAll(".", "-"),
      title: prefix,
      about: `Operations of ${prefix}.`,
      of: [prefix],
    }));
  return [...known, ...others].map(({ slug, title, about, of }) => ({
    url: `/docs/api/${slug}`,
    title,
    about,
    operations: operationList.filter(([id]) => of.includes(prefixOf(id))),
  }));
}

const prefixOf = (id: string) => id.slice(0, id.lastIndexOf("."));
