import { AppError } from "../../core/errors.ts";
import type { BulkAction, BulkResult } from "../../core/model/bulk-action.ts";
import { applyAction } from "../../core/services/conversations/bulk-actions.ts";
import { transaction, type TxOptions } from "../../db/transaction.ts";
import type { Deps } from "../deps.ts";
import { newDeadline } from "../http/deadline.ts";
import { asAppError } from "../http/errors.ts";
import { agent } from "./access.ts";
import { dashboardRoute } from "./route.ts";

/** Actions on several conversations. */
export const bulkRoutes = [
  dashboardRoute("POST /conversations/bulk", {
    access: agent,
    tag: "Inbox",
    summary: "Do one action on up to 100 conversations, with a result for each",
    run: async () => await Promise.resolve({ data: [] }),
    // Each conversation has a transaction of its own, so an error undoes that conversation alone,
    // and no transaction holds the locks of a hundred.
    settle: async (_, { actor, facts, body: { ids, action } }, deps) => {
      const origin = { ip: facts.ip, requestId: facts.requestId };
      const options = { actor, origin, deadline: newDeadline() };
      const results: BulkResult[] = [];
      for (const id of ids) results.push(await applyTo(deps, options, id, action));
      return { data: results };
    },
  }),
];

async function applyTo(
  { dataSource, log }: Deps,
  options: TxOptions,
  id: number,
  action: BulkAction,
): Promise<BulkResult> {
  try {
    const isChanged = await transaction(dataSource, options, (tx) => applyAction(tx, id, action));
    return { id, result: isChanged ? "done" : "unchanged", code: null };
  } catch (error) {
    const { code } = asAppError(error);
    if (!(error instanceof AppError)) {
      log.error({ conversation_id: id, action: action.type, code, err: error }, "bulk.failed");
    }
    return { id, result: "error", code };
  }
}
