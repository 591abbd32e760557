import { ChangeButton } from "./change-dialog.tsx";

interface Properties {
  readonly game: string;
  readonly namespace: string;
  readonly label: string;
  readonly target: { readonly version_id: string; readonly display_name: string };
  /** What the user sees as deployed: if that has changed meanwhile, Foyer refuses. */
  readonly deployed: string | null;
  readonly onDone?: () => void;
}

/** Deploys a version; deploying an earlier one is a rollback. */
export function DeployButton({ game, namespace, label, target, deployed, onDone }: Properties) {
  const { version_id, display_name } = target;
  const body = { version_id, ...(deployed !== null && { expected_version_id: deployed }) };
  return (
    <ChangeButton
      label={label}
      title={`Deploy ${display_name}?`}
      change={(foyer) => foyer.games.namespaces.updateGameNamespaceVersion(game, namespace, body)}
      done={`${display_name} is deployed.`}
      changes={[
        ["namespace", game, namespace],
        ["namespaces", game],
        ["deploys", game, namespace],
        ["lobbies-by-version", game, namespace],
      ]}
      {...(onDone && { onDone })}
    >
      <p>From then on find chooses lobbies of this version only. Lobbies of it that still run take players again.</p>
      <p>No player loses a seat: lobbies of other versions keep their players, and each stops when it is empty.</p>
      <p>If another version was deployed meanwhile, nothing happens.</p>
    </ChangeButton>
  );
}
