// Lays JSON out, digit for digit as it came: numbers are never read and written again.

const TOKEN = /"(?:\\.|[^"\\])*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** The parts of a JSON text, without what stands between them; null if it is none. */
export function tokens(text) {
  try {
    JSON.parse(text);
    return text.match(TOKEN);
  } catch {
    return null;
  }
}

/** The text in one line, if it is JSON. */
export function compact(text) {
  return tokens(text)?.join("") ?? text;
}

/** The parts in lines: each with the gap before it, and whether it is a key. */
export function laidOut(parts) {
  let depth = 0;
  return parts.map((token, at) => {
    if (closes(token)) depth -= 1;
    const placed = { gap: gap(parts[at - 1], token, depth), token, key: parts[at + 1] === ":" };
    if (opens(token)) depth += 1;
    return placed;
  });
}

function opens(token) {
  return token === "{" || token === "[";
}

function closes(token) {
  return token === "}" || token === "]";
}

function gap(before, token, depth) {
  if (before === undefined) return "";
  if (before === ":") return " ";
  if (opens(before) && closes(token)) return "";
  const breaks = opens(before) || closes(token) || before === ",";
  return breaks ? `\n${"  ".repeat(depth)}` : "";
}
