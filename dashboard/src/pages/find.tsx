import type { FindPreview, PreviewFindRequest, Version } from "foyer-sdk";
import { type FormEvent, useState } from "react";
import { Link } from "wouter";
import { type PageParams, toLobby, toNamespace } from "../addresses.ts";
import { useAsk, useNamespace } from "../api.ts";
import { Candidates } from "../components/candidates.tsx";
import { ForTerminal } from "../components/change-dialog.tsx";
import { Field } from "../components/field.tsx";
import { Badge, Empty, PageHead, Read } from "../components/parts.tsx";

type Names = Pick<PageParams, "game" | "namespace">;

/** Tries a find as a player would, and says why each lobby would or would not be chosen. It takes no seat. */
export function Find({ game, namespace }: PageParams) {
  const found = useNamespace(game, namespace);
  return (
    <>
      <PageHead title="Find" lead="What a player's find would do now, and why. It takes no seat and starts no lobby." />
      <Read query={found}>
        {({ version_id }) =>
          version_id === null ? (
            <Empty title="No version is deployed">
              <p>
                A find needs game modes. <Link href={toNamespace(game, namespace, "/versions")}>Deploy a version</Link>{" "}
                first.
              </p>
            </Empty>
          ) : (
            <WithVersion game={game} namespace={namespace} versionId={version_id} />
          )
        }
      </Read>
    </>
  );
}

function WithVersion({ game, namespace, versionId }: Names & { versionId: string }) {
  const version = useAsk(
    ["version", game, versionId],
    async (foyer, options) => (await foyer.games.versions.getGameVersion(game, versionId, options)).version,
  );
  return (
    <Read query={version}>{(deployed) => <FindForm game={game} namespace={namespace} config={deployed.config} />}</Read>
  );
}

function FindForm({ game, namespace, config }: Names & { config: Version["config"] }) {
  const modes = Object.keys(config.game_modes);
  const regions = Object.keys(config.regions);
  const [chosenModes, setModes] = useState<readonly string[]>(modes.slice(0, 1));
  const [chosenRegions, setRegions] = useState<readonly string[]>([]);
  const [seats, setSeats] = useState("1");
  const [tags, setTags] = useState("");
  const [address, setAddress] = useState("");
  const [asked, setAsked] = useState<{ body: PreviewFindRequest; time: number } | null>(null);

  const body = toBody({ modes: chosenModes, regions: chosenRegions, seats, tags, address });
  function submit(event: FormEvent) {
    event.preventDefault();
    setAsked({ body, time: performance.now() });
  }
  return (
    <div className="stack">
      <form className="card form" onSubmit={submit} aria-label="A player's find">
        <Choices legend="Game modes, in order of preference" all={modes} chosen={chosenModes} choose={setModes} />
        <Choices legend="Regions; none: all" all={regions} chosen={chosenRegions} choose={setRegions} />
        <div className="form-pair">
          <Field label="Seats" hint="A party finds its seats together.">
            {(properties) => (
              <input
                {...properties}
                inputMode="numeric"
                value={seats}
                onChange={(event) => setSeats(event.target.value)}
              />
            )}
          </Field>
          <Field label="Tags" hint="name=value, separated by commas.">
            {(properties) => <input {...properties} value={tags} onChange={(event) => setTags(event.target.value)} />}
          </Field>
          <Field label="Player's address" hint="To count the seats that this client has.">
            {(properties) => (
              <input
                {...properties}
                className="mono"
                placeholder="192.0.2.1"
                value={address}
                onChange={(event) => setAddress(event.target.value.trim())}
              />
            )}
          </Field>
        </div>
        <div className="form-actions">
          <button type="submit" className="primary" disabled={chosenModes.length === 0}>
            Try this find
          </button>
        </div>
        <ForTerminal change={(foyer) => foyer.games.namespaces.lobbies.previewFind(game, namespace, body)} />
      </form>
      {asked && <Outcome key={asked.time} game={game} namespace={namespace} asked={asked} />}
    </div>
  );
}

interface ChoicesProperties {
  readonly legend: string;
  readonly all: readonly string[];
  readonly chosen: readonly string[];
  readonly choose: (chosen: readonly string[]) => void;
}

/** The order is the one in which they were chosen. */
function Choices({ legend, all, chosen, choose }: ChoicesProperties) {
  const toggle = (name: string) =>
    choose(chosen.includes(name) ? chosen.filter((each) => each !== name) : [...chosen, name]);
  return (
    <fieldset className="choices">
      <legend>{legend}</legend>
      {all.map((name) => (
        <label className="check" key={name}>
          <input type="checkbox" checked={chosen.includes(name)} onChange={() => toggle(name)} />
          <span>
            {name}
            {chosen.length > 1 && chosen.includes(name) && ` (${chosen.indexOf(name) + 1})`}
          </span>
        </label>
      ))}
    </fieldset>
  );
}

function toBody({ modes, regions, seats, tags, address }: Typed): PreviewFindRequest {
  const pairs = tags.split(",").flatMap((pair) => {
    const [name = "", ...value] = pair.split("=");
    return name.trim() === "" ? [] : [[name.trim(), value.join("=").trim()] as const];
  });
  return {
    game_modes: modes,
    ...(regions.length > 0 && { regions }),
    party_size: Number(seats) || 1,
    ...(pairs.length > 0 && { tags: Object.fromEntries(pairs) }),
    ...(address !== "" && { client: { address } }),
  };
}

interface Typed {
  readonly modes: readonly string[];
  readonly regions: readonly string[];
  readonly seats: string;
  readonly tags: string;
  readonly address: string;
}

function Outcome({ game, namespace, asked }: Names & { asked: { body: PreviewFindRequest; time: number } }) {
  const preview = useAsk(["preview-find", game, namespace, asked], (foyer, options) =>
    foyer.games.namespaces.lobbies.previewFind(game, namespace, asked.body, options),
  );
  return (
    <Read query={preview}>
      {(answer) => (
        <section className="stack" aria-label="What the find would do">
          <div className="card" role="status">
            <h2>
              <Verdict game={game} namespace={namespace} answer={answer} />
            </h2>
            <p>{answer.explain.summary}</p>
            {answer.refusal && (
              <p>
                <code>{answer.refusal.code}</code> {answer.refusal.message}
              </p>
            )}
          </div>
          <Candidates game={game} namespace={namespace} explain={answer.explain} />
        </section>
      )}
    </Read>
  );
}

function Verdict({ game, namespace, answer }: Names & { answer: FindPreview }) {
  if (answer.refusal) return <Badge tone="bad">The find would be refused</Badge>;
  if (answer.lobby === null) return <Badge tone="warn">A new lobby would start</Badge>;
  const { lobby_id, region } = answer.lobby;
  return (
    <>
      <Badge tone="good">A seat</Badge> in lobby{" "}
      <Link href={toLobby(game, namespace, lobby_id)}>
        <code>{lobby_id.slice(-8)}</code>
      </Link>{" "}
      in {region.display_name}
    </>
  );
}
