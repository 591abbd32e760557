import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Field } from "./field.tsx";
import { type FieldHelp, listFields, type Schemas } from "./schema-fields.ts";

const shownMax = 60;

/** Every field of the version document with what it means, from the API's own description. */
export function SchemaHelp() {
  const [search, setSearch] = useState("");
  const fields = useQuery({
    queryKey: ["version-fields"],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const answer = await fetch("/openapi.json", { signal });
      const { components } = (await answer.json()) as { components: { schemas: Schemas } };
      return listFields(components.schemas, "VersionConfig");
    },
  });
  const wanted = search.trim().toLowerCase();
  const found = (fields.data ?? []).filter(({ path, text }) => `${path} ${text}`.toLowerCase().includes(wanted));
  return (
    <aside className="card form schema-help">
      <h2>Fields</h2>
      <Field label="Search">
        {(properties) => (
          <input
            {...properties}
            type="search"
            placeholder="reconnect"
            value={search}
            onChange={(event) => setSearch(event.target.value)}
          />
        )}
      </Field>
      {fields.isError && <p className="hint">The description of the fields could not be loaded.</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard. */}
      <section className="fields" tabIndex={0} aria-label="Fields of the document">
        <dl>
          {found.slice(0, shownMax).map((field) => (
            <OneField key={field.path} {...field} />
          ))}
        </dl>
      </section>
      {found.length > shownMax && <p className="hint">{found.length - shownMax} more; search for what you need.</p>}
    </aside>
  );
}

function OneField({ path, type, text, isRequired }: FieldHelp) {
  return (
    <div>
      <dt>
        <code>{path}</code> <span className="muted">{type}</span> {isRequired && <b>required</b>}
      </dt>
      <dd>{text}</dd>
    </div>
  );
}
