// Reads an OpenAPI document: its chapters, and shapes in words and by example. Touches no page.

const METHODS = ["get", "post", "put", "patch", "delete"];
const MOST_REFERENCES = 20; // in a row; more would be a circle
const WORDS = {
  string: "text",
  integer: "whole number",
  number: "number",
  boolean: "true or false",
  null: "null",
  object: "object",
  array: "list",
};
const FORMATS = {
  "date-time": ["time", "2030-01-31T12:00:00Z"],
  date: ["date", "2030-01-31"],
  uuid: ["UUID", "00000000-0000-0000-0000-000000000000"],
  uri: ["address", "urn:example:1"],
  email: ["mail address", "somebody@localhost"],
  byte: ["bytes in base64", ""],
};

/** The routes in chapters, each chapter as the document orders and describes it. */
export function chapters(root) {
  const known = new Map();
  for (const { name, description = "" } of root.tags ?? []) {
    known.set(name, { name, about: description, operations: [] });
  }
  for (const operation of operations(root)) {
    const name = operation.chapter;
    if (!known.has(name)) known.set(name, { name, about: "", operations: [] });
    known.get(name).operations.push(operation);
  }
  return [...known.values()].filter((chapter) => chapter.operations.length > 0);
}

/** Every route of the document. */
export function operations(root) {
  return Object.entries(root.paths ?? {}).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method) => operation(method, path, item[method])),
  );
}

function operation(method, path, said) {
  const security = said.security ?? [];
  const content = said.requestBody?.content ?? {};
  return {
    id: `${method}${path}`,
    method: method.toUpperCase(),
    path,
    chapter: said.tags?.[0] ?? "Other",
    summary: said.summary ?? path,
    about: said.description ?? "",
    parameters: said.parameters ?? [],
    body: content["application/json"]?.schema ?? null,
    answers: Object.entries(said.responses ?? {}).map(answer),
    secured: security.length > 0,
    scopes: security.flatMap((one) => Object.values(one).flat()),
    open: security.some((one) => Object.keys(one).length === 0), // to local programs, without proof
  };
}

function answer([status, said]) {
  const [media, content] = Object.entries(said.content ?? {})[0] ?? [null, {}];
  return {
    status,
    meaning: said.description ?? "",
    media,
    schema: content.schema ?? null,
    headers: Object.entries(said.headers ?? {}),
  };
}

/** Whether each word of a search is somewhere in what is said of the route. */
export function matches(operation, search) {
  const names = operation.parameters.map((parameter) => parameter.name);
  const said = [operation.method, operation.path, operation.summary, operation.about]
    .concat(operation.chapter, names)
    .join(" ")
    .toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => said.includes(word));
}

