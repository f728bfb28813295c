// Sends requests from the page, and shows what came back.

import { choices, described, example, limits, plain } from "./document.js";
import { copyable, json, make } from "./nodes.js";
import { asked, curl } from "./request.js";

const MOST_SHOWN = 500_000; // characters of a body
const READABLE = /^(text\/|application\/([\w.-]+\+)?json|application\/openmetrics)/;

/** The form of a route with its line for curl, and the place for answers. */
export function trial(operation, page) {
  const inputs = { path: {}, query: {}, header: {} };
  const rows = operation.parameters.map((parameter) => field(parameter, inputs, page));
  const body = operation.body ? bodyField(operation, page) : null;
  const line = make("code", {});
  const answered = make("section", { class: "answered", "aria-label": "Answer", "aria-live": "polite" });
  const stop = make("button", { type: "button", class: "quiet", hidden: true }, "Stop");
  const send = make("button", { type: "submit", class: "send" }, "Send");
  const filled = () => ({
    path: values(inputs.path),
    query: values(inputs.query),
    header: values(inputs.header),
    body: body?.input.value ?? null,
  });
  const tell = () => {
    line.textContent = command(operation, filled(), page);
  };
  const submit = async (event) => {
    event.preventDefault();
    const work = new AbortController();
    stop.onclick = () => work.abort();
    [send.disabled, stop.hidden] = [true, false];
    await exchange(asked(operation, filled(), page.base), answered, page, work.signal);
    [send.disabled, stop.hidden] = [false, true];
  };
  const form = make(
    "form",
    { class: "try", onsubmit: submit, oninput: tell, autocomplete: "off" },
    make("div", { class: "fields" }, rows),
    body?.nodes ?? null,
    make("div", { class: "actions" }, send, stop),
  );
  page.whenTokenChanges(tell);
  tell();
  return [
    make("h2", {}, "Try it"),
    form,
    make("h3", {}, "With curl"),
    make("div", { class: "wrapped" }, copyable(line, "Copy the curl line")),
    answered,
  ];
}

function command(operation, filled, page) {
  const token = operation.secured && (!operation.open || page.token() !== "");
  const stream = operation.answers.some((one) => one.media === "text/event-stream");
  return curl(asked(operation, filled, page.base), { token, stream });
}

function values(inputs) {
  return Object.fromEntries(Object.entries(inputs).map(([name, input]) => [name, input.value]));
}

function field(parameter, inputs, page) {
  const id = `try-${parameter.in}-${parameter.name}`;
  const input = control(parameter, id, page);
  inputs[parameter.in][parameter.name] = input;
  const where = make("span", { class: "faint" }, parameter.required ? "required" : parameter.in);
  return make("div", { class: "field" }, make("label", { for: id }, parameter.name, " ", where), input);
}

function control(parameter, id, page) {
  const { schema = {}, name, required = false } = parameter;
  const found = plain(schema, page.root);
  const options = found.type === "boolean" ? ["true", "false"] : choices(schema, page.root);
  if (options) {
    const listed = ["", ...options].map((one) => make("option", { value: one }, String(one)));
    return make("select", { id, required }, listed);
  }
  const standard = schema.default ?? "";
  const whole = found.type === "integer";
  return make("input", {
    id,
    required,
    type: "text",
    inputmode: whole ? "numeric" : null,
    autocomplete: "off",
    spellcheck: "false",
    placeholder: String(standard),
    title: described(schema, page.root) || limits(schema, page.root) || null,
    value: parameter.in === "path" ? (page.seen.get(name) ?? "") : "",
  });
}

function bodyField(operation, page) {
  const first = JSON.stringify(example(operation.body, page.root), null, 2);
  const lines = Math.min(Math.max(first.split("\n").length + 1, 6), 22);
  const input = make("textarea", { id: "try-body", rows: String(lines), spellcheck: "false", autocapitalize: "off" });
  input.value = first;
  const label = make("label", { for: "try-body" }, "Body ", make("span", { class: "faint" }, "JSON"));
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

async function exchange(request, answered, page, signal) {
  const start = performance.now();
  answered.replaceChildren(make("p", { class: "faint" }, "Waiting for the answer …"));
  try {
    const answer = await page.ask(request, signal);
    await show(answer, answered, performance.now() - start, page);
  } catch (error) {
    if (signal.aborted) answered.append(make("p", { class: "faint" }, "Stopped."));
    else answered.replaceChildren(failed(error));
  }
}

function failed(error) {
  return make(
    "p",
    { class: "trouble" },
    `No answer: ${error.message}. Is the service still there, and may this page ask it?`,
  );
}

async function show(answer, answered, took, page) {
  const media = answer.headers.get("content-type") ?? "";
  const good = answer.ok ? "good" : "bad";
  const from = answer.redirected ? make("span", { class: "faint" }, `from ${answer.url}`) : null;
  const status = make("span", { class: `status ${good}` }, `${answer.status} ${answer.statusText}`);
  const time = make("span", { class: "faint" }, `${Math.round(took)} ms`);
  answered.replaceChildren(
    make("h3", {}, "Answer"),
    make("p", { class: "outcome" }, status, time, from),
    headers(answer),
  );
  answered.scrollIntoView({ block: "nearest" });
  if (media.startsWith("text/event-stream")) await flow(answer, answered);
  else if (media && !READABLE.test(media)) answered.append(await saved(answer, media));
  else await whole(answer, answered, page);
  answered.scrollIntoView({ block: "nearest" });
}

function headers(answer) {
  const rows = [...answer.headers].map(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]);
  return make(
    "details",
    { class: "headers" },
    make("summary", {}, `${rows.length} headers`),
    make("dl", {}, rows),
  );
}

async function whole(answer, answered, page) {
  const text = await answer.text();
  if (text === "") {
    answered.append(make("p", { class: "faint" }, "No body."));
    return;
  }
  remember(text, page);
  const code = make("code", {}, json(text.slice(0, MOST_SHOWN)));
  answered.append(copyable(code, "Copy the body"));
  if (text.length > MOST_SHOWN) answered.append(make("p", { class: "faint" }, "… and more."));
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

async function flow(answer, answered) {
  const code = make("code", {});
  answered.append(make("div", { class: "code" }, make("pre", { tabindex: "0" }, code)));
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    code.textContent = (code.textContent + part.value).slice(-MOST_SHOWN);
  }
}

async function saved(answer, media) {
  const blob = await answer.blob();
  const href = URL.createObjectURL(blob);
  return make("p", {}, `${blob.size} bytes of ${media}. `, make("a", { href, download: "answer" }, "Save"));
}
