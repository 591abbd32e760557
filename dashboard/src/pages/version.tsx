import type { Version } from "foyer-sdk";
import { Link, useLocation } from "wouter";
import { type PageParams, toNamespace } from "../addresses.ts";
import { useAsk, useNamespace } from "../api.ts";
import { ChangeButton } from "../components/change-dialog.tsx";
import { DeployButton } from "../components/deploy-button.tsx";
import { Diff } from "../components/diff.tsx";
import { Badge, Copy, PageHead, Read } from "../components/parts.tsx";
import { Time } from "../components/time.tsx";

type Names = Pick<PageParams, "game" | "namespace">;

export const useVersion = (game: string, versionId: string | null) =>
  useAsk(
    ["version", game, versionId],
    async (foyer, options) => (await foyer.games.versions.getGameVersion(game, versionId!, options)).version,
    { enabled: versionId !== null },
  );

/** One version: its document, how it differs from the deployed one, deploying and deleting it. */
export function VersionPage({ game, namespace, version }: PageParams) {
  const found = useVersion(game, version);
  const at = useNamespace(game, namespace);
  return (
    <Read query={found}>
      {(shown) => (
        <Read query={at}>
          {({ version_id }) => <Document game={game} namespace={namespace} version={shown} deployed={version_id} />}
        </Read>
      )}
    </Read>
  );
}

function Document({ game, namespace, version, deployed }: Names & { version: Version; deployed: string | null }) {
  const { version_id, display_name, create_ts, config } = version;
  const isDeployed = version_id === deployed;
  const text = JSON.stringify(config, null, 2);
  return (
    <>
      <PageHead
        title={display_name}
        lead={
          <>
            Made <Time at={create_ts} />. {isDeployed && <Badge tone="good">deployed</Badge>}
          </>
        }
        actions={
          <>
            <Link className="button" href={toNamespace(game, namespace, `/versions/new?from=${version_id}`)}>
              New version from this
            </Link>
            {!isDeployed && (
              <DeployButton {...{ game, namespace, deployed }} label="Deploy" target={{ version_id, display_name }} />
            )}
          </>
        }
      />
      <div className="stack">
        {!isDeployed && deployed !== null && (
          <section className="stack">
            <h2>Compared with the deployed version</h2>
            <Compared game={game} deployed={deployed} config={config} />
          </section>
        )}
        <section className="stack">
          <h2>Document</h2>
          <pre className="shell">{text}</pre>
          <div className="form-actions">
            <Copy text={text} shown="Copy document" said="The document is copied." />
          </div>
        </section>
        {!isDeployed && <DeleteVersion game={game} namespace={namespace} version={version} />}
      </div>
    </>
  );
}

function Compared({ game, deployed, config }: { game: string; deployed: string; config: Version["config"] }) {
  const before = useVersion(game, deployed);
  return <Read query={before}>{(version) => <Diff before={version.config} after={config} />}</Read>;
}

function DeleteVersion({ game, namespace, version }: Names & { version: Version }) {
  const [, navigate] = useLocation();
  const { version_id, display_name } = version;
  return (
    <div className="page-foot">
      <ChangeButton
        label="Delete version"
        title={`Delete ${display_name}?`}
        change={(foyer) => foyer.games.versions.deleteGameVersion(game, version_id)}
        done={`${display_name} was deleted.`}
        changes={[
          ["versions", game],
          ["deploys", game, namespace],
        ]}
        isDangerous
        onDone={() => navigate(toNamespace(game, namespace, "/versions"))}
      >
        <p>It cannot be deployed or rolled back to any more. This cannot be undone.</p>
        <p>Foyer refuses this while it is deployed to any namespace, or while Foyer runs a lobby of it.</p>
      </ChangeButton>
    </div>
  );
}
