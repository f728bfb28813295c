// Makes what the page shows. Whatever comes from outside becomes text, never markup.

import { laidOut, tokens } from "./json.js";

const MOST_COLOURED = 200_000; // characters; beyond, colours cost more than they tell

/** An element with attributes, listeners (as `onclick`) and children. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null) element.setAttribute(name, value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== ""));
  return element;
}

/** Paragraphs, with what stands between backticks as code. */
export function prose(text) {
  return text
    .split(/\n\s*\n/)
    .filter((paragraph) => paragraph.trim())
    .map((paragraph) => make("p", {}, phrase(paragraph)));
}

/** A phrase, with what stands between backticks as code. */
export function phrase(text) {
  return text.split("`").map((part, at) => (at % 2 ? make("code", {}, part) : part));
}

/** JSON laid out and coloured; anything else as it is. */
export function json(text) {
  const parts = text.length > MOST_COLOURED ? null : tokens(text);
  if (!parts) return [text];
  return laidOut(parts).map(({ gap, token, key }) => [gap, coloured(token, key)]);
}

function coloured(token, key) {
  if (token.startsWith('"')) return make("span", { class: key ? "key" : "text" }, token);
  if (/^[-\d]/.test(token)) return make("span", { class: "number" }, token);
  if (/^[tfn]/.test(token)) return make("span", { class: "word" }, token);
  return token;
}

/** Code with a button that copies it. */
export function copyable(code, label) {
  const said = make("span", { "aria-live": "polite" }, "Copy");
  const copy = async () => {
    said.textContent = (await copied(code.textContent)) ? "Copied" : "Select it";
    setTimeout(() => {
      said.textContent = "Copy";
    }, 1500);
  };
  const attributes = { type: "button", class: "copy", "aria-label": label, onclick: copy };
  const button = make("button", attributes, said);
  return make("div", { class: "code" }, button, make("pre", { tabindex: "0" }, code));
}

async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false; // a page that is not on https or loopback may not
  }
}
