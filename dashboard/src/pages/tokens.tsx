import type { NewToken, Token } from "foyer-sdk";
import { useState } from "react";
import { Link } from "wouter";
import { type PageParams, toNamespace } from "../addresses.ts";
import { everything, useAsk } from "../api.ts";
import { ChangeButton } from "../components/change-dialog.tsx";
import { Field } from "../components/field.tsx";
import { PageHead, Read } from "../components/parts.tsx";
import { ShownOnce, TokenTable } from "../components/token-table.tsx";

type Names = Pick<PageParams, "game" | "namespace">;
const keyOf = ({ game, namespace }: Names) => ["tokens", game, namespace] as const;

/** The tokens of a namespace: making, copying once, revoking. */
export function Tokens({ game, namespace }: PageParams) {
  const tokens = useAsk(keyOf({ game, namespace }), (foyer, options) =>
    everything<Token>(foyer.games.namespaces.listTokens(game, namespace, { limit: 500 }, options)),
  );
  const [made, setMade] = useState<NewToken | null>(null);
  return (
    <>
      <PageHead
        title="Tokens"
        lead={
          <>
            Game clients call with a public token, your backend with a server token. Web pages can also do without one:
            see <Link href={toNamespace(game, namespace, "/domains")}>Domains</Link>.
          </>
        }
      />
      <div className="stack">
        {made && <ShownOnce made={made} close={() => setMade(null)} />}
        <NewTokens game={game} namespace={namespace} onMade={setMade} />
        <Read query={tokens}>
          {(list) => (
            <TokenTable tokens={list} revoke={(token) => <Revoke game={game} namespace={namespace} token={token} />} />
          )}
        </Read>
      </div>
    </>
  );
}

function NewTokens({ game, namespace, onMade }: Names & { onMade: (made: NewToken) => void }) {
  const changes = [keyOf({ game, namespace })];
  return (
    <div className="card form">
      <h2>New token</h2>
      <div className="form-actions wrap">
        <ChangeButton
          label="New public token"
          title="Make a public token?"
          change={(foyer) => foyer.games.namespaces.createGameNamespaceTokenPublic(game, namespace)}
          done="The public token is made."
          changes={changes}
          onDone={onMade}
        >
          <p>
            It is for players' machines: find, join, create and list lobbies. Everyone who has the game can read it, so
            it is not a secret.
          </p>
        </ChangeButton>
        <ChangeButton
          label="New server token"
          title="Make a server token?"
          change={(foyer) => foyer.games.namespaces.createGameNamespaceTokenServer(game, namespace)}
          done="The server token is made."
          changes={changes}
          onDone={onMade}
        >
          <p>
            It is a secret of your backend: it registers lobbies that you run yourself, and takes seats for players that
            your backend vouches for. Foyer refuses it from web pages.
          </p>
        </ChangeButton>
      </div>
      <DevelopmentToken game={game} namespace={namespace} onMade={onMade} />
    </div>
  );
}

const protocols = ["ws", "wss", "http", "https", "tcp", "tls", "udp"] as const;

function DevelopmentToken({ game, namespace, onMade }: Names & { onMade: (made: NewToken) => void }) {
  const [hostname, setHostname] = useState("127.0.0.1");
  const [port, setPort] = useState("7777");
  const [protocol, setProtocol] = useState<(typeof protocols)[number]>("ws");
  const server = { hostname, ports: { default: { protocol, port: Number(port) } } };
  return (
    <details>
      <summary>New development token</summary>
      <div className="form inset">
        <p className="hint">
          It gets mock answers that point to the server you are writing, and touches no lobby. For a server that runs
          with seats and restarts, use <code>foyer dev</code>.
        </p>
        <div className="form-pair">
          <Field label="Host of your server">
            {(properties) => (
              <input
                {...properties}
                className="mono"
                value={hostname}
                onChange={(event) => setHostname(event.target.value.trim())}
              />
            )}
          </Field>
          <Field label="Port">
            {(properties) => (
              <input
                {...properties}
                inputMode="numeric"
                value={port}
                onChange={(event) => setPort(event.target.value.trim())}
              />
            )}
          </Field>
          <Field label="Protocol">
            {(properties) => (
              <select
                {...properties}
                value={protocol}
                onChange={(event) => setProtocol(protocols.find((each) => each === event.target.value) ?? "ws")}
              >
                {protocols.map((each) => (
                  <option key={each}>{each}</option>
                ))}
              </select>
            )}
          </Field>
        </div>
        <div className="form-actions">
          <ChangeButton
            label="New development token"
            title="Make a development token?"
            change={(foyer) => foyer.games.namespaces.createGameNamespaceTokenDevelopment(game, namespace, server)}
            done="The development token is made."
            changes={[keyOf({ game, namespace })]}
            isDisabled={!/^\d{1,5}$/.test(port) || hostname === ""}
            onDone={onMade}
          >
            <p>
              Answers to it send players to {protocol}://{hostname}:{port}. No real lobby or seat is used.
            </p>
          </ChangeButton>
        </div>
      </div>
    </details>
  );
}

const fates = {
  unroute: "Close them to find until an operator opens them; players stay.",
  stop: "Stop them; their players lose their seats.",
  keep: "Leave them as they are.",
} as const;

function Revoke({ game, namespace, token }: Names & { token: Token }) {
  const [fate, setFate] = useState<keyof typeof fates>("unroute");
  const isServer = token.kind === "server";
  return (
    <ChangeButton
      label="Revoke"
      title="Revoke this token?"
      change={(foyer) =>
        foyer.games.namespaces.revokeToken(game, namespace, token.token_id, isServer ? { lobbies: fate } : {})
      }
      done="The token was revoked."
      changes={[keyOf({ game, namespace })]}
      isDangerous
    >
      <p>Requests with it are refused from now on, on every node. This cannot be undone.</p>
      {token.kind === "pub" && <p>Players who have a seat keep it; games that use the token find no lobby any more.</p>}
      {isServer && (
        <fieldset className="choices">
          <legend>Lobbies that it registered</legend>
          {Object.entries(fates).map(([name, text]) => (
            <label className="check" key={name}>
              <input
                type="radio"
                name={`fate-${token.token_id}`}
                checked={fate === name}
                // Cast: the names are the keys of the table.
                onChange={() => setFate(name as keyof typeof fates)}
              />
              <span>{text}</span>
            </label>
          ))}
        </fieldset>
      )}
    </ChangeButton>
  );
}
