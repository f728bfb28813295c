// Sends requests from the page, and shows what came back.

import { choices, described, example, limits, plain, standard } from "./document.js";
import { copyable, json, make } from "./nodes.js";
import { asked, curl } from "./request.js";

const MOST_SHOWN = 500_000; // characters of a body
const READABLE = /^(text\/|application\/([\w.-]+\+)?json|application\/openmetrics)/;

/** The form of a route with its line for curl, and the place for answers. */
export function trial(operation, page) {
  const inputs = { path: {}, query: {}, header: {} };
  const rows = operation.parameters.map((parameter) => field(parameter, inputs, page));
  const body = operation.body ? bodyField(operation, page) : null;
  const filled = () => ({
    path: values(inputs.path),
    query: values(inputs.query),
    header: values(inputs.header),
    body: body?.input.value ?? null,
  });
  const place = answerPlace();
  const request = () => asked(operation, filled(), page.base);
  const form = make(
    "form",
    { class: "try", autocomplete: "off" },
    make("div", { class: "fields" }, rows),
    body?.nodes ?? null,
  );
  const sent = (work) => exchange(request(), place, page, work.signal);
  sender(form, sent, page);
  return [make("h2", {}, "Try it"), form, curlLine(form, operation, request, page), place.section];
}

/** Let the form send, one request at a time; one that takes long can be stopped. */
function sender(form, sent, page) {
  const stopped = () => page.work?.abort();
  const send = make("button", { type: "submit", class: "send" }, "Send");
  const stop = make("button", { type: "button", hidden: true, onclick: stopped }, "Stop");
  form.append(make("div", { class: "actions" }, send, stop));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    page.work = new AbortController();
    [send.disabled, stop.hidden] = [true, false];
    await sent(page.work);
    [send.disabled, stop.hidden] = [false, true];
  });
}

/** What was filled in, as a command; it follows every change. */
function curlLine(form, operation, request, page) {
  const line = make("code", {});
  const tell = () => {
    line.textContent = command(operation, request(), page);
  };
  form.addEventListener("input", tell);
  page.whenTokenChanges(tell);
  tell();
  return [
    make("h3", {}, "With curl"),
    make("div", { class: "wrapped" }, copyable(line, "Copy the curl line")),
  ];
}

/** Where answers are shown. Only the outcome is read aloud; a body may be long. */
function answerPlace() {
  const outcome = make("p", { class: "outcome", role: "status" });
  const content = make("div", {});
  const section = make("section", { class: "answered", "aria-label": "Answer", hidden: true });
  section.append(make("h3", {}, "Answer"), outcome, content);
  return { section, outcome, content };
}

function command(operation, request, page) {
  const token = operation.secured && (!operation.open || page.token() !== "");
  const stream = operation.answers.some((one) => one.media === "text/event-stream");
  return curl(request, { token, stream });
}

function values(inputs) {
  return Object.fromEntries(Object.entries(inputs).map(([name, input]) => [name, input.value]));
}

function field(parameter, inputs, page) {
  const id = `try-${parameter.in}-${parameter.name}`;
  const input = control(parameter, id, page);
  inputs[parameter.in][parameter.name] = input;
  const where = make("span", { class: "faint" }, parameter.required ? "required" : parameter.in);
  const label = make("label", { for: id }, parameter.name, " ", where);
  return make("div", { class: "field" }, label, input);
}

function control(parameter, id, page) {
  const { schema = {}, name, required = false } = parameter;
  const found = plain(schema, page.root);
  const options = found.type === "boolean" ? ["true", "false"] : choices(schema, page.root);
  if (options) {
    const listed = ["", ...options].map((one) => make("option", { value: one }, String(one)));
    return make("select", { id, required }, listed);
  }
  const whole = found.type === "integer";
  return make("input", {
    id,
    required,
    type: "text",
    inputmode: whole ? "numeric" : null,
    autocomplete: "off",
    spellcheck: "false",
    placeholder: standard(schema),
    title: described(schema) || limits(schema, page.root) || null,
    value: parameter.in === "path" ? (page.seen.get(name) ?? "") : "",
  });
}

function bodyField(operation, page) {
  const first = JSON.stringify(example(operation.body, page.root), null, 2);
  const lines = Math.min(Math.max(first.split("\n").length + 1, 6), 22);
  const look = { rows: String(lines), spellcheck: "false", autocapitalize: "off" };
  const input = make("textarea", { id: "try-body", ...look });
  input.value = first;
  const kind = make("span", { class: "faint" }, "JSON");
  const label = make("label", { for: "try-body" }, "Body ", kind);
  const nodes = make("div", { class: "field" }, label, input);
  if (takesType(operation.body, page.root)) offerTypes(nodes, input, page);
  return { input, nodes };
}

