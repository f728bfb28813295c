/** Adds somebody who may log in. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useId, useState, type FormEvent } from "react";
import { api } from "~/api/client";
import { people } from "~/api/people";
import type { Scope } from "~/api/shapes";
import { Button } from "~/components/button";
import { Dialog } from "~/components/dialog";
import { words } from "~/components/failure";
import { Input } from "~/components/field";
import { say } from "~/components/toast";
import { Scopes } from "./scopes";

export function AddUser({ open, onClose }: { open: boolean; onClose: () => void }) {
  const id = useId();
  const foot = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="primary" type="submit" form={id}>
        Add
      </Button>
    </>
  );
  return (
    <Dialog open={open} onClose={onClose} title="Add a user" foot={foot}>
      <NewUser id={id} onDone={onClose} />
    </Dialog>
  );
}

function NewUser({ id, onDone }: { id: string; onDone: () => void }) {
  const [username, setUsername] = useState("");
  const [password, setPassword] = useState("");
  const [scopes, setScopes] = useState<Scope[]>(["jobs:read", "jobs:write"]);
  const queries = useQueryClient();
  const adding = useMutation({
    mutationFn: () => api.post("/auth/users", { body: { username, password, scopes } }),
    onSuccess: () => {
      say(`${username} may log in now`);
      onDone();
      return queries.invalidateQueries({ queryKey: people.users.queryKey });
    },
  });
  const send = (event: FormEvent) => {
    event.preventDefault();
    adding.mutate();
  };
  return (
    <form id={id} onSubmit={send} className="flex flex-col gap-4">
      <Input
        label="Name"
        autoComplete="off"
        required
        value={username}
        onChange={(event) => setUsername(event.target.value)}
      />
      <Input
        label="Password"
        type="password"
        autoComplete="new-password"
        required
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
      <Scopes value={scopes} onChange={setScopes} />
      {adding.isError && (
        <p role="alert" className="text-sm text-failed">
          {words(adding.error)}
        </p>
      )}
    </form>
  );
}
