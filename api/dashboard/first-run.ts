import { getFirstRun } from "../../core/services/read-models/first-run.ts";
import { agent } from "./access.ts";
import { dashboardRoute } from "./route.ts";

/** First steps that are left in a new account. */
export const firstRunRoutes = [
  dashboardRoute("GET /first-run", {
    access: agent,
    tag: "Account",
    summary: "How far the account has come with its first steps",
    run: async (tx) => ({ data: await getFirstRun(tx) }),
  }),
];
