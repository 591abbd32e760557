import type { OperatorSeat } from "foyer-sdk";
import { Badge, Table } from "./parts.tsx";
import { Time } from "./time.tsx";

const tones: Readonly<Record<string, "good" | "warn" | "plain">> = {
  connected: "good",
  held: "warn",
  reserved: "plain",
};

/** Who sits in a lobby. */
export function Seats({ players }: { players: readonly OperatorSeat[] }) {
  if (players.length === 0) return <p className="muted">No seat is taken.</p>;
  return (
    <Table
      caption="Players"
      rows={players}
      keyOf={({ player_id }) => player_id}
      columns={[
        { name: "Player", cell: ({ player_id }) => <code title={player_id}>{player_id.slice(-8)}</code> },
        { name: "Key", cell: (seat) => <Key seat={seat} /> },
        { name: "Seat", cell: ({ status }) => <Badge tone={tones[status] ?? "plain"}>{status}</Badge> },
        { name: "Since", cell: (seat) => <Since seat={seat} /> },
        { name: "Client", cell: ({ client }) => <code>{client ?? "your backend"}</code> },
      ]}
    />
  );
}

function Key({ seat }: { seat: OperatorSeat }) {
  if (seat.key === undefined) return <span className="muted">none</span>;
  return (
    <>
      <code>{seat.key}</code>
      {!seat.is_key_vouched && <span className="muted"> (not vouched)</span>}
    </>
  );
}

function Since({ seat }: { seat: OperatorSeat }) {
  return (
    <>
      <Time at={seat.connect_ts ?? seat.reserve_ts} />
      {seat.expires_ts !== null && (
        <span className="muted">
          {", ends "}
          <Time at={seat.expires_ts} />
        </span>
      )}
    </>
  );
}
