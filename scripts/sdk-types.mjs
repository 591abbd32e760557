/** A schema of openapi.json as a TypeScript type. `indent` is that of the line it starts on. */
export function typeOf(schema, indent = "") {
  if (schema.$ref) return schema.$ref.split("/").at(-1);
  if (schema.enum) return union(schema.enum.map((value) => JSON.stringify(value)));
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const branches = schema.anyOf ?? schema.oneOf;
  if (branches) return union(branches.map((branch) => typeOf(branch, indent)));
  if (Array.isArray(schema.type)) return union(schema.type.map((type) => typeOf({ ...schema, type }, indent)));
  switch (schema.type) {
    case "string":
    case "boolean":
    case "null":
      return schema.type;
    case "integer":
    case "number":
      return "number";
    case "array":
      return arrayOf(typeOf(schema.items ?? {}, indent));
    case "object":
      return objectOf(schema, indent);
    default:
      return "unknown";
  }
}

function union(types) {
  const all = [...new Set(types)];
  return all.includes("unknown") ? "unknown" : all.join(" | ");
}

function arrayOf(item) {
  return item.includes(" | ") ? `readonly (${item})[]` : `readonly ${item}[]`;
}

function objectOf({ properties, required = [], additionalProperties }, indent) {
  if (!properties) {
    const value = typeof additionalProperties === "object" ? typeOf(additionalProperties, indent) : "unknown";
    return `Readonly<Record<string, ${value}>>`;
  }
  const inner = `${indent}  `;
  const lines = Object.entries(properties).map(([name, field]) => {
    const mark = required.includes(name) ? "" : "?";
    return `${describe(field.description, inner)}${inner}readonly ${nameOf(name)}${mark}: ${typeOf(field, inner)};\n`;
  });
  return lines.length === 0 ? "Record<string, never>" : `{\n${lines.join("")}${indent}}`;
}

function nameOf(name) {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

/** A comment for hovers. */
export function describe(text, indent = "") {
  return text ? `${indent}/** ${text.replaceAll("*/", "* /")} */\n` : "";
}
