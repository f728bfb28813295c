/** What can be done with a job as it stands. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { api } from "~/api/client";
import { jobs } from "~/api/jobs";
import { useMay } from "~/api/session";
import type { Job } from "~/api/shapes";
import { Button, buttonLook } from "~/components/button";
import { Confirm } from "~/components/confirm";
import { Icon } from "~/components/icon";
import { isLive } from "~/components/state";
import { say, sayProblem } from "~/components/toast";
import { useKeys } from "~/keys/keys";
import { ACTS, can, perform } from "../jobs/acts";

type Deed = "retry" | "cancel" | "run";

export function Acting({ job }: { job: Job }) {
  const may = useMay("jobs:write");
  const go = useNavigate();
  const queries = useQueryClient();
  const [deleting, setDeleting] = useState(false);
  const doing = useMutation({
    mutationFn: (deed: Deed) =>
      deed === "run"
        ? api.post("/jobs/{job_id}/run", { path: { job_id: job.id } })
        : perform(deed, job.id),
    onSuccess: (_, deed) => say(told(deed, job)),
    onError: sayProblem,
    onSettled: () => queries.invalidateQueries({ queryKey: ["job", job.id] }),
  });
  const again = () => void go({ to: "/submit", search: { from: job.id } });
  const finished = !isLive(job.status);

  useKeys([
    ...(may && can("retry", job)
      ? [{ keys: "r", does: "Retry the job", act: () => doing.mutate("retry") }]
      : []),
    ...(may && can("cancel", job)
      ? [{ keys: "c", does: "Cancel the job", act: () => doing.mutate("cancel") }]
      : []),
    ...(may && finished ? [{ keys: "e", does: "Edit and run again", act: again }] : []),
  ]);

  if (!may) return null;
  const button = (deed: Deed, words: string, kind: "plain" | "primary" | "danger") => (
    <Button
      kind={kind}
      icon={deed === "run" ? "play" : ACTS[deed].icon}
      busy={doing.isPending && doing.variables === deed}
      disabled={deed === "cancel" && job.cancel_requested}
      onClick={() => doing.mutate(deed)}
    >
      {words}
    </Button>
  );
  return (
    <>
      {can("retry", job) && button("retry", "Retry", "primary")}
      {job.status === "scheduled" && button("run", "Run now", "primary")}
      {can("cancel", job) &&
        button("cancel", job.cancel_requested ? "Asked to stop" : "Cancel", "danger")}
      {finished && (
        <Link to="/submit" search={{ from: job.id }} className={buttonLook()}>
          <Icon name="edit" />
          Edit and run again
        </Link>
      )}
      {finished && (
        <Button
          kind="danger"
          icon="remove"
          aria-label="Delete"
          title="Delete"
          onClick={() => setDeleting(true)}
        />
      )}
      <Confirm
        open={deleting}
        onClose={() => setDeleting(false)}
        title="Delete this job?"
        verb="Delete"
        act={async () => {
          await perform("delete", job.id);
          queries.removeQueries({ queryKey: jobs.one(job.id).queryKey });
          say("Deleted");
          await go({ to: "/jobs" });
        }}
      >
        <p>{ACTS.delete.means}</p>
      </Confirm>
    </>
  );
}

function told(deed: Deed, job: Job): string {
  if (deed === "cancel" && job.status === "running") return "Asked to stop";
  return { retry: "Back in line", cancel: "Cancelled", run: "In line now" }[deed];
}
