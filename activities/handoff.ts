import type {
  HandoffInput,
  HandoffReturn,
  HandoffStart,
  HandoffStep,
} from "../core/model/workflow/handoff.ts";
import {
  beginHandoff,
  escalateHandoff,
  remindHandoff,
  returnToAgent,
} from "../core/services/conversations/handoffs.ts";
import { systemOf, transaction, type Tx } from "../db/transaction.ts";
import type { ActivityDeps } from "./deps.ts";

/** The steps of a handoff. Each reads the current state, may run twice, and changes things once. */
export function createHandoff({ dataSource, log, mailer }: ActivityDeps) {
  async function step<T extends HandoffStart | HandoffStep | HandoffReturn>(
    name: string,
    input: HandoffInput,
    work: (tx: Tx) => Promise<T>,
  ): Promise<T> {
    const result = await transaction(dataSource, systemOf(input.accountId), work);
    const state = "state" in result ? result.state : "begun";
    log.info({ conversation_id: input.conversationId, step: name, state }, "handoff.step");
    return result;
  }

  return {
    beginHandoff: (input: HandoffInput) =>
      step("begin", input, (tx) => beginHandoff(tx, input, mailer !== undefined)),
    remindHandoff: (input: HandoffInput): Promise<HandoffStep> =>
      step("remind", input, (tx) => remindHandoff(tx, input)),
    escalateHandoff: (input: HandoffInput): Promise<HandoffStep> =>
      step("escalate", input, (tx) => escalateHandoff(tx, input)),
    returnToAgent: (input: HandoffInput & { silenceMs: number }) =>
      step("return", input, (tx) => returnToAgent(tx, input)),
  };
}
