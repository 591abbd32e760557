import { keepPreviousData } from "@tanstack/react-query";
import type { Version, VersionConfig } from "foyer-sdk";
import { useDeferredValue, useState } from "react";
import { useLocation, useSearchParams } from "wouter";
import { type PageParams, toNamespace } from "../addresses.ts";
import { useAsk, useNamespace } from "../api.ts";
import { ChangeButton } from "../components/change-dialog.tsx";
import { Diff } from "../components/diff.tsx";
import { Field } from "../components/field.tsx";
import { PageHead, Read } from "../components/parts.tsx";
import { SchemaHelp } from "../components/schema-help.tsx";
import { useVersion } from "./version.tsx";

type Names = Pick<PageParams, "game" | "namespace">;

/** A document to begin with: lobbies that run themselves and register. */
const firstConfig: VersionConfig = {
  regions: { local: {} },
  game_modes: { default: { max_players: 8, runtime: { external: {} } } },
};

/** Writes a version, starting from the deployed one or the one that the address names. */
export function NewVersion({ game, namespace }: PageParams) {
  const found = useNamespace(game, namespace);
  const [search] = useSearchParams();
  return (
    <>
      <PageHead title="New version" lead="The document cannot be changed later. Making a version deploys nothing." />
      <Read query={found}>
        {({ version_id }) => <FromVersion game={game} namespace={namespace} from={search.get("from") ?? version_id} />}
      </Read>
    </>
  );
}

function FromVersion({ game, namespace, from }: Names & { from: string | null }) {
  const base = useVersion(game, from);
  if (from === null) return <Editor game={game} namespace={namespace} base={null} />;
  return <Read query={base}>{(version) => <Editor game={game} namespace={namespace} base={version} />}</Read>;
}

function Editor({ game, namespace, base }: Names & { base: Version | null }) {
  const [, navigate] = useLocation();
  const [name, setName] = useState("");
  const [text, setText] = useState(() => JSON.stringify(base?.config ?? firstConfig, null, 2));
  const parsed = parse(text);
  const issues = useIssues(game, { display_name: name, config: parsed.config });
  const isReady = name !== "" && parsed.error === null && issues.areNone;
  // Cast: Foyer checks the document; what is not one is refused with the reason.
  const proposed = { display_name: name, config: parsed.config as unknown as VersionConfig };
  return (
    <div className="editor">
      <div className="card form">
        <Field label="Name" hint="Such as 1.4.0. People read it." issues={name === "" ? [] : issues.of("display_name")}>
          {(properties) => (
            <input {...properties} autoComplete="off" value={name} onChange={(event) => setName(event.target.value)} />
          )}
        </Field>
        <Field
          label="Document"
          issues={parsed.error === null ? issues.ofDocument : [parsed.error]}
          hint={base ? `It begins as ${base.display_name}.` : "It begins as an example with one game mode."}
        >
          {(properties) => (
            <textarea
              {...properties}
              className="mono document"
              rows={22}
              spellCheck={false}
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          )}
        </Field>
        {issues.warnings.map((warning) => (
          <p key={warning}>{warning}</p>
        ))}
        {base && parsed.error === null && (
          <details>
            <summary>What differs from {base.display_name}</summary>
            <Diff before={base.config} after={parsed.config} />
          </details>
        )}
        <div className="form-actions">
          <ChangeButton
            label="Make version"
            title={`Make version ${name}?`}
            change={(foyer) => foyer.games.versions.createGameVersion(game, proposed)}
            done={`Version ${name} is made.`}
            changes={[["versions", game]]}
            isDisabled={!isReady}
            onDone={({ version_id }) => navigate(toNamespace(game, namespace, `/versions/${version_id}`))}
          >
            <p>The version is kept for the whole game. Nothing is deployed and nothing ends.</p>
          </ChangeButton>
        </div>
      </div>
      <SchemaHelp />
    </div>
  );
}

function parse(text: string): { config: Record<string, unknown>; error: string | null } {
  try {
    const config: unknown = JSON.parse(text);
    if (typeof config === "object" && config !== null && !Array.isArray(config)) {
      return { config: config as Record<string, unknown>, error: null };
    }
    return { config: {}, error: "The document must be a JSON object." };
  } catch (error) {
    return { config: {}, error: `This is not JSON: ${(error as Error).message}` };
  }
}

/** What Foyer says about the document while it is written. A document of the wrong shape is refused as a bad request. */
function useIssues(game: string, proposed: { display_name: string; config: Record<string, unknown> }) {
  const asked = useDeferredValue(JSON.stringify({ ...proposed, display_name: proposed.display_name || "unnamed" }));
  const { data, error } = useAsk(
    ["validate-version", game, asked],
    (foyer, options) => foyer.games.versions.validateGameVersion(game, JSON.parse(asked), options),
    { placeholderData: keepPreviousData },
  );
  const refused = error as { errors?: readonly { path: readonly string[]; message: string }[]; message: string } | null;
  const errors = refused ? (refused.errors ?? [{ path: [], message: refused.message }]) : (data?.errors ?? []);
  const ofName = errors.filter(({ path }) => path[0] === "display_name");
  const ofDocument = errors.filter((issue) => !ofName.includes(issue));
  return {
    areNone: errors.length === 0 && (data !== undefined || error !== null),
    of: (_field: string) => ofName.map(({ message }) => message),
    ofDocument: ofDocument.map(({ path, message }) => `${path.slice(1, -1).join(".")}: ${message}`),
    warnings: (data?.warnings ?? []).map(({ path, message }) => `Warning: ${path.slice(1, -1).join(".")} ${message}.`),
  };
}
