/** The job to copy: as one would submit it again from elsewhere. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ROOT } from "~/api/client";
import { session } from "~/api/session";
import type { Job } from "~/api/shapes";
import { Command } from "~/components/command";
import { Panel } from "~/components/panel";
import { Tabs } from "~/components/tabs";
import { asCommand, asCurl, asPython } from "./again";

const TABS = [
  { key: "curl", title: "curl" },
  { key: "shell", title: "Shell" },
  { key: "python", title: "Python" },
] as const;

type Way = (typeof TABS)[number]["key"];

export function CopyAs({ job }: { job: Job }) {
  const [way, setWay] = useState<Way>("curl");
  const { data: me } = useQuery(session.me);
  const text = {
    curl: () => asCurl(job, ROOT.href, me?.by !== "loopback"),
    shell: () => asCommand(job),
    python: () => asPython(job),
  }[way]();
  return (
    <Panel title="Submit the same again">
      <Tabs label="As" tabs={TABS} active={way} onChange={setWay}>
        <div className="pt-3">
          <Command>{text}</Command>
        </div>
      </Tabs>
    </Panel>
  );
}
