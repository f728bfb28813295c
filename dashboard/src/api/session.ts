/** Who sits in front of the browser, and what they may do. */
import { queryOptions, useQuery } from "@tanstack/react-query";
import { cache } from "./cache";
import { api, sendAlong } from "./client";
import type { Me, Scope } from "./shapes";

export const session = {
  me: queryOptions({
    queryKey: ["me"],
    queryFn: async (): Promise<Me> => {
      const me = await api.get("/auth/me");
      sendAlong(me.csrf_token ?? undefined);
      return me;
    },
    staleTime: 60_000,
  }),
  /** What there is on this server; the mail sink is not always. */
  links: queryOptions({
    queryKey: ["links"],
    queryFn: () => api.get("/"),
    staleTime: Infinity,
  }),
};

export async function logIn(username: string, password: string): Promise<void> {
  const welcome = await api.post("/auth/login", { body: { username, password, session: true } });
  sendAlong(welcome.csrf_token ?? undefined);
  cache.clear();
}

export async function logOut(): Promise<void> {
  await api.post("/auth/logout", {});
  sendAlong(undefined);
  cache.clear();
}

/** Whether this person may; while it is not known, nobody may. */
export function useMay(scope: Scope): boolean {
  const { data: me } = useQuery(session.me);
  return me !== undefined && (me.scopes.includes(scope) || me.scopes.includes("admin"));
}
