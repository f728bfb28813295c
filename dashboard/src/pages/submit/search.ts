/** What the address says about the job to be submitted. */
export interface SubmitSearch {
  /** Of this type. */
  type?: string | undefined;
  /** Like this job, to be edited and run again. */
  from?: string | undefined;
}

export function submitSearch(said: Record<string, unknown>): SubmitSearch {
  return {
    type: typeof said["type"] === "string" ? said["type"] : undefined,
    from: typeof said["from"] === "string" ? said["from"] : undefined,
  };
}
