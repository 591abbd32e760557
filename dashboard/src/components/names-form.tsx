import { keepPreviousData, useMutation, useQueryClient } from "@tanstack/react-query";
import type { CallOptions, Foyer, ProposedNames, ValidationAnswer } from "foyer-sdk";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { useAsk } from "../api.ts";
import { useSession } from "../session/session.tsx";
import { ForTerminal } from "./change-dialog.tsx";
import { ErrorBox } from "./error-box.tsx";
import { Field } from "./field.tsx";

interface Properties {
  /** "game" or "namespace". */
  readonly thing: string;
  readonly examples: ProposedNames;
  readonly validate: (foyer: Foyer, names: ProposedNames, options: CallOptions) => Promise<ValidationAnswer>;
  readonly create: (foyer: Foyer, names: ProposedNames) => Promise<unknown>;
  readonly changes: readonly unknown[];
  readonly onCreated: (names: ProposedNames) => void;
  readonly onCancel?: () => void;
}

/** Creates something with two names. Foyer itself checks them while they are typed. */
export function NamesForm({ thing, examples, validate, create, changes, onCreated, onCancel }: Properties) {
  const { foyer } = useSession();
  const cache = useQueryClient();
  const [displayName, setDisplayName] = useState("");
  const [chosenId, setChosenId] = useState<string | null>(null);
  const names = { display_name: displayName, name_id: chosenId ?? suggestNameId(displayName) };
  const issues = useIssues(thing, names, validate);
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => first.current?.focus(), []);
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => create(foyer, names),
    async onSuccess() {
      await cache.invalidateQueries({ queryKey: changes });
      onCreated(names);
    },
  });
  function submit(event: FormEvent) {
    event.preventDefault();
    mutate();
  }
  const isTouched = displayName !== "" || chosenId !== null;
  const isComplete = displayName !== "" && names.name_id !== "";
  return (
    <form className="card form new-form" onSubmit={submit} aria-label={`New ${thing}`}>
      <h2>New {thing}</h2>
      <div className="form-pair">
        <Field label="Display name" hint="What people read." issues={isTouched ? issues.of("display_name") : []}>
          {(properties) => (
            <input
              {...properties}
              ref={first}
              autoComplete="off"
              placeholder={examples.display_name}
              value={displayName}
              onChange={(event) => setDisplayName(event.target.value)}
            />
          )}
        </Field>
        <Field
          label="Name id"
          hint="What addresses and commands use. It cannot be changed later."
          issues={isTouched ? issues.of("name_id") : []}
        >
          {(properties) => (
            <input
              {...properties}
              className="mono"
              autoComplete="off"
              spellCheck={false}
              placeholder={examples.name_id}
              value={names.name_id}
              onChange={(event) => setChosenId(event.target.value)}
            />
          )}
        </Field>
      </div>
      {error && <ErrorBox error={error} />}
      {isComplete && issues.areNone && <ForTerminal change={(client) => create(client, names)} />}
      <div className="form-actions">
        <button type="submit" className="primary" disabled={isPending || !isComplete || !issues.areNone}>
          {isPending ? "Creating …" : `Create ${thing}`}
        </button>
        {onCancel && (
          <button type="button" onClick={onCancel}>
            Cancel
          </button>
        )}
      </div>
    </form>
  );
}

const pauseMs = 200;

/** What Foyer says about the names, asked when the user pauses. */
function useIssues(thing: string, names: ProposedNames, validate: Properties["validate"]) {
  const [asked, setAsked] = useState(names);
  const { display_name, name_id } = names;
  useEffect(() => {
    const timer = setTimeout(() => setAsked({ display_name, name_id }), pauseMs);
    return () => clearTimeout(timer);
  }, [display_name, name_id]);
  const { data } = useAsk(["validate", thing, asked], (foyer, options) => validate(foyer, asked, options), {
    placeholderData: keepPreviousData,
    enabled: asked.display_name !== "" || asked.name_id !== "",
  });
  const errors = data?.errors ?? [];
  return {
    areNone: errors.length === 0,
    of: (field: string) => errors.filter(({ path }) => path[0] === field).map(({ message }) => message),
  };
}

/** A first guess: the display name in the letters that a name id may have. */
function suggestNameId(displayName: string): string {
  const plain = displayName.normalize("NFKD").toLowerCase();
  return plain
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 32)
    .replace(/-+$/, "");
}
