/** Submit a job of any type that workers know; or one again, with something changed. */
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { fleet } from "~/api/fleet";
import { jobs } from "~/api/jobs";
import { useMay } from "~/api/session";
import type { JobType } from "~/api/shapes";
import { Page } from "~/app/page";
import { Empty } from "~/components/empty";
import { Failure } from "~/components/failure";
import { Select } from "~/components/field";
import { Skeletons } from "~/components/skeleton";
import { SubmitForm } from "./form";

const route = getRouteApi("/shell/submit");
// Workers may come and go while one fills in the form.
const ASKED_EVERY = 10_000;
const FIRST_TYPE = `from windlass import Windlass

app = Windlass()

@app.job
async def greet(name: str) -> str:
    return f"Ahoy, {name}!"`;

export function SubmitPage() {
  const may = useMay("jobs:write");
  const { type, from } = route.useSearch();
  const types = useQuery({ ...fleet.types, refetchInterval: ASKED_EVERY });
  const source = useQuery({ ...jobs.one(from ?? ""), enabled: from !== undefined });
  const wanted = source.data?.type ?? type;
  const known = types.data ?? [];
  const chosen = known.find((one) => one.type === wanted) ?? (from ? undefined : known[0]);
  const waiting = types.isPending || (from !== undefined && source.isPending);
  const error = types.error ?? source.error;
  if (!may) return <NotForYou />;
  return (
    <Page title={from ? "Edit and run again" : "Submit"}>
      {waiting && <Skeletons />}
      {error && <Failure error={error} />}
      {types.isSuccess && known.length === 0 && <NoTypes />}
      {!waiting && wanted && !chosen && <Unknown type={wanted} />}
      {!waiting && !from && chosen && <Choice types={known} chosen={chosen} />}
      {!waiting && chosen && (
        <SubmitForm key={`${chosen.type} ${from}`} type={chosen} from={source.data} />
      )}
    </Page>
  );
}

function Choice({ types, chosen }: { types: readonly JobType[]; chosen: JobType }) {
  const go = useNavigate();
  return (
    <div className="max-w-sm">
      <Select
        label="Type"
        value={chosen.type}
        onChange={(event) => void go({ to: "/submit", search: { type: event.target.value } })}
      >
        {types.map(({ type }) => (
          <option key={type}>{type}</option>
        ))}
      </Select>
    </div>
  );
}

function Unknown({ type }: { type: string }) {
  return (
    <Empty icon="warning" title={`Nobody knows the type ${type}`}>
      <p>No worker that is up has published it. Start one whose application has it.</p>
    </Empty>
  );
}

function NoTypes() {
  return (
    <Empty icon="submit" title="No type of job is known" command={FIRST_TYPE}>
      <p>A type is a function. Write one, start a worker with it, and it shows up here:</p>
    </Empty>
  );
}

function NotForYou() {
  return (
    <Page title="Submit">
      <Empty icon="submit" title="You may look, but not submit">
        <p>Ask an administrator for the scope jobs:write.</p>
      </Empty>
    </Page>
  );
}
