/** What a type's JSON schema asks for, as fields that people can fill in. */

export type Kind = "text" | "number" | "boolean" | "choice" | "json";

export interface Asked {
  name: string;
  kind: Kind;
  required: boolean;
  hint: string | undefined;
  choices: readonly string[];
  /** What it is if nothing is said, in words. */
  otherwise: string | undefined;
}

type Schema = Record<string, unknown>;

/** The fields of a payload, required ones first; none, if it is no object that names them. */
export function asked(schema: unknown): Asked[] {
  const root = isSchema(schema) ? schema : {};
  const shape = followed(root, root);
  const required = Array.isArray(shape["required"]) ? shape["required"].map(String) : [];
  const properties = isSchema(shape["properties"]) ? shape["properties"] : {};
  const names = Object.keys(properties);
  const ordered = new Set([...required.filter((name) => names.includes(name)), ...names]);
  return [...ordered].map((name) => {
    const told = properties[name];
    return field(name, isSchema(told) ? told : {}, root, required.includes(name));
  });
}

/** A payload to begin with: what is required is there, and empty. */
export function blank(fields: readonly Asked[]): Schema {
  const needed = fields.filter((one) => one.required);
  return Object.fromEntries(needed.map((one) => [one.name, EMPTY[one.kind]]));
}

const EMPTY: Record<Kind, unknown> = { text: "", number: 0, boolean: false, choice: "", json: "" };

function field(name: string, told: Schema, root: Schema, required: boolean): Asked {
  const plain = single(told, root);
  const choices = Array.isArray(plain["enum"]) ? plain["enum"].map(String) : [];
  return {
    name,
    kind: choices.length > 0 ? "choice" : kindOf(plain),
    required,
    hint: [told["description"], plain["description"]].find((hint) => typeof hint === "string"),
    choices,
    otherwise: said(told["default"]),
  };
}

function kindOf(plain: Schema): Kind {
  switch (plain["type"]) {
    case "string":
      return "text";
    case "integer":
    case "number":
      return "number";
    case "boolean":
      return "boolean";
    default:
      return "json";
  }
}

/** The one shape that a value may have besides null; `{}` if there are several. */
function single(told: Schema, root: Schema): Schema {
  const shape = followed(told, root);
  const either = shape["anyOf"] ?? shape["oneOf"];
  if (!Array.isArray(either)) return shape;
  const shapes = either.filter(isSchema).filter((one) => one["type"] !== "null");
  if (shapes.every((one) => one["type"] === "integer" || one["type"] === "number")) {
    return { type: "number" };
  }
  const [first, ...others] = shapes;
  return first && others.length === 0 ? followed(first, root) : {};
}

function followed(told: Schema, root: Schema): Schema {
  const reference = told["$ref"];
  if (typeof reference !== "string" || !reference.startsWith("#/")) return told;
  let place: unknown = root;
  for (const step of reference.slice(2).split("/")) {
    place = isSchema(place) ? place[step] : undefined;
  }
  return isSchema(place) ? place : {};
}

function said(otherwise: unknown): string | undefined {
  if (otherwise === undefined || otherwise === null) return undefined;
  return typeof otherwise === "string" ? otherwise : JSON.stringify(otherwise);
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
