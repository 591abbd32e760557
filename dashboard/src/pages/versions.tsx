import type { Deploy, OperatorLobby, VersionSummary } from "foyer-sdk";
import { Link } from "wouter";
import { type PageParams, toNamespace } from "../addresses.ts";
import { everything, useAsk, useNamespace } from "../api.ts";
import { DeployButton } from "../components/deploy-button.tsx";
import { Badge, Empty, PageHead, Read, Table } from "../components/parts.tsx";
import { Time } from "../components/time.tsx";

type Names = Pick<PageParams, "game" | "namespace">;

const readAgainMs = 5_000;

/** The versions of the game, what is and was deployed here, and lobbies of old versions that still have players. */
export function Versions({ game, namespace }: PageParams) {
  const found = useNamespace(game, namespace);
  const versions = useAsk(["versions", game], (foyer, options) =>
    everything<VersionSummary>(foyer.games.versions.listGameVersions(game, { limit: 500 }, options)),
  );
  const lobbies = useAsk(
    ["lobbies-by-version", game, namespace],
    (foyer, options) =>
      everything<OperatorLobby>(foyer.games.namespaces.lobbies.list(game, namespace, { limit: 500 }, options)),
    { refetchInterval: readAgainMs },
  );
  return (
    <>
      <PageHead
        title="Versions"
        lead="A version is a document that never changes: game modes, regions and how lobbies run. Deploying one sends new players to it; players of older lobbies stay until they leave."
        actions={
          <Link href={toNamespace(game, namespace, "/versions/new")} className="button primary">
            New version
          </Link>
        }
      />
      <Read query={found}>
        {({ version_id }) => (
          <div className="stack">
            <Draining game={game} namespace={namespace} lobbies={lobbies.data ?? []} />
            <Read query={versions}>
              {(list) => (
                <VersionTable
                  game={game}
                  namespace={namespace}
                  list={list}
                  deployed={version_id}
                  lobbies={lobbies.data ?? []}
                />
              )}
            </Read>
            <History game={game} namespace={namespace} deployed={version_id} />
          </div>
        )}
      </Read>
    </>
  );
}

function Draining({ game, namespace, lobbies }: Names & { lobbies: readonly OperatorLobby[] }) {
  const outdated = lobbies.filter(({ is_outdated }) => is_outdated);
  if (outdated.length === 0) return null;
  const players = outdated.reduce((sum, { total_player_count }) => sum + total_player_count, 0);
  return (
    <p className="notice" role="status">
      Lobbies of older versions that still run: {outdated.length}, with {players} {players === 1 ? "player" : "players"}
      . Find avoids them, and each stops when its last player has left.{" "}
      <Link href={toNamespace(game, namespace, "/lobbies")}>See the lobbies</Link>
    </p>
  );
}

interface TableProperties extends Names {
  readonly list: readonly VersionSummary[];
  readonly deployed: string | null;
  readonly lobbies: readonly OperatorLobby[];
}

function VersionTable({ game, namespace, list, deployed, lobbies }: TableProperties) {
  if (list.length === 0) {
    return (
      <Empty title="This game has no versions yet">
        <p>
          Write one here, or run <code>foyer init</code> and <code>foyer deploy</code> in the folder of your game
          server: that also uploads the program.
        </p>
      </Empty>
    );
  }
  const countOf = (versionId: string) => lobbies.filter(({ version_id }) => version_id === versionId).length;
  const columns = [
    {
      name: "Version",
      cell: ({ version_id, display_name }: VersionSummary) => (
        <span className="facts">
          <Link href={toNamespace(game, namespace, `/versions/${version_id}`)}>{display_name}</Link>
          {version_id === deployed && <Badge tone="good">deployed</Badge>}
        </span>
      ),
    },
    { name: "Made", cell: ({ create_ts }: VersionSummary) => <Time at={create_ts} /> },
    { name: "Lobbies", isNumber: true, cell: ({ version_id }: VersionSummary) => countOf(version_id) },
    {
      name: "Change",
      cell: ({ version_id, display_name }: VersionSummary) =>
        version_id === deployed ? null : (
          <DeployButton {...{ game, namespace, deployed }} label="Deploy" target={{ version_id, display_name }} />
        ),
    },
  ];
  return <Table caption="Versions of the game" columns={columns} rows={list} keyOf={({ version_id }) => version_id} />;
}

function History({ game, namespace, deployed }: Names & { deployed: string | null }) {
  const history = useAsk(["deploys", game, namespace], async (foyer, options) => {
    const { versions } = await foyer.games.namespaces.getVersionHistory(game, namespace, { limit: 20 }, options);
    return versions;
  });
  return (
    <section className="stack">
      <h2>Deployed here</h2>
      <Read query={history}>
        {(list) =>
          list.length === 0 ? (
            <p className="hint">Nothing was deployed to this namespace yet.</p>
          ) : (
            <HistoryTable game={game} namespace={namespace} deployed={deployed} list={list} />
          )
        }
      </Read>
    </section>
  );
}

function HistoryTable({
  game,
  namespace,
  deployed,
  list,
}: Names & { deployed: string | null; list: readonly Deploy[] }) {
  // What a rollback goes back to: the newest one before the present that was not rolled back from.
  const previous = list.find(
    ({ version_id, is_deleted, rolled_back }) => version_id !== deployed && !is_deleted && !rolled_back,
  );
  const columns = [
    {
      name: "Version",
      cell: (deploy: Deploy) => (
        <span className="facts">
          {deploy.display_name} {deploy.is_deleted && <Badge>deleted since</Badge>}{" "}
          {deploy.rolled_back && <Badge>rolled back</Badge>}
        </span>
      ),
    },
    { name: "Deployed", cell: ({ deploy_ts }: Deploy) => <Time at={deploy_ts} /> },
    {
      name: "Change",
      cell: (deploy: Deploy) =>
        deploy === previous ? (
          <DeployButton {...{ game, namespace, deployed }} label="Roll back to this" target={deploy} />
        ) : null,
    },
  ];
  return <Table caption="History" columns={columns} rows={list} keyOf={({ deploy_ts }) => deploy_ts} />;
}
