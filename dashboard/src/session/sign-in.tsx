import { isFoyerError } from "foyer-sdk";
import { type FormEvent, useState } from "react";
import { ErrorBox } from "../components/error-box.tsx";
import { Field } from "../components/field.tsx";
import { Mark } from "../components/mark.tsx";
import { useTitle } from "../components/title.ts";

interface Properties {
  /** Why it is shown, in a sentence. */
  readonly reason: string | null;
  /** Throws when Foyer does not accept the token. */
  readonly enter: (token: string, isKept: boolean) => Promise<void>;
}

/** Takes an admin token or a cloud token. */
export function SignIn({ reason, enter }: Properties) {
  useTitle("Sign in");
  const [token, setToken] = useState("");
  const [isKept, setIsKept] = useState(false);
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);

  async function submit(event: FormEvent) {
    event.preventDefault();
    setIsBusy(true);
    setError(null);
    try {
      await enter(token.trim(), isKept);
    } catch (refusal) {
      setError(refusal);
      setIsBusy(false);
    }
  }

  return (
    <main className="sign-in">
      <div className="sign-in-card">
        <Mark />
        <h1>Sign in to Foyer</h1>
        {reason && (
          <p className="notice" role="status">
            {reason}
          </p>
        )}
        <form onSubmit={(event) => void submit(event)}>
          <Field label="Token" hint="An admin token, or the cloud token of one game." issues={issueOf(error)}>
            {(properties) => (
              <input
                {...properties}
                type="password"
                autoComplete="off"
                spellCheck={false}
                required
                value={token}
                onChange={(event) => setToken(event.target.value)}
              />
            )}
          </Field>
          <label className="check">
            <input type="checkbox" checked={isKept} onChange={(event) => setIsKept(event.target.checked)} />
            <span>Stay signed in when I reload this tab</span>
          </label>
          {error !== null && !isRefusedToken(error) && <ErrorBox error={error} />}
          <button type="submit" className="primary wide" disabled={isBusy || token.trim() === ""}>
            {isBusy ? "Signing in …" : "Sign in"}
          </button>
        </form>
        <aside className="sign-in-help">
          <h2>Where is my token?</h2>
          <p>
            Foyer writes the admin token to the file <code>admin-token</code> in its data folder when it starts for the
            first time. An admin makes cloud tokens for a game.
          </p>
          <p>
            On the machine itself, <code>foyer open</code> prints an address that signs you in.
          </p>
        </aside>
      </div>
    </main>
  );
}

function isRefusedToken(error: unknown): boolean {
  return isFoyerError(error) && (error.status === 401 || error.status === 403);
}

function issueOf(error: unknown): readonly string[] {
  if (!isRefusedToken(error)) return [];
  return ["Foyer does not accept this token here. It must begin with admin_ or cloud_, and must not be revoked."];
}
