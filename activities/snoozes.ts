import type { SnoozeInput, SnoozeOutcome } from "../core/model/workflow/snoozing.ts";
import { endSnooze } from "../core/services/conversations/snoozes.ts";
import { systemOf, transaction } from "../db/transaction.ts";
import type { ActivityDeps } from "./deps.ts";

/** The step of a snooze. It may run twice: the second run finds nothing to end. */
export function createSnoozes({ dataSource, log }: ActivityDeps) {
  return {
    async endSnooze(input: SnoozeInput): Promise<SnoozeOutcome> {
      const { accountId, conversationId } = input;
      const outcome = await transaction(dataSource, systemOf(accountId), (tx) =>
        endSnooze(tx, input),
      );
      log.info({ conversation_id: conversationId, state: outcome.state }, "snooze.looked_at");
      return outcome;
    },
  };
}
