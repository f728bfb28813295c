/** Makes a token for a program, shows it once, and revokes one by its id. */
import { useMutation } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { api, type Answer } from "~/api/client";
import type { Scope } from "~/api/shapes";
import { Button } from "~/components/button";
import { Command } from "~/components/command";
import { words } from "~/components/failure";
import { Input, Select } from "~/components/field";
import { Panel } from "~/components/panel";
import { say } from "~/components/toast";
import { span } from "~/components/words";
import { Scopes } from "./scopes";

const LIFETIMES = [
  { expires: "1h", label: "an hour" },
  { expires: "1d", label: "a day" },
  { expires: "30d", label: "30 days" },
  { expires: "90d", label: "90 days" },
];

type Made = Answer<"/auth/tokens", "post">;

export function Tokens() {
  const [made, setMade] = useState<Made>();
  return (
    <Panel title="Tokens for programs">
      <div className="flex flex-col gap-6">
        {made ? <Shown made={made} onDone={() => setMade(undefined)} /> : <Make onMade={setMade} />}
        <Revoke />
      </div>
    </Panel>
  );
}

function Make({ onMade }: { onMade: (made: Made) => void }) {
  const [subject, setSubject] = useState("");
  const [scopes, setScopes] = useState<Scope[]>(["jobs:read", "jobs:write"]);
  const [expires, setExpires] = useState("30d");
  const making = useMutation({
    mutationFn: () => api.post("/auth/tokens", { body: { subject, scopes, expires } }),
    onSuccess: onMade,
  });
  const send = (event: FormEvent) => {
    event.preventDefault();
    making.mutate();
  };
  return (
    <form onSubmit={send} className="flex flex-col gap-4">
      <Input
        label="For"
        hint="A name that tells in the logs who it was"
        placeholder="billing"
        required
        value={subject}
        onChange={(event) => setSubject(event.target.value)}
      />
      <Select label="Good for" value={expires} onChange={(event) => setExpires(event.target.value)}>
        {LIFETIMES.map(({ expires: one, label }) => (
          <option key={one} value={one}>
            {label}
          </option>
        ))}
      </Select>
      <Scopes value={scopes} onChange={setScopes} />
      {making.isError && (
        <p role="alert" className="text-sm text-failed">
          {words(making.error)}
        </p>
      )}
      <Button type="submit" kind="primary" busy={making.isPending} className="self-start">
        Make a token
      </Button>
    </form>
  );
}

function Shown({ made, onDone }: { made: Made; onDone: () => void }) {
  return (
    <div className="flex flex-col items-start gap-3">
      <p className="text-sm text-soft">
        Copy it now: it is shown this once. It is good for {span(made.expires_in)}; its id, for
        revoking it, is{" "}
        <code data-testid="token-id" className="font-mono text-xs wrap-anywhere">
          {made.jti}
        </code>
        .
      </p>
      <Command>{made.access_token}</Command>
      <Button onClick={onDone}>I have it</Button>
    </div>
  );
}

function Revoke() {
  const [jti, setJti] = useState("");
  const revoking = useMutation({
    mutationFn: () => api.delete("/auth/tokens/{jti}", { path: { jti } }),
    onSuccess: () => {
      say("Revoked: nobody gets in with it any more");
      setJti("");
    },
  });
  const send = (event: FormEvent) => {
    event.preventDefault();
    revoking.mutate();
  };
  return (
    <form onSubmit={send} className="flex items-end gap-2 border-t border-line pt-4">
      <div className="min-w-0 flex-1">
        <Input
          label="Revoke the token with the id"
          required
          value={jti}
          error={revoking.isError ? words(revoking.error) : undefined}
          onChange={(event) => setJti(event.target.value)}
        />
      </div>
      <Button type="submit" kind="danger" busy={revoking.isPending}>
        Revoke
      </Button>
    </form>
  );
}
