import type { Namespace } from "foyer-sdk";
import { useState } from "react";
import type { PageParams } from "../addresses.ts";
import { useNamespace } from "../api.ts";
import { ChangeButton } from "../components/change-dialog.tsx";
import { Field } from "../components/field.tsx";
import { Badge, Empty, PageHead, Read, Table } from "../components/parts.tsx";
import { Time } from "../components/time.tsx";

type Names = Pick<PageParams, "game" | "namespace">;

/** Where browsers may use the public token, and whether they need it there. */
export function Domains({ game, namespace }: PageParams) {
  const found = useNamespace(game, namespace);
  return (
    <>
      <PageHead
        title="Domains"
        lead="Web pages on these domains may use the namespace's public token. Without a domain, pages of every origin may. Game clients that are not browsers are not affected."
      />
      <Read query={found}>
        {({ domains, domain_public_auth }) => (
          <div className="stack">
            <AddDomain game={game} namespace={namespace} isFirst={domains.length === 0} />
            <DomainTable game={game} namespace={namespace} domains={domains} />
            <Tokenless game={game} namespace={namespace} auth={domain_public_auth} domains={domains} />
          </div>
        )}
      </Read>
    </>
  );
}

function AddDomain({ game, namespace, isFirst }: Names & { isFirst: boolean }) {
  const [domain, setDomain] = useState("");
  return (
    <div className="card form new-form">
      <Field label="Domain" hint="Without https:// and without a path, such as play.example.com.">
        {(properties) => (
          <input
            {...properties}
            className="mono"
            autoComplete="off"
            spellCheck={false}
            placeholder="play.example.com"
            value={domain}
            onChange={(event) => setDomain(event.target.value.trim())}
          />
        )}
      </Field>
      <div className="form-actions">
        <ChangeButton
          label="Add domain"
          title={`Add ${domain}?`}
          change={(foyer) => foyer.games.namespaces.addNamespaceDomain(game, namespace, { domain })}
          done={`${domain} was added.`}
          changes={[["namespace", game, namespace]]}
          isDisabled={domain === ""}
          onDone={() => setDomain("")}
        >
          <p>Pages on https://{domain} may use the public token.</p>
          {isFirst && (
            <p>
              It is the first domain: pages of all other origins lose access with the public token at once. Players who
              have a seat keep it.
            </p>
          )}
          <p>A domain belongs to one namespace only. Foyer does not check who owns it.</p>
        </ChangeButton>
      </div>
    </div>
  );
}

function DomainTable({ game, namespace, domains }: Names & { domains: Namespace["domains"] }) {
  if (domains.length === 0) {
    return (
      <Empty title="No domains">
        <p>Pages of every origin may use the public token.</p>
      </Empty>
    );
  }
  const columns = [
    { name: "Domain", cell: ({ domain }: Row) => <code>{domain}</code> },
    { name: "Added", cell: ({ create_ts }: Row) => <Time at={create_ts} /> },
    {
      name: "Change",
      cell: ({ domain }: Row) => (
        <ChangeButton
          label="Remove"
          title={`Remove ${domain}?`}
          change={(foyer) => foyer.games.namespaces.removeNamespaceDomain(game, namespace, domain)}
          done={`${domain} was removed.`}
          changes={[["namespace", game, namespace]]}
          isDangerous
        >
          {domains.length === 1 ? (
            <p>It is the last domain: from then on pages of every origin may use the public token.</p>
          ) : (
            <p>Pages on it lose access at once. Players who have a seat keep it.</p>
          )}
        </ChangeButton>
      ),
    },
  ];
  return <Table caption="Domains" columns={columns} rows={domains} keyOf={({ domain }) => domain} />;
}

type Row = Namespace["domains"][number];

interface TokenlessProperties extends Names {
  readonly auth: Namespace["domain_public_auth"];
  readonly domains: Namespace["domains"];
}

function Tokenless({ game, namespace, auth, domains }: TokenlessProperties) {
  const { enabled, allow_localhost } = auth;
  const set = (wanted: Partial<Namespace["domain_public_auth"]>) => ({ enabled, allow_localhost, ...wanted });
  return (
    <section className="card form">
      <h2>
        Without a token <Badge tone={enabled ? "good" : "plain"}>{enabled ? "on" : "off"}</Badge>
      </h2>
      <p>
        When this is on, a page on https://{domains[0]?.domain ?? "one of the domains"} needs no token: its address in
        the browser is enough, and it may do what the public token may. A program can pretend to be a browser on that
        page, so this is as open as a token that is in the page.
      </p>
      <div className="form-actions">
        <ChangeButton
          label={enabled ? "Turn off" : "Turn on"}
          title={enabled ? "Require a token again?" : "Let pages on the domains in without a token?"}
          change={(foyer) =>
            foyer.games.namespaces.toggleNamespaceDomainPublicAuth(game, namespace, set({ enabled: !enabled }))
          }
          done={enabled ? "Pages need a token again." : "Pages on the domains need no token."}
          changes={[["namespace", game, namespace]]}
          isDangerous={enabled}
        >
          {enabled ? (
            <p>Pages without a token are refused at once. Players who have a seat keep it.</p>
          ) : (
            <p>
              {domains.length === 0
                ? "The namespace has no domain yet, so nothing changes until one is added."
                : "Pages on the domains may find, join and create without a token."}
            </p>
          )}
        </ChangeButton>
      </div>
      <h2>
        Pages on localhost <Badge tone={allow_localhost ? "good" : "plain"}>{allow_localhost ? "on" : "off"}</Badge>
      </h2>
      <p>
        For development: pages on localhost, 127.0.0.1 and [::1] may use the public token although the namespace has
        domains.
      </p>
      <div className="form-actions">
        <ChangeButton
          label={allow_localhost ? "Refuse localhost" : "Allow localhost"}
          title={allow_localhost ? "Refuse pages on localhost?" : "Allow pages on localhost?"}
          change={(foyer) =>
            foyer.games.namespaces.toggleNamespaceDomainPublicAuth(
              game,
              namespace,
              set({ allow_localhost: !allow_localhost }),
            )
          }
          done={allow_localhost ? "Pages on localhost are refused." : "Pages on localhost are allowed."}
          changes={[["namespace", game, namespace]]}
        >
          <p>
            {allow_localhost
              ? "Pages on localhost can no longer use the public token, unless the namespace has no domains."
              : "Anyone can open a page on their own localhost, so turn this off where players are."}
          </p>
        </ChangeButton>
      </div>
    </section>
  );
}