function takesType(schema, root) {
  const { properties = {} } = plain(schema, root);
  return "type" in properties && "payload" in properties;
}

/** Let a type of job be chosen that is known to a worker; the body becomes one of that type. */
async function offerTypes(nodes, input, page) {
  const first = input.value;
  const types = await page.types();
  if (types.length === 0) return;
  const fill = () => {
    const one = types.find((type) => type.type === select.value);
    if (!one) return;
    const payload = example(one.payload_schema ?? {}, one.payload_schema ?? {});
    input.value = JSON.stringify({ type: one.type, payload }, null, 2);
    input.dispatchEvent(new Event("input", { bubbles: true }));
  };
  const options = types.map((one) => make("option", { value: one.type }, one.type));
  const select = make(
    "select",
    { id: "try-type", onchange: fill },
    make("option", { value: "" }, "any type of job"),
    options,
  );
  nodes.prepend(make("label", { for: "try-type" }, "Example for"), select);
  if (input.value !== first) return; // somebody writes already
  select.value = types[0].type;
  fill();
}

async function exchange(request, place, page, signal) {
  const start = performance.now();
  place.section.hidden = false;
  place.outcome.replaceChildren("Waiting for the answer …");
  place.content.replaceChildren();
  try {
    const answer = await page.ask(request, signal);
    await show(answer, place, performance.now() - start, page);
  } catch (error) {
    if (signal.aborted) place.outcome.append(make("span", { class: "faint" }, "stopped"));
    else place.outcome.replaceChildren(failed(error));
  }
}

function failed(error) {
  const words = "Is the service still there, and may this page ask it?";
  return make("span", { class: "trouble" }, `No answer: ${error.message}. ${words}`);
}

async function show(answer, { section, outcome, content }, took, page) {
  const media = answer.headers.get("content-type") ?? "";
  outcome.replaceChildren(...outcomeOf(answer, took));
  content.append(headers(answer));
  section.scrollIntoView({ block: "nearest" });
  if (media.startsWith("text/event-stream")) await flow(answer, content);
  else if (media && !READABLE.test(media)) content.append(await saved(answer, media));
  else await whole(answer, content, page);
  section.scrollIntoView({ block: "nearest" });
}

function outcomeOf(answer, took) {
  const words = [`${Math.round(took)} ms`, answer.redirected ? `from ${answer.url}` : ""];
  const kind = answer.ok ? "good" : "bad";
  return [
    make("span", { class: `status ${kind}` }, `${answer.status} ${answer.statusText}`),
    ...words.map((word) => make("span", { class: "faint" }, word)),
  ];
}

function headers(answer) {
  const rows = [...answer.headers].map(([name, value]) => [
    make("dt", {}, name),
    make("dd", {}, value),
  ]);
  return make(
    "details",
    { class: "headers" },
    make("summary", {}, `${rows.length} headers`),
    make("dl", {}, rows),
  );
}

async function whole(answer, content, page) {
  const text = await answer.text();
  if (text === "") {
    content.append(make("p", { class: "faint" }, "No body."));
    return;
  }
  remember(text, page);
  const code = make("code", {}, json(text.slice(0, MOST_SHOWN)));
  content.append(copyable(code, "Copy the body"));
  if (text.length > MOST_SHOWN) content.append(make("p", { class: "faint" }, "… and more."));
}

/** Offer the id of the job that was just seen wherever a job is asked for. */
function remember(text, page) {
  try {
    const value = JSON.parse(text);
    const id = (Array.isArray(value) ? value[0] : value)?.id;
    if (typeof id === "string") page.seen.set("job_id", id);
  } catch {
    // Not JSON: nothing to remember.
  }
}

async function flow(answer, content) {
  const code = make("code", {});
  content.append(make("div", { class: "code" }, make("pre", { tabindex: "0" }, code)));
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    code.textContent = (code.textContent + part.value).slice(-MOST_SHOWN);
  }
}

async function saved(answer, media) {
  const blob = await answer.blob();
  const href = URL.createObjectURL(blob);
  const save = make("a", { href, download: "answer" }, "Save");
  return make("p", {}, `${blob.size} bytes of ${media}. `, save);
}