/** The schema itself, where it is only named. */
export function resolve(schema, root) {
  let found = schema ?? {};
  for (let step = 0; found.$ref && step < MOST_REFERENCES; step += 1) {
    const parts = found.$ref.replace(/^#\//, "").split("/");
    found = parts.reduce((at, part) => at?.[unescaped(part)], root) ?? {};
  }
  return found;
}

function unescaped(part) {
  return decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
}

/** What a value of this schema is, as in "list of Job" or "text or null". */
export function inWords(schema, root) {
  const some = branches(schema);
  if (some) return [...new Set(some.map((one) => inWords(one, root)))].join(" or ");
  const found = resolve(schema, root);
  if (found !== schema && found.title && found.properties) return found.title;
  if (found !== schema) return inWords(found, root);
  if ("const" in found) return JSON.stringify(found.const);
  if (found.enum) return "one of";
  if (Array.isArray(found.type)) return found.type.map((type) => WORDS[type] ?? type).join(" or ");
  if (found.type === "array") return `list of ${inWords(found.items ?? {}, root)}`;
  if (found.additionalProperties?.type && !found.properties) {
    return `${inWords(found.additionalProperties, root)} for each name`;
  }
  if (found.type === "string") return FORMATS[found.format]?.[0] ?? WORDS.string;
  return WORDS[found.type] ?? (found.properties ? WORDS.object : "anything");
}

/** What a value must keep to, as in "1 to 255 characters". */
export function limits(schema, root) {
  const found = plain(schema, root);
  const said = [
    between(found.minimum, found.maximum, ""),
    found.exclusiveMinimum === undefined ? "" : `more than ${found.exclusiveMinimum}`,
    found.exclusiveMaximum === undefined ? "" : `less than ${found.exclusiveMaximum}`,
    between(found.minLength, found.maxLength, " characters"),
    between(found.minItems, found.maxItems, " entries"),
    found.pattern ? `like ${found.pattern}` : "",
  ];
  return said.filter(Boolean).join(", ");
}

function between(least, most, unit) {
  if (least === undefined && most === undefined) return "";
  if (most === undefined && unit && least <= 1) return least === 1 ? "not empty" : "";
  if (most === undefined) return `at least ${counted(least)}${unit}`;
  if (least === undefined) return `at most ${counted(most)}${unit}`;
  return `${counted(least)} to ${counted(most)}${unit}`;
}

function counted(number) {
  return number.toLocaleString("en");
}

/** The values that may be chosen from, or null. */
export function choices(schema, root) {
  return plain(schema, root).enum ?? null;
}

/** What is said about a value; of an optional one its description stands further in. */
export function described(schema) {
  const inner = (branches(schema) ?? []).map((one) => one.description);
  return schema.description ?? inner.find(Boolean) ?? "";
}

/** What a value is if nothing is said, as text; "" if that is nothing to speak of. */
export function standard(schema) {
  const value = schema.default ?? "";
  return value === "" ? "" : JSON.stringify(value);
}

/** The fields of an object, of the entries of a list, or of what is there unless null. */
export function fields(schema, root) {
  const found = plain(schema, root);
  if (found.type === "array") return fields(found.items ?? {}, root);
  return Object.entries(found.properties ?? {}).map(([name, inner]) => ({
    name,
    schema: inner,
    required: (found.required ?? []).includes(name),
  }));
}

/** The schema without its name and without "or null". */
export function plain(schema, root) {
  const found = resolve(schema, root);
  const some = branches(found)?.filter((one) => one.type !== "null");
  return some?.length ? plain(some[0], root) : found;
}

function branches(schema) {
  return schema.anyOf ?? schema.oneOf ?? null;
}

/** A value of this schema: with what it must have, and what it has when nothing is said. */
export function example(schema, root, name = "text", within = []) {
  if (schema.$ref && within.includes(schema.$ref)) return null;
  const inside = schema.$ref ? [...within, schema.$ref] : within;
  const found = resolve(schema, root);
  if ("const" in found) return found.const;
  if (found.examples?.length) return found.examples[0];
  if (found.default !== undefined && found.default !== null) return found.default;
  if (found.enum) return found.enum[0];
  const some = branches(found)?.filter((one) => one.type !== "null");
  if (some?.length) return example(some[0], root, name, inside);
  return made(found, root, name, inside);
}

function made(schema, root, name, within) {
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case "string":
      return FORMATS[schema.format]?.[1] ?? fitted(name, schema);
    case "integer":
    case "number":
      return number(schema);
    case "boolean":
      return false;
    case "null":
      return null;
    case "array":
      return entries(schema, root, name, within);
    default:
      return object(schema, root, within);
  }
}

function fitted(name, { minLength = 0, maxLength = Infinity }) {
  return name.slice(0, maxLength).padEnd(minLength, "x");
}

function number({ minimum, exclusiveMinimum, maximum, exclusiveMaximum }) {
  const above = exclusiveMinimum === undefined ? -Infinity : exclusiveMinimum + 1;
  const below = exclusiveMaximum === undefined ? Infinity : exclusiveMaximum - 1;
  const least = Math.max(minimum ?? -Infinity, above);
  const most = Math.min(maximum ?? Infinity, below);
  if (least <= most) return Math.min(Math.max(1, least), most);
  return ((minimum ?? exclusiveMinimum) + (maximum ?? exclusiveMaximum)) / 2; // less than 1 apart
}

function entries(schema, root, name, within) {
  const one = schema.items ? example(schema.items, root, name.replace(/s$/, ""), within) : name;
  return Array(Math.max(1, schema.minItems ?? 1)).fill(one);
}

function object(schema, root, within) {
  const needed = fields(schema, root).filter(
    (field) => field.required || standard(resolve(field.schema, root)) !== "",
  );
  return Object.fromEntries(
    needed.map((field) => [field.name, example(field.schema, root, field.name, within)]),
  );
}
