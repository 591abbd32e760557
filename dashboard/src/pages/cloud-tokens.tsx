import type { NewToken, Token } from "foyer-sdk";
import { useState } from "react";
import type { PageParams } from "../addresses.ts";
import { everything, useAsk } from "../api.ts";
import { ChangeButton } from "../components/change-dialog.tsx";
import { Field } from "../components/field.tsx";
import { PageHead, Read } from "../components/parts.tsx";
import { ShownOnce, TokenTable } from "../components/token-table.tsx";

/** The tokens that give others the rights over one game. */
export function CloudTokens({ game }: PageParams) {
  const key = ["cloud-tokens", game];
  const tokens = useAsk(key, (foyer, options) =>
    everything<Token>(foyer.games.tokens.listTokens(game, { limit: 500 }, options)),
  );
  const [made, setMade] = useState<NewToken | null>(null);
  const [until, setUntil] = useState("");
  const body = until === "" ? {} : { expires_ts: new Date(until).toISOString() };
  return (
    <>
      <PageHead
        title="Cloud tokens"
        lead="A cloud token may do everything with this one game but delete it and make cloud tokens. Give each person and each machine its own."
      />
      <div className="stack">
        {made && <ShownOnce made={made} close={() => setMade(null)} />}
        <div className="card form new-form">
          <Field label="Ends at" hint="Empty: it does not end by itself.">
            {(properties) => (
              <input
                {...properties}
                type="datetime-local"
                value={until}
                onChange={(event) => setUntil(event.target.value)}
              />
            )}
          </Field>
          <div className="form-actions">
            <ChangeButton
              label="New cloud token"
              title="Make a cloud token?"
              change={(foyer) => foyer.games.tokens.createCloudToken(game, body)}
              done="The cloud token is made."
              changes={[key]}
              onDone={setMade}
            >
              <p>Who has it can deploy versions, stop lobbies and delete namespaces of this game.</p>
            </ChangeButton>
          </div>
        </div>
        <Read query={tokens}>
          {(list) => (
            <TokenTable
              tokens={list}
              revoke={({ token_id }) => (
                <ChangeButton
                  label="Revoke"
                  title="Revoke this token?"
                  change={(foyer) => foyer.games.tokens.revokeToken(game, token_id)}
                  done="The token was revoked."
                  changes={[key]}
                  isDangerous
                >
                  <p>Requests with it are refused from now on, on every node. This cannot be undone.</p>
                </ChangeButton>
              )}
            />
          )}
        </Read>
      </div>
    </>
  );
}
