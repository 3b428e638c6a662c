import { accountPatchBody, accountView } from "../../core/model/account.ts";
import {
  getAccount,
  presentAccount,
  updateAccount,
} from "../../core/services/accounts/accounts.ts";
import { route } from "../http/route.ts";
import { admin, agent } from "./access.ts";

const tag = "Account";
const account = { 200: { description: "The account as it is now.", data: accountView } };

/** The account itself, and its settings for its people and its AI agent. */
export const accountRoutes = [
  route({
    method: "GET",
    path: "/account",
    access: agent,
    tag,
    summary: "Read the account and its settings",
    successes: account,
    run: async (tx) => ({ data: presentAccount(await getAccount(tx)) }),
  }),
  route({
    method: "PATCH",
    path: "/account",
    access: admin,
    tag,
    summary: "Change name, time zone, language or settings; what is left out stays",
    body: accountPatchBody,
    successes: account,
    run: async (tx, { body }) => ({ data: presentAccount(await updateAccount(tx, body)) }),
  }),
];
