import {
  getAccount,
  presentAccount,
  updateAccount,
} from "../../core/services/accounts/accounts.ts";
import { admin, agent } from "./access.ts";
import { dashboardRoute } from "./route.ts";

const tag = "Account";

/** The account itself, and its settings for its people and its AI agent. */
export const accountRoutes = [
  dashboardRoute("GET /account", {
    access: agent,
    tag,
    summary: "Read the account and its settings",
    run: async (tx) => ({ data: presentAccount(await getAccount(tx)) }),
  }),
  dashboardRoute("PATCH /account", {
    access: admin,
    tag,
    summary: "Change name, time zone, language or settings; what is left out stays",
    run: async (tx, { body }) => ({ data: presentAccount(await updateAccount(tx, body)) }),
  }),
];
