/** Asks the API: every path, parameter and answer is as the OpenAPI document has it. */
import { Problem, problemOf } from "./problem";
import { noteAnswer } from "./reach";
import type { paths } from "./schema";

type Method = "get" | "post" | "delete";
type Good = 200 | 201 | 202 | 204;
export type Path<M extends Method> = {
  [P in keyof paths]: paths[P][M] extends object ? P : never;
}[keyof paths];

type Operation<P extends keyof paths, M extends Method> = NonNullable<paths[P][M]>;
type Parameters<O, K extends "path" | "query"> = O extends { parameters: infer A }
  ? K extends keyof A
    ? NonNullable<A[K]>
    : never
  : never;
// What is undefined is not sent.
type Unsaid<Q> = { [K in keyof Q]: Q[K] | undefined };
type Body<O> = O extends { requestBody: { content: { "application/json": infer B } } } ? B : never;
type Said<R> = R extends { content: { "application/json": infer B } } ? B : undefined;
type Answered<O> = O extends { responses: infer R }
  ? { [S in keyof R & Good]: Said<R[S]> }[keyof R & Good]
  : never;
type Given<K extends string, V> = [V] extends [never]
  ? unknown
  : undefined extends V
    ? Partial<Record<K, V>>
    : Record<K, V>;

export type Asked<P extends keyof paths, M extends Method> = Given<
  "path",
  Parameters<Operation<P, M>, "path">
> &
  Given<"body", Body<Operation<P, M>>> & {
    query?: Unsaid<Parameters<Operation<P, M>, "query">>;
    headers?: Record<string, string>;
    signal?: AbortSignal;
  };

export type Answer<P extends keyof paths, M extends Method> = Answered<Operation<P, M>>;

/** A page of a list, and from where the next one goes on, if there is one. */
export interface Page<T> {
  items: T;
  next: string | undefined;
  headers: Headers;
}

interface Loose {
  path?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** Where the API is: one step up from the dashboard, whatever stands before that. */
export const ROOT = new URL("..", document.baseURI);

let csrf: string | undefined;
let onStranger: () => void = () => {};

/** Tells what to send along with every change; the session of a browser has such a token. */
export function sendAlong(token: string | undefined): void {
  csrf = token;
}

/** What to do when the API wants to know who asks. */
export function whenStranger(act: () => void): void {
  onStranger = act;
}

export const api = {
  get: <P extends Path<"get">>(path: P, asked?: Asked<P, "get">): Promise<Answer<P, "get">> =>
    data("get", path, asked),
  post: <P extends Path<"post">>(path: P, asked: Asked<P, "post">): Promise<Answer<P, "post">> =>
    data("post", path, asked),
  delete: <P extends Path<"delete">>(
    path: P,
    asked: Asked<P, "delete">,
  ): Promise<Answer<P, "delete">> => data("delete", path, asked),
  page: async <P extends Path<"get">>(
    path: P,
    asked?: Asked<P, "get">,
  ): Promise<Page<Answer<P, "get">>> => {
    const response = await fetched("get", path, (asked ?? {}) as Loose);
    const items = (await response.json()) as Answer<P, "get">;
    return { items, next: nextOf(response.headers), headers: response.headers };
  },
};

/** The address of something, for links and pictures. */
export function address(path: string, given: Omit<Loose, "body"> = {}): URL {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(given.path?.[name] ?? ""),
  );
  const url = new URL(filled.slice(1), ROOT);
  for (const [name, value] of Object.entries(given.query ?? {})) {
    if (value !== undefined && value !== null && value !== "") {
      url.searchParams.set(name, String(value));
    }
  }
  return url;
}

async function data<T>(method: Method, path: string, asked?: unknown): Promise<T> {
  const response = await fetched(method, path, (asked ?? {}) as Loose);
  if (response.status === 204) return undefined as T;
  return (await response.json()) as T;
}

async function fetched(method: Method, path: string, given: Loose): Promise<Response> {
  const response = await answered(address(path, given), {
    method: method.toUpperCase(),
    headers: headersOf(method, given),
    ...(given.body !== undefined && { body: JSON.stringify(given.body) }),
    ...(given.signal && { signal: given.signal }),
  });
  if (response.ok) return response;
  const problem = await problemOf(response);
  if (problem.status === 401 && path !== "/auth/login") onStranger();
  throw problem;
}

async function answered(url: URL, init: RequestInit): Promise<Response> {
  try {
    const response = await fetch(url, { ...init, credentials: "same-origin" });
    noteAnswer(true);
    return response;
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    noteAnswer(false);
    throw Problem.away();
  }
}

function headersOf(method: Method, given: Loose): Record<string, string> {
  const headers: Record<string, string> = { accept: "application/json", ...given.headers };
  if (given.body !== undefined) headers["content-type"] = "application/json";
  if (method !== "get" && csrf !== undefined) headers["x-csrf-token"] = csrf;
  return headers;
}

function nextOf(headers: Headers): string | undefined {
  const found = /<([^>]*)>;\s*rel="?next"?/.exec(headers.get("link") ?? "");
  if (!found?.[1]) return undefined;
  return new URL(found[1], ROOT).searchParams.get("before") ?? undefined;
}
