// The page of the API: what the document of this service says, route by route.

import { chapters, matches } from "./document.js";
import { make, phrase, prose } from "./nodes.js";
import { badge, link, path, route } from "./route.js";

const at = (id) => document.getElementById(id);
const main = at("main");
const listeners = new Set();
const UNREADABLE = "The document cannot be read: ";
const HOW_TO_GET_IN =
  "Put a token into the field above; `windlass token` prints one. " +
  "It stays in the memory of this page, and is gone when the page is.";

const page = {
  base: new URL(".", location.href), // the service may live below a path of its host
  root: {}, // the document
  chapters: [],
  seen: new Map(), // ids that answers told of, by the parameter that takes them
  token: () => at("token").value.trim(), // kept in its field, and nowhere else
  work: null, // what a request that is under way is stopped with
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
    return trouble(UNREADABLE + error.message);
  }
  page.chapters = chapters(page.root);
  say(page.token() ? "accepted" : "");
  at("version").textContent = page.root.info?.version ?? "";
  at("version").hidden = false;
  list();
  go();
}

async function refused(answer) {
  const problem = await answer.json().catch(() => ({}));
  say(page.token() ? "refused" : "needed");
  const why = problem.detail ?? `the service answered ${answer.status}`;
  if (page.token() || answer.status !== 401) trouble(UNREADABLE + why);
  else main.replaceChildren(title("This service wants to know who asks."));
  if (answer.status !== 401) return;
  main.append(make("p", {}, phrase(HOW_TO_GET_IN)));
  at("token").focus();
}

function say(words) {
  at("token-said").textContent = words;
  at("token-said").className = `said ${words}`;
}

function trouble(words) {
  main.replaceChildren(title(), make("p", { class: "trouble", role: "alert" }, phrase(words)));
}

function title(...words) {
  return make("header", { class: "hero" }, make("h1", {}, "Windlass API"), make("p", {}, words));
}

/** List the routes that the search finds. */
function list() {
  const search = at("search").value.trim();
  const wanted = (operation) => matches(operation, search);
  const found = page.chapters
    .map(({ name, operations }) => ({ name, found: operations.filter(wanted) }))
    .filter((chapter) => chapter.found.length > 0);
  const count = found.reduce((sum, chapter) => sum + chapter.found.length, 0);
  at("routes").replaceChildren(...found.map(listed));
  if (count === 0) at("routes").append(make("p", { class: "faint none" }, "No route says that."));
  at("found").textContent = search ? `${count} routes found` : "";
  mark();
}

function listed({ name, found }) {
  const entries = found.map((one) =>
    make("li", {}, make("a", { href: link(one), title: one.summary }, badge(one), path(one.path))),
  );
  return make("section", {}, make("h2", {}, name), make("ul", {}, entries));
}

/** Show what the address names: a route, or else the overview. */
function go() {
  const id = decodeURI(location.hash.slice(1));
  const all = page.chapters.flatMap((chapter) => chapter.operations);
  const operation = all.find((one) => one.id === id);
  listeners.clear();
  page.work?.abort();
  main.replaceChildren(...(operation ? route(operation, page) : overview()));
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
  const about = page.root.info?.description ?? "";
  return [
    make("header", { class: "hero" }, make("h1", {}, "Windlass API"), prose(about)),
    ...page.chapters.map((chapter) =>
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
  const said = [badge(operation), path(operation.path), summary];
  return make("li", {}, make("a", { href: link(operation) }, said));
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
  say("");
  listeners.forEach((tell) => tell());
});
at("search").addEventListener("input", list);
at("search").addEventListener("keydown", (event) => {
  if (event.key === "Enter") at("routes").querySelector("a")?.click();
});
at("menu").addEventListener("click", () => {
  openMenu(!document.body.classList.contains("menu-open"));
});
addEventListener("keydown", hotkey);
addEventListener("hashchange", follow);
load();
