/** What the tables of schema.ts are written in. */

/** What a field holds in TypeScript, by its kind. */
interface KindTypes {
  readonly text: string;
  readonly "text?": string | null;
  readonly number: number;
  readonly "number?": number | null;
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly "time?": number | null;
  readonly flag: boolean;
  /** One of the values in `of`. */
  readonly choice: string;
  readonly "choice?": string | null;
  readonly tags: Tags;
  readonly ids: readonly string[];
  readonly counts: ReadonlyMap<string, number>;
}

export type Kind = keyof KindTypes;
export type Tags = Readonly<Record<string, string>>;

export interface Field {
  readonly kind: Kind;
  /** The values of a choice. */
  readonly of?: readonly string[];
  /** The record format that has it first; 1 if it does not say. */
  readonly since?: number;
  /** What a record of an earlier format has; null, false and the empty text need not be said. */
  readonly absent?: string | number;
  /** What a new record has; "now" is the time of the command. One that does not say gets it from the rule that makes it. */
  readonly first?: string | number | boolean | null;
  /** Comes with the command that makes the record. */
  readonly isGiven?: true;
  /** Never changes. */
  readonly isFixed?: true;
  /** Not part of views. */
  readonly isHidden?: true;
  readonly isNotInJournal?: true;
  /**
   * Where Redis keeps it. Without it: in the record's hash, where rules in Lua see it. "made": only in the text that a
   * lobby was made with, which no rule looks into. "text": beside that, as a field of its own that may change.
   */
  readonly redis?: "made" | "text";
}

export type Fields = Readonly<Record<string, Field>>;

type Value<F extends Field> = F extends { kind: "choice"; of: readonly (infer V)[] }
  ? V
  : F extends { kind: "choice?"; of: readonly (infer V)[] }
    ? V | null
    : KindTypes[F["kind"]];

/** A record's facts: its fixed fields cannot be written to. */
export type Facts<R extends Fields> = {
  readonly [N in keyof R as R[N] extends { isFixed: true } ? N : never]: Value<R[N]>;
} & Changing<R>;

/** The facts that rules change. */
export type Changing<R extends Fields> = {
  -readonly [N in keyof R as R[N] extends { isFixed: true } ? never : N]: Value<R[N]>;
};

/** What the command that makes a record brings. */
export type Given<R extends Fields> = {
  readonly [N in keyof R as R[N] extends { isGiven: true } ? N : never]: Value<R[N]>;
};

/** What has to be known to make a record: everything that has no first value. */
export type Needed<R extends Fields> = {
  readonly [N in keyof R as R[N] extends { first: unknown } ? never : N]: Value<R[N]>;
};

/** What a view shows of a record. */
export type Shown<R extends Fields> = {
  readonly [N in keyof R as R[N] extends { isHidden: true } ? never : N]: Value<R[N]>;
};

export type NamedField = readonly [name: string, field: Field];

export function namedFields(fields: Fields, isWanted: (field: Field) => boolean = () => true): NamedField[] {
  return Object.entries(fields).filter(([, field]) => isWanted(field));
}

/** What a record from before a field existed has in its place. */
export function absentValue(name: string, { kind, absent }: Field): unknown {
  if (absent !== undefined) return absent;
  if (kind.endsWith("?")) return null;
  const empty: { readonly [K in Kind]?: unknown } = { flag: false, text: "", tags: {}, ids: [] };
  if (kind in empty) return empty[kind];
  throw new Error(`The field ${name} of schema.ts must say what records from before it have: give it \`absent\`.`);
}
