import { AgentToolCall } from "../../../db/entities/agent-turn.ts";
import type { AgentCase } from "../../../db/entities/agent-case.ts";
import { Contact } from "../../../db/entities/contact.ts";
import { Conversation } from "../../../db/entities/conversation.ts";
import type { Tx } from "../../../db/transaction.ts";
import { caseOutcomes } from "../../model/agent-case.ts";
import { maxTrialText } from "../../model/agent-playground.ts";
import { maskPersonal } from "../../model/mask.ts";
import { getOwned } from "../sql.ts";
import { createAgentCase } from "./cases.ts";
import { getTurn, presentTurnDetail } from "./turn-views.ts";

/**
 * Makes a test case of a turn: its burst as one line without the customer's personal data, and what
 * the turn did as the expectation.
 * @throws AppError `agent_turn_not_found`; `message_not_found` where the burst was deleted;
 * `validation_error` with `too_many_cases`.
 */
export async function createCaseOfTurn(tx: Tx, turnId: number): Promise<AgentCase> {
  const turn = await getTurn(tx, turnId);
  const { burst } = await presentTurnDetail(tx, turn);
  const contact = await getOwned(tx, Contact, "contact", { id: turn.contactId });
  const conversation = await getOwned(tx, Conversation, "conversation", {
    id: turn.conversationId,
  });
  const written = burst.map(({ text }) => text).join("\n");
  const line = maskPersonal(written, [contact.name]).slice(0, maxTrialText).trim();
  const call = await tx.manager.findOne(AgentToolCall, {
    where: { accountId: turn.accountId, turnId, code: "ok" },
    order: { id: "DESC" },
  });
  const outcome = caseOutcomes.find((one) => one === turn.outcome) ?? "replied";
  return await createAgentCase(
    tx,
    {
      channel: conversation.channel,
      lines: [line === "" ? "…" : line],
      expected: { outcome, tool: call?.tool ?? null, item_id: null },
    },
    turn.contactId,
  );
}
