/** What went wrong, as the API tells it (RFC 9457): in words, and with what to do. */

interface Told {
  type?: string;
  title?: string;
  status?: number;
  detail?: string;
  request_id?: string | null;
  errors?: Record<string, unknown>[] | null;
}

export class Problem extends Error {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly requestId: string | undefined;
  readonly errors: Record<string, unknown>[];

  constructor(told: Told) {
    super(told.detail ?? told.title ?? "something went wrong");
    this.name = "Problem";
    this.type = told.type ?? "about:blank";
    this.title = told.title ?? "Something went wrong";
    this.status = told.status ?? 0;
    this.detail = told.detail ?? "";
    this.requestId = told.request_id ?? undefined;
    this.errors = told.errors ?? [];
  }

  /** The server did not answer at all. */
  static away(): Problem {
    return new Problem({
      type: "away",
      title: "The server does not answer",
      detail: "Check that windlass is running and that this browser can reach it.",
    });
  }

  /** Whether asking again may help. */
  get passing(): boolean {
    return this.status === 0 || this.status === 408 || this.status === 429 || this.status >= 500;
  }
}

export async function problemOf(response: Response): Promise<Problem> {
  const told = await response.json().catch(() => ({}));
  return new Problem({
    title: response.statusText || "Something went wrong",
    detail: `the server answered ${response.status}`,
    ...(told as Told),
    status: response.status,
  });
}
