// Makes requests of routes and what was filled in; also as lines for curl. Touches no page.

import { compact } from "./json.js";

const TOKEN = "Authorization: Bearer $WINDLASS_TOKEN";

/** What fetch is asked for. `filled` gives text by name for `path`, `query` and `header`. */
export function asked(operation, filled, base) {
  const headers = Object.entries(filled.header).filter(([, value]) => value !== "");
  if (operation.body) headers.push(["Content-Type", "application/json"]);
  return {
    method: operation.method,
    url: address(operation, filled, base),
    headers,
    body: operation.body ? filled.body : null,
  };
}

function address(operation, filled, base) {
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name) =>
    encodeURIComponent(filled.path[name] || name.toUpperCase()),
  );
  const query = Object.entries(filled.query).filter(([, value]) => value !== "");
  const search = new URLSearchParams(query).toString();
  return new URL(path.slice(1), base).href + (search ? `?${search}` : "");
}

/** The request as a command for a shell; the token stays in the shell's environment. */
export function curl(request, { token = false, stream = false } = {}) {
  const parts = [stream ? "curl -N" : "curl"];
  if (request.method !== "GET" && !(request.method === "POST" && request.body !== null)) {
    parts[0] += ` -X ${request.method}`;
  }
  parts[0] += ` ${quoted(request.url)}`;
  if (token) parts.push(`-H "${TOKEN}"`);
  for (const [name, value] of request.headers) parts.push(`-H ${quoted(`${name}: ${value}`)}`);
  // Not -d: a body that begins with @ would name a file.
  if (request.body !== null) parts.push(`--data-raw ${quoted(compact(request.body))}`);
  return parts.join(" \\\n  ");
}

function quoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
