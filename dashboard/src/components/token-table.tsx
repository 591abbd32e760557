import type { NewToken, Token } from "foyer-sdk";
import type { ReactNode } from "react";
import { Badge, Copy, Empty, Table } from "./parts.tsx";
import { Time } from "./time.tsx";

const kinds: Readonly<Record<Token["kind"], string>> = {
  cloud: "cloud",
  pub: "public",
  dev: "development",
  server: "server",
};

interface Properties {
  readonly tokens: readonly Token[];
  /** What revokes one of them. */
  readonly revoke: (token: Token) => ReactNode;
}

/** Tokens without their secrets, newest first. */
export function TokenTable({ tokens, revoke }: Properties) {
  if (tokens.length === 0) return <Empty title="No tokens yet" />;
  const columns = [
    { name: "Kind", cell: ({ kind }: Token) => kinds[kind] },
    { name: "Id", cell: ({ token_id }: Token) => <code>{token_id}</code> },
    { name: "Made", cell: ({ create_ts }: Token) => <Time at={create_ts} /> },
    {
      name: "Last used",
      cell: ({ last_used_ts }: Token) => (last_used_ts === null ? "never" : <Time at={last_used_ts} />),
    },
    { name: "State", cell: (token: Token) => <State token={token} /> },
    { name: "Change", cell: (token: Token) => (token.revoke_ts === undefined ? revoke(token) : "–") },
  ];
  return <Table caption="Tokens" columns={columns} rows={tokens} keyOf={({ token_id }) => token_id} />;
}

function State({ token: { revoke_ts, expires_ts } }: { token: Token }) {
  if (revoke_ts !== undefined) {
    return (
      <span>
        <Badge tone="bad">revoked</Badge> <Time at={revoke_ts} />
      </span>
    );
  }
  return (
    <span>
      {expires_ts === undefined ? (
        <Badge tone="good">valid</Badge>
      ) : (
        <>
          <Badge tone="warn">expires</Badge> <Time at={expires_ts} />
        </>
      )}
    </span>
  );
}

/** A new token, the only time that it is shown. */
export function ShownOnce({ made, close }: { made: NewToken; close: () => void }) {
  return (
    <div className="notice" role="status">
      <p>This is the new token. Copy it now: Foyer keeps only its hash and cannot show it again.</p>
      <pre className="shell">{made.token}</pre>
      <div className="form-actions">
        <Copy text={made.token} shown="Copy token" said="The token is copied." />
        <button type="button" className="quiet" onClick={close}>
          I have it
        </button>
      </div>
    </div>
  );
}
