/** Starts the dashboard. */
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { cache } from "./api/cache";
import { whenStranger } from "./api/client";
import { session } from "./api/session";
import { router } from "./app/routes";
import { Toasts } from "./components/toast";
import "./style.css";
import { keepTheme } from "./theme/theme";

keepTheme();
whenStranger(() => {
  // Who is merely local is known; a page that wants more says so itself.
  if (cache.getQueryData(session.me.queryKey)?.by === "loopback") return;
  const { pathname, href } = router.state.location;
  if (pathname !== "/login") void router.navigate({ to: "/login", search: { to: href } });
});

const root = document.querySelector("#root");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={cache}>
        <RouterProvider router={router} />
        <Toasts />
      </QueryClientProvider>
    </StrictMode>,
  );
}
