/** Which page is at which address; each is loaded when one goes there. */
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
} from "@tanstack/react-router";
import { Failure } from "~/components/failure";
import { jobsSearch } from "~/pages/jobs/search";
import { loginSearch } from "~/pages/login/search";
import { overviewSearch } from "~/pages/overview/search";
import { submitSearch } from "~/pages/submit/search";
import { Lost } from "./lost";
import { Shell } from "./shell";

const root = createRootRoute({ notFoundComponent: Lost });
const shell = createRoute({ getParentRoute: () => root, id: "shell", component: Shell });

const routes = root.addChildren([
  createRoute({
    getParentRoute: () => root,
    path: "/login",
    validateSearch: loginSearch,
    component: lazyRouteComponent(() => import("~/pages/login/page"), "LoginPage"),
  }),
  shell.addChildren([
    createRoute({
      getParentRoute: () => shell,
      path: "/",
      validateSearch: overviewSearch,
      component: lazyRouteComponent(() => import("~/pages/overview/page"), "OverviewPage"),
    }),
    createRoute({
      getParentRoute: () => shell,
      path: "/jobs",
      validateSearch: jobsSearch,
      component: lazyRouteComponent(() => import("~/pages/jobs/page"), "JobsPage"),
    }),
    createRoute({
      getParentRoute: () => shell,
      path: "/jobs/$jobId",
      component: lazyRouteComponent(() => import("~/pages/job/page"), "JobPage"),
    }),
    createRoute({
      getParentRoute: () => shell,
      path: "/dead",
      component: lazyRouteComponent(() => import("~/pages/dead/page"), "DeadPage"),
    }),
    createRoute({
      getParentRoute: () => shell,
      path: "/queues",
      component: lazyRouteComponent(() => import("~/pages/queues/page"), "QueuesPage"),
    }),
    createRoute({
      getParentRoute: () => shell,
      path: "/workers",
      component: lazyRouteComponent(() => import("~/pages/workers/page"), "WorkersPage"),
    }),
    createRoute({
      getParentRoute: () => shell,
      path: "/submit",
      validateSearch: submitSearch,
      component: lazyRouteComponent(() => import("~/pages/submit/page"), "SubmitPage"),
    }),
    createRoute({
      getParentRoute: () => shell,
      path: "/mail",
      component: lazyRouteComponent(() => import("~/pages/mail/page"), "MailPage"),
    }),
    createRoute({
      getParentRoute: () => shell,
      path: "/people",
      component: lazyRouteComponent(() => import("~/pages/people/page"), "PeoplePage"),
    }),
  ]),
]);

export const router = createRouter({
  routeTree: routes,
  basepath: new URL(document.baseURI).pathname,
  defaultPreload: "intent",
  defaultErrorComponent: Failure,
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
