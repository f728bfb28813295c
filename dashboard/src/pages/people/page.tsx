/** Users, who log in by name and password; and tokens, for programs. */
import { useQuery } from "@tanstack/react-query";
import { session, useMay } from "~/api/session";
import { Page } from "~/app/page";
import { Empty } from "~/components/empty";
import { Tokens } from "./tokens";
import { Users } from "./users";

const FIRST_USER = `export WINDLASS_SECRET=$(openssl rand -hex 32)
windlass user add ada --scope admin
windlass up`;

export function PeoplePage() {
  const { data: me } = useQuery(session.me);
  const may = useMay("admin");
  return (
    <Page title="Users and tokens">
      {me?.by === "loopback" ? <OpenDoor /> : may ? <Managed /> : <NotForYou />}
    </Page>
  );
}

function Managed() {
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
      <Users />
      <Tokens />
    </div>
  );
}

/** Where everybody on the machine may do everything, users would only pretend to guard it. */
function OpenDoor() {
  return (
    <Empty icon="people" title="Nobody has to log in here" command={FIRST_USER}>
      <p>
        This server talks to its own machine only, and trusts all who are on it. To let others in,
        give it a secret and a first user:
      </p>
    </Empty>
  );
}

function NotForYou() {
  return (
    <Empty icon="people" title="Only for administrators">
      <p>Ask somebody with the scope admin, or log in as one who has it.</p>
    </Empty>
  );
}
