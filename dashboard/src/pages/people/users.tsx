/** Who may log in: a list, a way to add somebody, and a way to send somebody off. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "~/api/client";
import { people } from "~/api/people";
import type { User } from "~/api/shapes";
import { Button } from "~/components/button";
import { Confirm } from "~/components/confirm";
import { Empty } from "~/components/empty";
import { Failure } from "~/components/failure";
import { Panel } from "~/components/panel";
import { Skeletons } from "~/components/skeleton";
import { Time } from "~/components/time";
import { say } from "~/components/toast";
import { AddUser } from "./add-user";

export function Users() {
  const users = useQuery(people.users);
  const [adding, setAdding] = useState(false);
  const [leaving, setLeaving] = useState<User>();
  const add = (
    <Button small icon="submit" onClick={() => setAdding(true)}>
      Add a user
    </Button>
  );
  return (
    <Panel title="Users" aside={add} flush>
      {users.isPending && (
        <div className="p-4">
          <Skeletons rows={2} />
        </div>
      )}
      {users.isLoadingError && <Failure error={users.error} again={() => void users.refetch()} />}
      {users.data?.length === 0 && <NoUsers />}
      <ul className="divide-y divide-line">
        {users.data?.map((user) => (
          <Row key={user.username} user={user} onRemove={() => setLeaving(user)} />
        ))}
      </ul>
      <AddUser open={adding} onClose={() => setAdding(false)} />
      <Remove user={leaving} onClose={() => setLeaving(undefined)} />
    </Panel>
  );
}

function NoUsers() {
  return (
    <Empty
      icon="people"
      title="Nobody can log in yet"
      command="windlass user add ada --scope admin"
    >
      <p>Add somebody here, or from a terminal on the server:</p>
    </Empty>
  );
}

function Row({ user, onRemove }: { user: User; onRemove: () => void }) {
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5 text-sm">
      <span className="font-medium">{user.username}</span>
      {user.scopes.map((scope) => (
        <code key={scope} className="rounded bg-sunken px-1.5 font-mono text-xs text-soft">
          {scope}
        </code>
      ))}
      <span className="ml-auto text-xs text-faint">
        added <Time at={user.created_at} />
      </span>
      <Button
        kind="ghost"
        small
        icon="remove"
        aria-label={`Remove ${user.username}`}
        onClick={onRemove}
      />
    </li>
  );
}

function Remove({ user, onClose }: { user: User | undefined; onClose: () => void }) {
  const queries = useQueryClient();
  const removing = useMutation({
    mutationFn: (name: string) => api.delete("/auth/users/{name}", { path: { name } }),
    onSuccess: (_, name) => {
      say(`${name} is removed, and logged out everywhere`);
      return queries.invalidateQueries({ queryKey: people.users.queryKey });
    },
  });
  const name = user?.username ?? "";
  return (
    <Confirm
      open={user !== undefined}
      onClose={onClose}
      title={`Remove ${name}?`}
      verb={`Remove ${name}`}
      act={() => removing.mutateAsync(name)}
    >
      <p>
        {name} is logged out everywhere and cannot log in again. Jobs that {name} submitted stay.
      </p>
    </Confirm>
  );
}
