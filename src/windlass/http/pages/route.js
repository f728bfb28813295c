// Tells of one route: what it takes, what it answers, and the form to try it.

import { described, inWords, limits } from "./document.js";
import { make, phrase, prose } from "./nodes.js";
import { chosen, otherwise, shape } from "./shapes.js";
import { trial } from "./try.js";

const PROBLEM = "application/problem+json";

/** The address of a route on this page. */
export function link(operation) {
  return `#${encodeURI(operation.id)}`;
}

/** The method, in its colour. */
export function badge(operation) {
  return make("span", { class: `method ${operation.method.toLowerCase()}` }, operation.method);
}

/** A path that may break after each slash, with its parameters set apart. */
export function path(text) {
  const parts = text.split(/(?<=\/)|(\{\w+\})/).filter(Boolean);
  const named = (part) => (part.startsWith("{") ? make("var", {}, part) : part);
  const shown = parts.map((part) => [named(part), make("wbr")]);
  return make("code", { class: "path" }, shown);
}

/** Everything about a route. */
export function route(operation, page) {
  return [
    head(operation),
    make(
      "div",
      { class: "told" },
      prose(operation.about),
      parameters(operation, page.root),
      body(operation, page.root),
      answers(operation, page.root),
    ),
    make("aside", { class: "trial", "aria-label": "Try it" }, trial(operation, page)),
  ];
}

function head(operation) {
  return make(
    "header",
    { class: "hero" },
    make("button", { type: "button", class: "leap", onclick: leap }, "Try it"),
    make("p", { class: "faint" }, operation.chapter),
    make("h1", {}, phrase(operation.summary)),
    make("p", { class: "line" }, badge(operation), path(operation.path)),
    make("p", { class: "access" }, access(operation)),
  );
}

/** On a narrow page the form comes last: lead there. */
function leap() {
  const form = document.querySelector(".trial");
  form.scrollIntoView();
  form.querySelector("input, select, textarea, button").focus({ preventScroll: true });
}

function access({ secured, scopes, open }) {
  if (!secured) return "Anybody may ask.";
  if (scopes.length === 0) return "For whoever is known, whatever their scopes.";
  const named = scopes.map((scope) => make("code", {}, scope));
  if (open) return ["Needs the scope ", named, ", unless the service is open to local programs."];
  return ["Always needs a token, with the scope ", named, "."];
}

function parameters(operation, root) {
  if (operation.parameters.length === 0) return null;
  const rows = operation.parameters.map((one) => make("li", {}, parameter(one, root)));
  return make("section", {}, make("h2", {}, "Parameters"), make("ul", { class: "tree" }, rows));
}

function parameter({ name, in: place, required, schema = {}, description }, root) {
  const about = description || described(schema);
  const said = limits(schema, root);
  const where = required ? `required in ${place}` : `in ${place}`;
  return make(
    "div",
    { class: "leaf" },
    make("code", { class: "name" }, name),
    make("span", { class: "kind" }, inWords(schema, root)),
    said ? make("span", { class: "limit" }, said) : null,
    otherwise(schema),
    make("span", { class: required ? "required" : "limit" }, where),
    about ? make("p", { class: "about" }, phrase(about)) : null,
    chosen(schema, root),
  );
}

function body(operation, root) {
  if (!operation.body) return null;
  return make("section", {}, make("h2", {}, "Body"), shape(operation.body, root));
}

function answers(operation, root) {
  const problems = operation.answers.filter((one) => one.media === PROBLEM);
  const others = operation.answers.filter((one) => one.media !== PROBLEM);
  return make(
    "section",
    {},
    make("h2", {}, "Answers"),
    others.map((one, place) => answer(one, place === 0, root)),
    problems.length ? refusals(problems, root) : null,
  );
}

function answer(said, open, root) {
  const media = said.media ? make("span", { class: "limit" }, said.media) : null;
  const headers = said.headers.map(([name, { description = "" }]) =>
    make("p", { class: "about" }, make("code", {}, name), " ", phrase(description)),
  );
  return make(
    "details",
    { class: "answer", open },
    make("summary", {}, status("good", said.status), make("span", {}, phrase(said.meaning)), media),
    headers,
    content(said.schema, root),
  );
}

function content(schema, root) {
  if (!schema) return make("p", { class: "faint" }, "No body.");
  return shape(schema, root, { answered: true });
}

/** All refusals have one shape: it is told once, and the statuses in a list. */
function refusals(problems, root) {
  const rows = problems.map((one) => make("li", {}, status("bad", one.status), " ", one.meaning));
  return make(
    "details",
    { class: "answer" },
    make("summary", {}, status("bad", "4xx 5xx"), make("span", {}, "What it is refused for")),
    make("ul", { class: "refusals" }, rows),
    content(problems[0].schema, root),
  );
}

function status(kind, words) {
  return make("span", { class: `status ${kind}` }, words);
}
