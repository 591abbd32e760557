import type { Node } from "foyer-sdk";
import { useAsk } from "../api.ts";
import { Badge, Bar, PageHead, Read, Table } from "../components/parts.tsx";
import { Age } from "../components/time.tsx";

const readAgainMs = 5_000;

/** The processes of the installation. */
export function Nodes() {
  const nodes = useAsk(["nodes"], async (foyer, options) => (await foyer.nodes.list(options)).nodes, {
    refetchInterval: readAgainMs,
  });
  return (
    <>
      <PageHead
        title="Nodes"
        lead="Every node answers every call. Lobbies run on the node that started them; one node has the lease and does what is done once for all."
      />
      <Read query={nodes}>
        {(list) => (
          <>
            <Table caption="Nodes" columns={columns} rows={list} keyOf={({ node_id }) => node_id} />
            {list.length === 1 && (
              <p className="hint">
                This is the only node. To run more, give each of them the same PostgreSQL database and Redis.
              </p>
            )}
          </>
        )}
      </Read>
    </>
  );
}

const columns = [
  {
    name: "Node",
    cell: ({ node_id, is_self, has_lease }: Node) => (
      <span className="facts">
        <code>{node_id}</code>
        {is_self && <Badge>answers you</Badge>}
        {has_lease && <Badge tone="good">has the lease</Badge>}
      </span>
    ),
  },
  {
    name: "Lobby processes",
    cell: ({ lobby_processes, lobby_processes_max }: Node) => (
      <div className="cell-meter">
        <span>
          {lobby_processes} of {lobby_processes_max}
        </span>
        <Bar label="Lobby processes" value={lobby_processes} max={lobby_processes_max} />
      </div>
    ),
  },
  { name: "Regions", cell: ({ regions }: Node) => (regions === null ? "all" : regions.join(", ") || "none") },
  { name: "Foyer", cell: ({ version }: Node) => version ?? "unknown" },
  { name: "Up for", cell: ({ start_ts }: Node) => (start_ts === null ? "unknown" : <Age since={start_ts} />) },
  {
    name: "Clock",
    cell: ({ clock_offset_ms }: Node) =>
      clock_offset_ms === null ? "–" : `${clock_offset_ms > 0 ? "+" : ""}${clock_offset_ms} ms`,
  },
];
