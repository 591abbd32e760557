import { type ReactNode, useEffect, useState } from "react";
import { Link, useLocation } from "wouter";
import { paths } from "../addresses.ts";
import { useSession } from "../session/session.tsx";
import { Mark } from "./mark.tsx";
import { Navigation } from "./navigation.tsx";

/** The frame of every page: the navigation beside it, above it on a phone. */
export function Layout({ children }: { children: ReactNode }) {
  const [location] = useLocation();
  const [isOpen, setIsOpen] = useState(false);
  // A link of the navigation has been followed.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is the change of the address that matters.
  useEffect(() => {
    setIsOpen(false);
    window.scrollTo(0, 0);
  }, [location]);

  return (
    <div className={isOpen ? "frame menu-open" : "frame"}>
      <button type="button" className="skip" onClick={() => document.getElementById("main")?.focus()}>
        Skip to the page
      </button>
      <header className="top">
        <Link className="brand" href={paths.root} aria-label="Foyer, all games">
          <Mark />
          <span>Foyer</span>
        </Link>
        <button
          type="button"
          className="menu"
          aria-expanded={isOpen}
          aria-controls="navigation"
          onClick={() => setIsOpen(!isOpen)}
        >
          {isOpen ? "Close" : "Menu"}
        </button>
      </header>
      <div className="side" id="navigation">
        <Navigation location={location} />
        <Account />
      </div>
      <main id="main" tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}

const kinds: Readonly<Record<string, string>> = {
  admin: "the admin token",
  cloud: "a cloud token",
  session: "a sign-in link",
};

function Account() {
  const { who, isKept, keep, signOut } = useSession();
  return (
    <section className="account" aria-label="Account">
      <p>
        <a href="/docs">Documentation</a>
      </p>
      <p>Signed in with {kinds[who.kind] ?? who.kind}</p>
      <label className="check">
        <input type="checkbox" checked={isKept} onChange={(event) => keep(event.target.checked)} />
        <span>Stay signed in when I reload</span>
      </label>
      <button type="button" className="quiet" onClick={signOut}>
        Sign out
      </button>
    </section>
  );
}
