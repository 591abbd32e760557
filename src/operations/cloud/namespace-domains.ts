import { domainsPerNamespaceMax } from "../../ground/limits.ts";
import { addDomain, removeDomain } from "../../store/domains.ts";
import { setDomainPublicAuth } from "../../store/namespaces.ts";
import type { Context } from "../context.ts";
import type { Handlers } from "../handlers.ts";
import { isRefusal, refuse } from "../refusal.ts";
import { normaliseDomain } from "./domain-names.ts";
import { lookUpNamespace, namespaceNotFound } from "./lookup.ts";

/** The domains of a namespace, and whether pages on them may call without a token. */
export function namespaceDomainOperations(context: Context) {
  const { db } = context;

  return {
    "games.namespaces.addNamespaceDomain": async ({ params, body, record }) => {
      const checked = normaliseDomain(body.domain);
      if ("issue" in checked) return invalidDomain(checked.issue);
      const namespace = await lookUpNamespace(db, params);
      if (isRefusal(namespace)) return namespace;
      const { domain } = checked;
      const outcome = await addDomain(record({ target: domain }), {
        namespaceId: namespace.namespaceId,
        domain,
        createTs: context.now(),
        domainsMax: domainsPerNamespaceMax,
      });
      if (outcome === "TAKEN") {
        return refuse(
          "CLOUD_DOMAIN_TAKEN",
          `The domain ${domain} belongs to another namespace; remove it there first.`,
        );
      }
      if (outcome === "TOO_MANY") {
        const message = `The namespace has ${domainsPerNamespaceMax} domains, the maximum. Remove one first.`;
        return refuse("CLOUD_TOO_MANY_DOMAINS", message);
      }
      return outcome === "NAMESPACE_NOT_FOUND" ? namespaceNotFound(params.namespace_id) : null;
    },

    "games.namespaces.removeNamespaceDomain": async ({ params, record }) => {
      const checked = normaliseDomain(params.domain);
      if ("issue" in checked) return invalidDomain(checked.issue);
      const namespace = await lookUpNamespace(db, params);
      if (isRefusal(namespace)) return namespace;
      const { domain } = checked;
      await removeDomain(record({ target: domain }), namespace.namespaceId, domain);
      return null;
    },

    "games.namespaces.toggleNamespaceDomainPublicAuth": async ({ params, body, record }) => {
      // See docs/decisions/0032.
      if (body.enabled == null && body.allow_localhost == null) return nothingToSet();
      const namespace = await lookUpNamespace(db, params);
      if (isRefusal(namespace)) return namespace;
      const revision = await setDomainPublicAuth(record(), namespace.namespaceId, {
        ...(typeof body.enabled === "boolean" && { enabled: body.enabled }),
        ...(typeof body.allow_localhost === "boolean" && { allowLocalhost: body.allow_localhost }),
      });
      return revision === null ? namespaceNotFound(params.namespace_id) : null;
    },
  } satisfies Partial<Handlers>;
}

function nothingToSet() {
  const message = "Pass enabled or allow_localhost, or both.";
  return refuse("API_BAD_BODY", message, { errors: [{ path: ["enabled"], message }] });
}

function invalidDomain(message: string) {
  return refuse("CLOUD_INVALID_DOMAIN", message, { errors: [{ path: ["domain"], message }] });
}
