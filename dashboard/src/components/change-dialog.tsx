import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { useSession } from "../session/session.tsx";
import { type Change, describeCall } from "./describe-call.ts";
import { ErrorBox } from "./error-box.tsx";
import { Copy } from "./parts.tsx";
import { useToast } from "./toast.tsx";

interface Properties<T> {
  /** What the button says that opens the dialog, and the one that makes the change. */
  readonly label: string;
  readonly title: string;
  /** What the change does and what it ends, said before it is made. */
  readonly children: ReactNode;
  readonly change: Change<T>;
  /** The sentence that is shown when it is made. */
  readonly done: string;
  /** The keys of what pages must read again. */
  readonly changes: readonly (readonly unknown[])[];
  readonly isDangerous?: boolean;
  readonly isDisabled?: boolean;
  readonly onDone?: (answer: T) => void;
}

/** A button whose dialog says what the change will do, offers it for the terminal, and makes it. */
export function ChangeButton<T>(properties: Properties<T>) {
  const [isOpen, setIsOpen] = useState(false);
  const { label, isDangerous, isDisabled } = properties;
  return (
    <>
      <button
        type="button"
        className={isDangerous ? "danger" : undefined}
        disabled={isDisabled}
        onClick={() => setIsOpen(true)}
      >
        {label}
      </button>
      {isOpen && <ChangeDialog {...properties} close={() => setIsOpen(false)} />}
    </>
  );
}

function ChangeDialog<T>({ close, ...properties }: Properties<T> & { close: () => void }) {
  const { label, title, children, change, done, changes, isDangerous, onDone } = properties;
  const { foyer } = useSession();
  const cache = useQueryClient();
  const say = useToast();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => change(foyer),
    async onSuccess(answer) {
      say(done);
      await Promise.all(changes.map((queryKey) => cache.invalidateQueries({ queryKey })));
      close();
      onDone?.(answer);
    },
  });
  return (
    <dialog ref={dialog} className="dialog" aria-labelledby="dialog-title" onClose={close}>
      <h2 id="dialog-title">{title}</h2>
      <div className="dialog-text">{children}</div>
      <ForTerminal change={change} />
      {error && <ErrorBox error={error} />}
      <div className="dialog-actions">
        <button type="button" onClick={close}>
          Cancel
        </button>
        <button
          type="button"
          className={isDangerous ? "danger solid" : "primary"}
          disabled={isPending}
          onClick={() => mutate()}
        >
          {isPending ? "Working …" : label}
        </button>
      </div>
    </dialog>
  );
}

/** The same change for a terminal. */
export function ForTerminal({ change }: { change: Change }) {
  const { curl, command } = useMemo(() => describeCall(change, window.location.origin), [change]);
  return (
    <div className="for-terminal">
      <div className="copies">
        <Copy text={command} shown="Copy as foyer command" said="The foyer command is copied." />
        <Copy
          text={curl}
          shown="Copy as curl"
          said="The curl command is copied. It reads the token from FOYER_ADMIN_TOKEN."
        />
      </div>
      <details>
        <summary>Do this in a terminal</summary>
        <pre>{command}</pre>
        <pre>{curl}</pre>
      </details>
    </div>
  );
}
