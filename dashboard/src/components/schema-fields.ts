/** The parts of JSON Schema that Foyer's description of its API uses. */
interface Schema {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly description?: string;
}

export type Schemas = Readonly<Record<string, Schema>>;

export interface FieldHelp {
  /** `game_modes.{name}.max_players` */
  readonly path: string;
  readonly type: string;
  readonly text: string;
  readonly isRequired: boolean;
}

const depthMax = 12;

/** Every field below a schema, in the order of the description. */
export function listFields(schemas: Schemas, name: string): FieldHelp[] {
  return fieldsBelow(schemas, resolve(schemas, schemas[name] ?? {}), "", 0);
}

function fieldsBelow(schemas: Schemas, schema: Schema, path: string, depth: number): FieldHelp[] {
  if (depth > depthMax) return [];
  const { properties = {}, required = [], additionalProperties, items } = schema;
  const own = Object.entries(properties).flatMap(([name, raw]) => {
    const at = path === "" ? name : `${path}.${name}`;
    const field = resolve(schemas, raw);
    const help = {
      path: at,
      type: describeType(field),
      text: describeField(field),
      isRequired: required.includes(name),
    };
    return [help, ...fieldsBelow(schemas, field, at, depth + 1)];
  });
  const named = typeof additionalProperties === "object" ? additionalProperties : null;
  const inner = named ? fieldsBelow(schemas, resolve(schemas, named), `${path}.{name}`, depth + 1) : [];
  const ofItems = items ? fieldsBelow(schemas, resolve(schemas, items), `${path}[]`, depth + 1) : [];
  return [...own, ...inner, ...ofItems];
}

/** What a reference, or "this or null", stands for; a description beside the reference wins. */
function resolve(schemas: Schemas, schema: Schema): Schema {
  const [first] = (schema.anyOf ?? []).filter(({ type }) => type !== "null");
  const { $ref } = schema;
  const target = $ref ? schemas[$ref.slice($ref.lastIndexOf("/") + 1)] : first;
  if (target === undefined) return schema;
  const { description = schema.description, ...rest } = resolve(schemas, target);
  const text = schema.description ?? description;
  return { ...rest, ...(text !== undefined && { description: text }) };
}

function describeType({ type, enum: values }: Schema): string {
  if (values) return values.map((value) => JSON.stringify(value)).join(" or ");
  return [type ?? "any"]
    .flat()
    .filter((each) => each !== "null")
    .join(" or ");
}

function describeField({ description = "", minimum, maximum, default: usual }: Schema): string {
  const bounds = [
    minimum !== undefined && maximum !== undefined && `${minimum} to ${maximum}.`,
    usual !== undefined && `Default ${JSON.stringify(usual)}.`,
  ];
  return [description.replaceAll("`", ""), ...bounds].filter(Boolean).join(" ");
}
