import type { Engine } from "../../src/engine/engine.ts";
import type {
  CommandOf,
  CommandType,
  NamespaceQueryOf,
  NamespaceQueryType,
  QueryOf,
  QueryType,
} from "../../src/matchmaker/commands.ts";

/** The first that is asked of each namespace tells it first that the service was down, as the memory engine does by itself. */
export function sayRestarted(engine: Engine): Engine {
  const told = new Set<string>();
  async function tell({ namespaceId, now }: { readonly namespaceId: string; readonly now: number }): Promise<void> {
    if (told.has(namespaceId)) return;
    told.add(namespaceId);
    await engine.execute({ type: "restarted", namespaceId, now });
  }
  return {
    ...engine,
    async execute<T extends CommandType>(command: CommandOf<T>) {
      await tell(command);
      return engine.execute<T>(command);
    },
    async read<T extends QueryType>(query: QueryOf<T>) {
      if (query.type !== "namespaces") await tell(query as NamespaceQueryOf<NamespaceQueryType>);
      return engine.read<T>(query);
    },
  };
}
