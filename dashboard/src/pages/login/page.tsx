/** Log in by name and password. */
import { useMutation } from "@tanstack/react-query";
import { getRouteApi, useRouter } from "@tanstack/react-router";
import { useState, type FormEvent } from "react";
import { logIn } from "~/api/session";
import { Button } from "~/components/button";
import { words } from "~/components/failure";
import { Input } from "~/components/field";

const route = getRouteApi("/login");

export function LoginPage() {
  const { to } = route.useSearch();
  const router = useRouter();
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const login = useMutation({
    mutationFn: () => logIn(name, password),
    onSuccess: () => {
      const wanted = new URL(to ?? "/", location.origin);
      const search = router.options.parseSearch(wanted.search);
      return router.navigate({ to: wanted.pathname, search });
    },
  });
  const send = (event: FormEvent) => {
    event.preventDefault();
    login.mutate();
  };
  return (
    <main className="flex min-h-dvh items-center justify-center p-4">
      <form
        onSubmit={send}
        className="flex w-full max-w-xs flex-col gap-4 rounded-xl border border-line bg-panel p-6 shadow-xs"
      >
        <h1 className="flex items-center gap-2.5 text-lg">
          <img src="./icon.svg" alt="" className="size-6" />
          Log in to Windlass
        </h1>
        <Input
          label="Name"
          autoComplete="username"
          required
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <Input
          label="Password"
          type="password"
          autoComplete="current-password"
          required
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
        {login.isError && (
          <p role="alert" className="text-sm text-failed">
            {words(login.error)}
          </p>
        )}
        <Button type="submit" kind="primary" busy={login.isPending}>
          Log in
        </Button>
      </form>
    </main>
  );
}
