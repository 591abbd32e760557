import type { Decision } from "foyer-sdk";
import { useState } from "react";
import { Link } from "wouter";
import { type PageParams, toLobby, toNamespace } from "../addresses.ts";
import { useAsk } from "../api.ts";
import { Candidates } from "../components/candidates.tsx";
import { Field } from "../components/field.tsx";
import { Badge, Empty, PageHead, Read } from "../components/parts.tsx";
import { Time } from "../components/time.tsx";

type Names = Pick<PageParams, "game" | "namespace">;

const readAgainMs = 2_000;
const shownMax = 100;

/** What was refused lately and why, and which calls started a lobby. */
export function Decisions({ game, namespace }: PageParams) {
  const [outcome, setOutcome] = useState("");
  const decisions = useAsk(
    ["decisions", game, namespace],
    (foyer, options) => foyer.games.namespaces.listDecisions(game, namespace, { limit: shownMax }, options),
    { refetchInterval: readAgainMs },
  );
  return (
    <>
      <PageHead
        title="Decisions"
        lead="The latest finds, joins and creates that were refused, and those that started a lobby. Foyer keeps the last 200, in memory."
      />
      <Read query={decisions}>
        {({ decisions: list, is_partial }) => (
          <div className="stack">
            {is_partial && <p className="notice">A node did not answer in time; its decisions are missing.</p>}
            <OutcomeFilter list={list} chosen={outcome} choose={setOutcome} />
            <List game={game} namespace={namespace} list={list.filter((each) => isShown(each, outcome))} />
          </div>
        )}
      </Read>
    </>
  );
}

const isShown = (decision: Decision, outcome: string) => outcome === "" || decision.outcome === outcome;

function OutcomeFilter(properties: { list: readonly Decision[]; chosen: string; choose: (outcome: string) => void }) {
  const { list, chosen, choose } = properties;
  const outcomes = [...new Set([...list.map(({ outcome }) => outcome), ...(chosen === "" ? [] : [chosen])])].sort();
  if (outcomes.length < 2) return null;
  return (
    <div className="new-form">
      <Field label="Outcome">
        {(field) => (
          <select {...field} value={chosen} onChange={(event) => choose(event.target.value)}>
            <option value="">All</option>
            {outcomes.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        )}
      </Field>
    </div>
  );
}

function List({ game, namespace, list }: Names & { list: readonly Decision[] }) {
  if (list.length === 0) {
    return (
      <Empty title="Nothing was refused lately">
        <p>
          A call that is refused shows here within a second.{" "}
          <Link href={toNamespace(game, namespace, "/find")}>Try a find</Link> to see what a player would get.
        </p>
      </Empty>
    );
  }
  return (
    <ul className="stack">
      {list.map((decision) => (
        <li className="card decision" key={decision.decision_id}>
          <OneDecision game={game} namespace={namespace} decision={decision} />
        </li>
      ))}
    </ul>
  );
}

function OneDecision({ game, namespace, decision }: Names & { decision: Decision }) {
  const { operation, outcome, count, at, waited_ms, lobby_id, explain } = decision;
  return (
    <>
      <p className="facts">
        <Badge tone={outcome === "CREATED" ? "good" : "bad"}>{outcome}</Badge>
        {count > 1 && <b>{count} times</b>}
        <span>{operation}</span>
        <span>{describeAsked(decision)}</span>
        <Time at={at} />
        {waited_ms >= 1_000 && <span>after {Math.round(waited_ms / 1_000)} s</span>}
        {lobby_id !== undefined && (
          <Link href={toLobby(game, namespace, lobby_id)}>
            lobby <code>{lobby_id.slice(-8)}</code>
          </Link>
        )}
      </p>
      {explain && <p>{explain.summary}</p>}
      {explain && explain.candidates.length > 0 && (
        <details>
          <summary>{describeCandidates(explain.candidates.length)}</summary>
          <Candidates game={game} namespace={namespace} explain={explain} />
        </details>
      )}
    </>
  );
}

const describeCandidates = (count: number) =>
  count === 1 ? "The lobby that there was" : `The ${count} lobbies that there were`;

function describeAsked({ asked }: Decision): string {
  const { game_modes, regions, seats, tags, version, lobby_id } = asked;
  const parts = [
    `${seats} ${seats === 1 ? "seat" : "seats"}`,
    game_modes && `in ${game_modes.join(" or ")}`,
    regions && `in ${regions.join(" or ")}`,
    tags &&
      Object.entries(tags)
        .map(([name, value]) => `${name}=${value}`)
        .join(" "),
    version && `for version ${version}`,
    lobby_id && `in lobby ${lobby_id.slice(-8)}`,
  ];
  return parts.filter(Boolean).join(", ");
}
