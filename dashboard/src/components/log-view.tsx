import type { OperatorLobby } from "foyer-sdk";
import { useEffect, useRef, useState } from "react";
import { useLog } from "../live/use-log.ts";
import { ErrorBox } from "./error-box.tsx";
import { describeStop } from "./lobby-state.tsx";

type Stream = "stdout" | "stderr";
const names: Readonly<Record<Stream, string>> = { stdout: "Output", stderr: "Errors" };

interface Properties {
  readonly game: string;
  readonly namespace: string;
  readonly lobby: OperatorLobby;
}

/** What the process of a lobby writes, as it writes it. */
export function LogView({ game, namespace, lobby }: Properties) {
  const [stream, setStream] = useState<Stream>("stdout");
  return (
    <section className="card">
      <div className="log-head">
        <h2>Log</h2>
        {lobby.runtime !== "external" && (
          <fieldset className="switch">
            <legend className="unseen">Which log</legend>
            {(["stdout", "stderr"] as const).map((name) => (
              <label key={name}>
                <input type="radio" name="log" checked={stream === name} onChange={() => setStream(name)} />
                <span>{names[name]}</span>
              </label>
            ))}
          </fieldset>
        )}
      </div>
      {lobby.runtime === "external" ? (
        <p className="muted">Your own server runs this lobby, so its log is there.</p>
      ) : (
        <Lines key={stream} game={game} namespace={namespace} lobby={lobby} stream={stream} />
      )}
    </section>
  );
}

function Lines({ game, namespace, lobby, stream }: Properties & { stream: Stream }) {
  const { lines, end, error } = useLog(game, namespace, lobby.lobby_id, stream);
  const box = useRef<HTMLPreElement>(null);
  const isAtEnd = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: new lines move the view, unless the reader has scrolled up.
  useEffect(() => {
    if (isAtEnd.current && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [lines]);
  function noteScroll() {
    const { scrollTop, scrollHeight, clientHeight } = box.current!;
    isAtEnd.current = scrollHeight - scrollTop - clientHeight < 24;
  }
  return (
    <>
      {error !== null && <ErrorBox error={error} />}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls it with the keyboard. */}
      <pre ref={box} className="log" tabIndex={0} aria-label={`Log, ${names[stream]}`} onScroll={noteScroll} role="log">
        {lines.length === 0 && <span className="muted">Nothing was written yet.</span>}
        {lines.map(({ number, text }) => (
          <span key={number}>{`${text}\n`}</span>
        ))}
      </pre>
      {end && <p className="hint">The log is complete: {end.exit_message ?? describeStop(end.stop_reason)}</p>}
    </>
  );
}
