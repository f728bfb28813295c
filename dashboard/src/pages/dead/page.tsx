/** Dead letters: what failed for good, by what went wrong, and the ways back. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { dead } from "~/api/dead";
import { stats } from "~/api/stats";
import { Page } from "~/app/page";
import { Empty } from "~/components/empty";
import { Failure } from "~/components/failure";
import { Skeletons } from "~/components/skeleton";
import { Time } from "~/components/time";
import { count } from "~/components/words";
import { BulkProgress } from "../jobs/bulk";
import { GroupPanel } from "./group";

// What the API answers may be a second old, so that many can look at once.
const ASKED_EVERY = 3_000;

export function DeadPage() {
  const groups = useQuery({ ...dead.groups, refetchInterval: ASKED_EVERY });
  const [bulks, setBulks] = useState<readonly string[]>([]);
  const { data: counts } = useQuery(stats.counts);
  const queries = useQueryClient();
  // The count of failed jobs is told as it changes: then the groups have changed too.
  useEffect(() => {
    void queries.invalidateQueries({ queryKey: dead.groups.queryKey });
  }, [counts?.failed, queries]);
  const forget = (id: string) => setBulks((all) => all.filter((one) => one !== id));
  return (
    <Page
      title="Dead letters"
      actions={
        groups.data && <p className="text-sm text-soft">{count(groups.data.total, "job")}</p>
      }
    >
      {bulks.map((id) => (
        <BulkProgress key={id} id={id} onClose={() => forget(id)} />
      ))}
      {groups.isPending && <Skeletons />}
      {groups.isLoadingError && (
        <Failure error={groups.error} again={() => void groups.refetch()} />
      )}
      {groups.data?.groups.length === 0 && <NoLetters />}
      {groups.data?.groups.map((group) => (
        <GroupPanel
          key={`${group.type} ${group.fingerprint}`}
          group={group}
          onBulk={(id) => setBulks((all) => [...all, id])}
        />
      ))}
      {groups.data?.looked_back_to && (
        <p className="text-sm text-soft">
          There are more than were looked at: these failed since{" "}
          <Time at={groups.data.looked_back_to} exact />.
        </p>
      )}
    </Page>
  );
}

function NoLetters() {
  return (
    <Empty icon="completed" title="No dead letters" command="windlass dead">
      <p>
        A job that has used up its attempts is kept here, with its error, until somebody decides
        what becomes of it. The same in a terminal:
      </p>
    </Empty>
  );
}
