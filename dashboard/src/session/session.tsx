import { QueryClientProvider } from "@tanstack/react-query";
import { createFoyer, type Foyer, isFoyerError, type WhoamiAnswer } from "foyer-sdk";
import { createContext, type ReactNode, use, useCallback, useEffect, useMemo, useState } from "react";
import { keptTokenOf } from "./kept-token.ts";
import { createQueries } from "./queries.ts";
import { SignIn } from "./sign-in.tsx";

export interface Session {
  /** Calls with the token of this session. */
  readonly foyer: Foyer;
  /** The same with another fetch, for what must know when an answer begins. */
  withFetch(fetch: typeof globalThis.fetch): Foyer;
  /** What the token is and may do. */
  readonly who: WhoamiAnswer;
  signOut(): void;
  /** The token stays in this tab when the page is loaded again. */
  readonly isKept: boolean;
  keep(isKept: boolean): void;
  /** Ends the session if Foyer refused the token. For calls that are no query and no change: event streams. */
  noteRefusal(error: unknown): void;
}

/** Null: not signed in. `isChecking`: it is not known yet. */
interface State {
  readonly signedIn: { readonly token: string; readonly who: WhoamiAnswer } | null;
  readonly isKept: boolean;
  readonly isChecking: boolean;
  /** Why the sign-in is shown, in a sentence. */
  readonly reason: string | null;
}

const Current = createContext<Session | null>(null);

/** The session of the page that uses it. Pages are only shown with one. */
export function useSession(): Session {
  const session = use(Current);
  if (!session) throw new Error("There is no session here.");
  return session;
}

const kept = keptTokenOf(window.sessionStorage);

/** Shows its children with a session, and the sign-in without one. The address stays, so the user arrives where the link led. */
export function SessionProvider({ signInCode, children }: { signInCode: string | null; children: ReactNode }) {
  const [state, setState] = useState<State>({ signedIn: null, isKept: false, isChecking: true, reason: null });

  const leave = useCallback((reason: string | null) => {
    kept.forget();
    setState({ signedIn: null, isKept: false, isChecking: false, reason });
  }, []);

  const noteRefusal = useCallback(
    (error: unknown) => {
      if (isFoyerError(error) && error.status === 401) leave(endedReason);
    },
    [leave],
  );

  /** Throws when Foyer does not accept the token. */
  const enter = useCallback(async (token: string, isKept: boolean) => {
    const who = await createFoyer({ token }).auth.whoami();
    if (isKept) kept.keep(token);
    setState({ signedIn: { token, who }, isKept, isChecking: false, reason: null });
  }, []);

  useEffect(() => {
    const token = kept.read();
    if (signInCode !== null) enterByCode(signInCode, enter).catch((error) => leave(codeReasonOf(error)));
    else if (token !== null) enter(token, true).catch((error) => leave(reasonOf(error)));
    else leave(null);
  }, [signInCode, enter, leave]);

  const { signedIn, isKept } = state;
  // Also the cache begins again with each token: what one was shown is not for the next.
  const current = useMemo(() => {
    if (!signedIn) return null;
    const { token, who } = signedIn;
    const foyer = createFoyer({ token });
    const session = {
      foyer,
      withFetch: (fetch: typeof globalThis.fetch) => createFoyer({ token, fetch }),
      who,
      signOut() {
        // The page forgets the token in any case. A session that could not be ended ends by itself.
        if (who.kind === "session") foyer.auth.signOut().catch(() => {});
        leave(null);
      },
      keep(isWanted: boolean) {
        if (isWanted) kept.keep(token);
        else kept.forget();
        setState((before) => ({ ...before, isKept: isWanted }));
      },
      noteRefusal,
    };
    return { session, queries: createQueries(noteRefusal) };
  }, [signedIn, leave, noteRefusal]);

  const session = useMemo<Session | null>(() => current && { ...current.session, isKept }, [current, isKept]);

  if (state.isChecking) return <p className="waiting">Signing in …</p>;
  if (!current || !session) return <SignIn reason={state.reason} enter={enter} />;
  return (
    <Current value={session}>
      <QueryClientProvider client={current.queries}>{children}</QueryClientProvider>
    </Current>
  );
}

const endedReason =
  "Foyer no longer accepts your token: it has expired or was revoked. Sign in again to continue here.";

/** Foyer gives a session token for the code, once. */
async function enterByCode(code: string, enter: (token: string, isKept: boolean) => Promise<void>): Promise<void> {
  const { token } = await createFoyer().auth.signIn({ code });
  await enter(token, false);
}

function codeReasonOf(error: unknown): string {
  if (!isFoyerError(error) || error.status !== 401) return (error as Error).message;
  return "This sign-in link does not work any longer: it works once, for five minutes. foyer open prints another one.";
}

function reasonOf(error: unknown): string {
  return isFoyerError(error) && error.status === 401 ? endedReason : (error as Error).message;
}
