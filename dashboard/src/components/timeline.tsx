import type { TimelineEntry } from "foyer-sdk";
import { Time } from "./time.tsx";

const words: Readonly<Record<string, string>> = {
  "lobby.created": "Lobby created",
  "lobby.ready": "Lobby ready",
  "lobby.closed": "Closed to find",
  "lobby.opened": "Open to find",
  "lobby.changed": "Lobby changed",
  "lobby.stopped": "Lobby stopped",
  "player.reserved": "Seat reserved",
  "player.connected": "Player connected",
  "player.held": "Player dropped, seat held",
  "player.returned": "Player came back",
  "player.left": "Player left",
  "player.expired": "Seat expired",
};

/** What lobby.changed says was changed. */
const changes: Readonly<Record<string, string>> = {
  state: "Lobby set its state",
  ports: "Lobby got its ports",
};

/** What happened in a lobby, the newest first. */
export function Timeline({ entries }: { entries: readonly TimelineEntry[] }) {
  const newestFirst = entries.map((entry, index) => ({ ...entry, key: `${index} ${entry.at}` })).reverse();
  return (
    <ol className="timeline">
      {newestFirst.map(({ key, at, event, details }) => (
        <li key={key}>
          <span className="timeline-time">
            <Time at={at} />
          </span>
          <span>
            {(event === "lobby.changed" && changes[String(details?.change)]) || (words[event] ?? event)}
            {details && <span className="muted"> {describe(details)}</span>}
          </span>
        </li>
      ))}
    </ol>
  );
}

/** Of a player the end of its id, to recognise it in the table of seats; of the lobby what was changed, or why. */
function describe({ player_id, key, reason, change }: Readonly<Record<string, unknown>>): string {
  const player = typeof player_id === "string" ? player_id.slice(-8) : null;
  const other = String(change) in changes ? null : change;
  return [player, key, reason, other].filter((text) => typeof text === "string").join(", ");
}
