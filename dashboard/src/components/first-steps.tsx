import { Copy } from "./parts.tsx";

/** What a namespace without a version shows: how to get to the first player. */
export function FirstSteps({ game, namespace }: { game: string; namespace: string }) {
  return (
    <section className="card first-steps">
      <h2>Three steps to the first player</h2>
      <p className="muted">
        No version is deployed here yet, so Foyer has nothing to run. In a terminal, in an empty folder:
      </p>
      <ol>
        <Step command={`foyer init ${game}`}>Write a small game that runs: a server, a page and its game modes.</Step>
        <Step command="npm install">Install what the server needs.</Step>
        <Step command="foyer dev -- node server.js">
          Run it as a lobby, open the page that it prints, and be the first player. It restarts when you change a file.
        </Step>
      </ol>
      <p className="muted">
        When it plays well, <code>foyer deploy {namespace}</code> brings it into this namespace.{" "}
        <Copy text={`foyer deploy ${namespace}`} said="The command is copied." />
      </p>
    </section>
  );
}

function Step({ command, children }: { command: string; children: string }) {
  return (
    <li>
      <p>{children}</p>
      <div className="command">
        <code>{command}</code>
        <Copy text={command} said="The command is copied." />
      </div>
    </li>
  );
}
