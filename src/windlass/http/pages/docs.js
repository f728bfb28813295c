// The page of the API: what the document of this service says, route by route.

import { chapters, described, inWords, limits, matches } from "./document.js";
import { make, phrase, prose } from "./nodes.js";
import { chosen, shape } from "./shapes.js";
import { trial } from "./try.js";

const at = (id) => document.getElementById(id);
const main = at("main");
const listeners = new Set();

const page = {
  base: new URL(".", location.href), // the service may live below a path of its host
  root: {}, // the document
  chapters: [],
  seen: new Map(), // ids that answers told of, by the parameter that takes them
  token: () => at("token").value.trim(), // kept in its field, and nowhere else
  whenTokenChanges: (tell) => listeners.add(tell),
  ask,
  types,
};

/** Ask the service. A token speaks for itself: then no cookie goes along. */
function ask({ method, url, headers, body }, signal) {
  const all = new Headers(headers);
  const token = page.token();
  if (token) all.set("Authorization", `Bearer ${token}`);
  const credentials = token ? "omit" : "same-origin";
  return fetch(url, { method, headers: all, body, signal, credentials, cache: "no-store" });
}

function read(path) {
  return ask({ method: "GET", url: new URL(path, page.base), headers: [], body: null });
}

async function types() {
  try {
    const answer = await read("types");
    return answer.ok ? await answer.json() : [];
  } catch {
    return [];
  }
}

/** Read the document; if the service wants a token for it, ask for one. */
async function load() {
  try {
    const answer = await read("openapi.json");
    if (!answer.ok) return refused(answer);
    page.root = await answer.json();
  } catch (error) {
    return trouble(`The document cannot be read: ${error.message}.`);
  }
  page.chapters = chapters(page.root);
  at("token-said").textContent = page.token() ? "accepted" : "";
  at("version").textContent = page.root.info?.version ?? "";
  at("version").hidden = false;
  list();
  go();
}

async function refused(answer) {
  const problem = await answer.json().catch(() => ({}));
  at("token-said").textContent = page.token() ? "refused" : "needed";
  trouble(answer.status === 401 ? "This service wants to know who asks." : `The service answered ${answer.status}.`);
  main.append(make("p", {}, phrase(problem.detail ?? "")));
  if (answer.status !== 401) return;
  const hint = "Put a token into the field above: `windlass token` prints one. It stays in this page's memory only, and is gone when the page is.";
  main.append(make("p", {}, phrase(hint)));
  at("token").focus();
}

function trouble(words) {
  main.replaceChildren(make("h1", {}, "Windlass API"), make("p", { class: "trouble", role: "alert" }, words));
}

/** List the routes that the search finds. */
function list() {
  const search = at("search").value.trim();
  const found = page.chapters
    .map((chapter) => ({ ...chapter, operations: chapter.operations.filter((one) => matches(one, search)) }))
    .filter((chapter) => chapter.operations.length > 0);
  const count = found.reduce((sum, chapter) => sum + chapter.operations.length, 0);
  at("routes").replaceChildren(...found.map(listed));
  if (count === 0) at("routes").append(make("p", { class: "faint none" }, "No route says that."));
  at("found").textContent = search ? `${count} routes found` : "";
  mark();
}

function listed(chapter) {
  const entries = chapter.operations.map((one) =>
    make("li", {}, make("a", { href: link(one), title: one.summary }, badge(one), path(one.path))),
  );
  return make("section", {}, make("h2", {}, chapter.name), make("ul", {}, entries));
}

function link(operation) {
  return `#${encodeURI(operation.id)}`;
}

function badge(operation) {
  return make("span", { class: `method ${operation.method.toLowerCase()}` }, operation.method);
}

/** A path that may break after each slash, with its parameters set apart. */
function path(text) {
  const parts = text.split(/(?<=\/)|(\{\w+\})/).filter(Boolean);
  const shown = parts.map((part) => (part.startsWith("{") ? make("var", {}, part) : [part, make("wbr")]));
  return make("code", { class: "path" }, shown);
}

/** Show what the address names: a route, or else the overview. */
function go() {
  const id = decodeURI(location.hash.slice(1));
  const operation = page.chapters.flatMap((chapter) => chapter.operations).find((one) => one.id === id);
  listeners.clear();
  main.replaceChildren(...(operation ? route(operation) : overview()).flat(Infinity).filter(Boolean));
  document.title = operation ? `${operation.summary} · Windlass API` : "Windlass API";
  main.classList.toggle("route", Boolean(operation));
  mark();
}

function mark() {
  for (const entry of at("routes").querySelectorAll("a")) {
    const here = decodeURI(entry.hash) === decodeURI(location.hash) && location.hash !== "";
    if (here) entry.setAttribute("aria-current", "page");
    else entry.removeAttribute("aria-current");
    if (here) entry.scrollIntoView({ block: "nearest" });
  }
}

function overview() {
  const { info = {} } = page.root;
  return [
    make("header", { class: "hero" }, make("h1", {}, `${info.title ?? ""} API`), prose(info.description ?? "")),
    page.chapters.map((chapter) =>
      make(
        "section",
        { class: "chapter" },
        make("h2", {}, chapter.name),
        make("p", { class: "faint" }, phrase(chapter.about)),
        make("ul", { class: "cards" }, chapter.operations.map(card)),
      ),
    ),
  ];
}

