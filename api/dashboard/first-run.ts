import { getFirstRun } from "../../core/services/read-models/first-run.ts";
import { route } from "../http/route.ts";
import { agent } from "./access.ts";
import { firstRunView } from "../../core/model/views/dashboard.ts";

/** First steps that are left in a new account. */
export const firstRunRoutes = [
  route({
    method: "GET",
    path: "/first-run",
    access: agent,
    tag: "Account",
    summary: "How far the account has come with its first steps",
    successes: { 200: { description: "As its rows tell it.", data: firstRunView } },
    run: async (tx) => ({ data: await getFirstRun(tx) }),
  }),
];
