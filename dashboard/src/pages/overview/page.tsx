/** How things stand at a glance: what is wrong, how much flows, how long it takes, what fails. */
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { WINDOWS } from "~/api/history";
import { stats } from "~/api/stats";
import { Page } from "~/app/page";
import { Choice } from "~/components/choice";
import { Charts } from "./charts";
import { Failing } from "./failing";
import { First } from "./first";
import { Incidents } from "./incidents";
import { Saturation } from "./saturation";
import { Tiles } from "./tiles";
import { Workers } from "./workers";

const route = getRouteApi("/shell/");
const NAMES = {
  "5m": "5 min",
  "15m": "15 min",
  "1h": "1 h",
  "6h": "6 h",
  "1d": "1 day",
  "7d": "7 days",
};

export function OverviewPage() {
  const { window = "15m" } = route.useSearch();
  const go = route.useNavigate();
  const { data: counts } = useQuery(stats.counts);
  const none = counts && Object.values(counts).every((count) => count === 0);
  const choice = (
    <Choice
      label="How far back"
      options={WINDOWS.map((key) => ({ key, title: NAMES[key] }))}
      chosen={window}
      onChoose={(key) => void go({ to: "/", search: { window: key }, replace: true })}
    />
  );
  return (
    <Page title="Overview" actions={!none && choice}>
      <Incidents />
      {none ? (
        <First />
      ) : (
        <>
          <Tiles />
          <Charts window={window} />
          <div className="grid gap-4 lg:grid-cols-2">
            <div className="flex min-w-0 flex-col gap-4">
              <Saturation />
              <Workers />
            </div>
            <Failing window={window} />
          </div>
        </>
      )}
    </Page>
  );
}
