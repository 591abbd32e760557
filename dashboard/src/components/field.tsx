import { type ReactNode, useId } from "react";

interface InputProperties {
  readonly id: string;
  readonly "aria-describedby"?: string;
  readonly "aria-invalid"?: true;
}

interface Properties {
  readonly label: string;
  readonly hint?: ReactNode;
  /** What is wrong with the value, as sentences. */
  readonly issues?: readonly string[];
  /** Gets what connects the input with its label, hint and issues. */
  readonly children: (properties: InputProperties) => ReactNode;
}

/** A labelled input with a hint and the issues of its value. */
export function Field({ label, hint, issues = [], children }: Properties) {
  const id = useId();
  const described = [hint ? `${id}-hint` : "", issues.length > 0 ? `${id}-issues` : ""].filter(Boolean).join(" ");
  return (
    <div className={issues.length > 0 ? "field invalid" : "field"}>
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        ...(described !== "" && { "aria-describedby": described }),
        ...(issues.length > 0 && { "aria-invalid": true as const }),
      })}
      {hint && (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      <div className="issues" id={`${id}-issues`} aria-live="polite">
        {issues.map((issue) => (
          <p key={issue}>{issue}</p>
        ))}
      </div>
    </div>
  );
}
