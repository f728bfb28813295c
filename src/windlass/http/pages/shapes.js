// Shows the shape of a value as a tree that opens where there is more to see.

import { choices, described, fields, inWords, limits, resolve, standard } from "./document.js";
import { make, phrase } from "./nodes.js";

const MOST_CHOICES = 12;

/** The fields of a shape, or in a line what it is if it has none.

    Of what is asked for, it tells what must be there; of what is answered, what may be absent. */
export function shape(schema, root, { answered = false } = {}) {
  const inner = fields(schema, root);
  const words = make("p", { class: "words" }, inWords(schema, root), limited(schema, root));
  const about = described(resolve(schema, root));
  return [
    words,
    about ? make("p", { class: "about" }, phrase(about)) : null,
    inner.length ? tree(inner, root, answered) : null,
    chosen(schema, root),
  ];
}

function tree(inner, root, answered) {
  return make("ul", { class: "tree" }, inner.map((field) => branch(field, root, answered)));
}

function branch(field, root, answered) {
  const inner = fields(field.schema, root);
  if (inner.length === 0) return make("li", {}, leaf(field, root, answered));
  const opened = make("details", {}, make("summary", {}, leaf(field, root, answered)));
  // What stands further in is made when somebody looks: shapes may contain themselves.
  const fill = () => opened.append(tree(inner, root, answered));
  opened.addEventListener("toggle", fill, { once: true });
  return make("li", {}, opened);
}

function leaf(field, root, answered) {
  const about = described(field.schema);
  return make(
    "div",
    { class: "leaf" },
    make("code", { class: "name" }, field.name),
    make("span", { class: "kind" }, inWords(field.schema, root)),
    limited(field.schema, root),
    answered ? null : otherwise(field.schema),
    presence(field.required, answered),
    about ? make("p", { class: "about" }, phrase(about)) : null,
    chosen(field.schema, root),
  );
}

function presence(required, answered) {
  if (required === answered) return null; // as is usual
  const words = answered ? "may be absent" : "required";
  return make("span", { class: answered ? "limit" : "required" }, words);
}

function limited(schema, root) {
  const said = limits(schema, root);
  return said ? make("span", { class: "limit" }, said) : null;
}

/** What the value is if nothing is said. */
export function otherwise(schema) {
  const said = standard(schema);
  return said ? make("span", { class: "limit" }, "= ", make("code", {}, said)) : null;
}

/** The values to choose from. */
export function chosen(schema, root) {
  const values = choices(schema, root);
  if (!values) return null;
  const shown = values.slice(0, MOST_CHOICES).map((one) => make("code", {}, String(one)));
  const more = values.length > MOST_CHOICES ? `and ${values.length - MOST_CHOICES} more` : "";
  return make("p", { class: "choices" }, shown, more);
}
