import type { Deploy } from "foyer-sdk";
import { readGameFile } from "../dev/game-file.ts";
import { confirm } from "../remote/confirm.ts";
import { CommandFailed } from "../remote/exit-codes.ts";
import type { Remote } from "../remote/run-remote.ts";
import { age, clean } from "../remote/show.ts";
import { putVersion } from "./deploy.ts";

/** `foyer rollback NAMESPACE`: deploys again the newest earlier version that was not itself rolled back from. */
export async function rollback(remote: Remote): Promise<undefined> {
  const client = await remote.client();
  const { cwd, parsed, terminal } = remote;
  const game_id = parsed.flags.get("game") ?? readGameFile(cwd, "default", 1).name_id;
  const target = { game_id, namespace_id: parsed.words[0]! };
  const { versions } = await client.games.namespaces.getVersionHistory(game_id, target.namespace_id, { limit: 100 });
  const plan = planRollback(versions);
  if (plan === null) {
    throw new CommandFailed("There is no earlier version there that was not itself rolled back from.");
  }
  const { to, from, skipped } = plan;
  const name = ({ display_name }: Deploy) => `"${clean(display_name)}"`;
  const because = skipped.length === 0 ? "" : `; ${skipped.map(name).join(", ")} was rolled back from and is skipped`;
  const what = `${name(to)}, deployed ${age(to.deploy_ts, remote.now())} ago, will be deployed to ${game_id} / ${target.namespace_id} in place of ${name(from)}${because}`;
  if (parsed.flags.has("yes")) terminal.err(`${what}.\n`);
  await confirm(remote, what);
  await putVersion(client, target, to.version_id, from.version_id);
  remote.print(to, () => `Deployed ${clean(to.display_name)} again, in place of ${clean(from.display_name)}.\n`);
}

interface Plan {
  readonly from: Deploy;
  readonly to: Deploy;
  /** Newer ones than `to` that were rolled back from, each version once. */
  readonly skipped: readonly Deploy[];
}

/** Of deployments, newest first. Null: there is nothing to go back to. */
function planRollback(versions: readonly Deploy[]): Plan | null {
  const [from] = versions;
  if (from === undefined) return null;
  const earlier = versions.filter(({ version_id, is_deleted }) => version_id !== from.version_id && !is_deleted);
  const at = earlier.findIndex(({ rolled_back }) => !rolled_back);
  if (at === -1) return null;
  const skipped = new Map(earlier.slice(0, at).map((one) => [one.version_id, one]));
  return { from, to: earlier[at]!, skipped: [...skipped.values()] };
}