function card(operation) {
  const summary = make("span", { class: "summary" }, phrase(operation.summary));
  return make("li", {}, make("a", { href: link(operation) }, badge(operation), path(operation.path), summary));
}

function route(operation) {
  return [
    make(
      "header",
      { class: "hero" },
      make("button", { type: "button", class: "leap", onclick: leap }, "Try it"),
      make("p", { class: "faint" }, operation.chapter),
      make("h1", {}, phrase(operation.summary)),
      make("p", { class: "line" }, badge(operation), path(operation.path)),
      make("p", { class: "access" }, access(operation)),
    ),
    make("div", { class: "told" }, prose(operation.about), parameters(operation), body(operation), answers(operation)),
    make("aside", { class: "trial", "aria-label": "Try it" }, trial(operation, page)),
  ];
}

/** On a narrow page the form comes last: lead there. */
function leap() {
  main.querySelector(".trial").scrollIntoView();
  main.querySelector(".trial :is(input, select, textarea, button)").focus({ preventScroll: true });
}

function access(operation) {
  if (!operation.secured) return "Anybody may ask.";
  if (operation.scopes.length === 0) return "For whoever is known, whatever their scopes.";
  const scopes = operation.scopes.map((scope) => make("code", {}, scope));
  if (operation.open) return ["Needs the scope ", scopes, ", unless the service is open to local programs."];
  return ["Always needs a token, with the scope ", scopes, "."];
}

function parameters(operation) {
  if (operation.parameters.length === 0) return null;
  return make("section", {}, make("h2", {}, "Parameters"), make("ul", { class: "tree" }, operation.parameters.map(parameter)));
}

function parameter({ name, in: place, required, schema = {}, description }) {
  const about = description || described(schema, page.root);
  const said = limits(schema, page.root);
  const standard = schema.default ?? null;
  const leaf = make(
    "div",
    { class: "leaf" },
    make("code", { class: "name" }, name),
    make("span", { class: "kind" }, inWords(schema, page.root)),
    said ? make("span", { class: "limit" }, said) : null,
    standard === null ? null : make("span", { class: "limit" }, "= ", make("code", {}, String(standard))),
    make("span", { class: required ? "required" : "limit" }, required ? `required in ${place}` : `in ${place}`),
    about ? make("p", { class: "about" }, phrase(about)) : null,
    chosen(schema, page.root),
  );
  return make("li", {}, leaf);
}

function body(operation) {
  if (!operation.body) return null;
  return make("section", {}, make("h2", {}, "Body"), shape(operation.body, page.root));
}

function answers(operation) {
  const problems = operation.answers.filter((one) => one.media === "application/problem+json");
  const good = operation.answers.filter((one) => !problems.includes(one));
  return make("section", {}, make("h2", {}, "Answers"), good.map(answer), problems.length ? refusals(problems) : null);
}

function answer(said, place) {
  const status = make("span", { class: "status good" }, said.status);
  const headers = said.headers.map(([name, header]) =>
    make("p", { class: "about" }, make("code", {}, name), " ", phrase(header.description ?? "")),
  );
  const media = said.media ? make("span", { class: "limit" }, said.media) : null;
  return make(
    "details",
    { class: "answer", open: place === 0 },
    make("summary", {}, status, make("span", {}, phrase(said.meaning)), media),
    headers,
    said.schema ? shape(said.schema, page.root, { answered: true }) : make("p", { class: "faint" }, "No body."),
  );
}

/** All refusals have one shape: it is told once, and the statuses in a row. */
function refusals(problems) {
  const rows = problems.map((one) =>
    make("li", {}, make("span", { class: "status bad" }, one.status), " ", one.meaning),
  );
  return make(
    "details",
    { class: "answer" },
    make("summary", {}, make("span", { class: "status bad" }, "4xx 5xx"), make("span", {}, "What it is refused for")),
    make("ul", { class: "refusals" }, rows),
    shape(problems[0].schema ?? {}, page.root, { answered: true }),
  );
}

function openMenu(open) {
  document.body.classList.toggle("menu-open", open);
  at("menu").setAttribute("aria-expanded", String(open));
}

function hotkey(event) {
  if (event.key === "Escape") openMenu(false);
  const typing = event.target.closest("input, textarea, select");
  if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  openMenu(true);
  at("search").focus();
}

function follow() {
  if (location.hash === "#main") return main.focus();
  openMenu(false);
  go();
  scrollTo(0, 0);
  main.focus({ preventScroll: true });
}

at("token-form").addEventListener("submit", (event) => {
  event.preventDefault();
  load();
});
at("token").addEventListener("input", () => {
  at("token-said").textContent = "";
  listeners.forEach((tell) => tell());
});
at("search").addEventListener("input", list);
at("search").addEventListener("keydown", (event) => {
  if (event.key === "Enter") at("routes").querySelector("a")?.click();
});
at("menu").addEventListener("click", () => openMenu(!document.body.classList.contains("menu-open")));
addEventListener("keydown", hotkey);
addEventListener("hashchange", follow);
load();
