import type { Candidate, Explanation } from "foyer-sdk";
import { Link } from "wouter";
import { toLobby } from "../addresses.ts";
import { Badge, Table } from "./parts.tsx";

interface Properties {
  readonly game: string;
  readonly namespace: string;
  readonly explain: Explanation;
}

/** Why find chose, or would choose, one lobby and not another. */
export function Candidates({ game, namespace, explain }: Properties) {
  const { candidates, has_more, private_count } = explain;
  const columns = [
    {
      name: "Lobby",
      cell: ({ lobby_id }: Candidate) => (
        <Link href={toLobby(game, namespace, lobby_id)}>
          <code>{lobby_id.slice(-8)}</code>
        </Link>
      ),
    },
    {
      name: "Game mode and region",
      cell: ({ game_mode_id, region_id }: Candidate) => `${game_mode_id}, ${region_id}`,
    },
    { name: "Why", cell: (candidate: Candidate) => <Why candidate={candidate} /> },
  ];
  return (
    <>
      {candidates.length === 0 ? (
        <p className="hint">No lobby of these game modes and regions exists.</p>
      ) : (
        <Table caption="Candidates" columns={columns} rows={candidates} keyOf={({ lobby_id }) => lobby_id} />
      )}
      {has_more && <p className="hint">There are more candidates; the nearest misses are listed.</p>}
      {private_count > 0 && (
        <p className="hint">
          {private_count} private {private_count === 1 ? "lobby" : "lobbies"}, which find never chooses.
        </p>
      )}
    </>
  );
}

const fitting: ReadonlySet<string> = new Set([
  "less_full",
  "newer",
  "larger_id",
  "not_ready",
  "other_pair_first",
  "client_limit",
]);

function Why({ candidate: { codes, message } }: { candidate: Candidate }) {
  const isChosen = codes.includes("chosen");
  const tone = isChosen ? "good" : codes.every((code) => fitting.has(code)) ? "plain" : "warn";
  const word = isChosen ? "chosen" : tone === "plain" ? "fits" : "does not fit";
  return (
    <span>
      <Badge tone={tone}>{word}</Badge> {message}
    </span>
  );
}
