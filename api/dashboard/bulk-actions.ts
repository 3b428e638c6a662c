import { AppError } from "../../core/errors.ts";
import type { BulkResult } from "../../core/model/bulk-action.ts";
import type { Principal } from "../../core/model/principal.ts";
import { eraseContact } from "../../core/services/contact-lifecycle/contact-erasure.ts";
import { applyAction } from "../../core/services/conversations/bulk-actions.ts";
import { applyToContact } from "../../core/services/conversations/contact-actions.ts";
import { transaction, type Tx } from "../../db/transaction.ts";
import type { Deps } from "../deps.ts";
import { newDeadline } from "../http/deadline.ts";
import { asAppError } from "../http/errors.ts";
import type { RequestFacts } from "../http/route.ts";
import { admin, agent } from "./access.ts";
import { dashboardRoute } from "./route.ts";

// Each row has a transaction of its own, so an error undoes that row alone, and no transaction holds
// the locks of a hundred.
const nothingYet = async () => await Promise.resolve({ data: [] });

/** Actions on several conversations, or on several contacts. */
export const bulkRoutes = [
  dashboardRoute("POST /conversations/bulk", {
    access: agent,
    tag: "Inbox",
    summary: "Do one action on up to 100 conversations, with a result for each",
    run: nothingYet,
    settle: async (_, { body: { ids, action }, ...caller }, deps) => ({
      data: await applyToEach(deps, caller, ids, {
        noun: "conversation_id",
        name: action.type,
        apply: async (tx, id) => await applyAction(tx, id, action),
      }),
    }),
  }),
  dashboardRoute("POST /contacts/bulk", {
    access: agent,
    tag: "Contacts",
    summary: "Do one action on up to 100 contacts, with a result for each",
    run: nothingYet,
    settle: async (_, { body: { ids, action }, ...caller }, deps) => ({
      data: await applyToEach(deps, caller, ids, {
        noun: "contact_id",
        name: action.type,
        apply: async (tx, id) => await applyToContact(tx, id, action),
      }),
    }),
  }),
  dashboardRoute("POST /contacts/bulk/erase", {
    access: admin,
    tag: "Contacts",
    summary: "Erase up to 100 contacts, with a result for each",
    run: nothingYet,
    settle: async (_, { body: { ids }, ...caller }, deps) => ({
      data: await applyToEach(deps, caller, ids, {
        noun: "contact_id",
        name: "erase",
        apply: async (tx, id) => {
          await eraseContact(tx, id);
          return true;
        },
      }),
    }),
  }),
];

interface Caller {
  actor: Principal;
  facts: RequestFacts;
}

interface BulkWork {
  /** Name of a row's id in the log. */
  noun: "conversation_id" | "contact_id";
  /** Name of the action in the log. */
  name: string;
  /** Returns false if nothing had to change. */
  apply: (tx: Tx, id: number) => Promise<boolean>;
}

async function applyToEach(
  { dataSource, log }: Deps,
  { actor, facts }: Caller,
  ids: number[],
  { noun, name, apply }: BulkWork,
): Promise<BulkResult[]> {
  const origin = { ip: facts.ip, requestId: facts.requestId };
  const options = { actor, origin, deadline: newDeadline() };
  const results: BulkResult[] = [];
  for (const id of ids) {
    try {
      const isChanged = await transaction(dataSource, options, async (tx) => await apply(tx, id));
      results.push({ id, result: isChanged ? "done" : "unchanged", code: null });
    } catch (error) {
      const { code } = asAppError(error);
      if (!(error instanceof AppError)) {
        log.error({ [noun]: id, action: name, code, err: error }, "bulk.failed");
      }
      results.push({ id, result: "error", code });
    }
  }
  return results;
}
