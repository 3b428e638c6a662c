import { AgentStep, AgentToolCall, type AgentTurn } from "../../../db/entities/agent-turn.ts";
import type { AgentCase } from "../../../db/entities/agent-case.ts";
import { Contact } from "../../../db/entities/contact.ts";
import { Conversation } from "../../../db/entities/conversation.ts";
import { Message } from "../../../db/entities/message.ts";
import type { Tx } from "../../../db/transaction.ts";
import { marker } from "../../agent/guards/check-reply.ts";
import { caseOutcomes } from "../../model/agent-case.ts";
import { maxTrialText } from "../../model/agent-playground.ts";
import { maskPersonal } from "../../model/mask.ts";
import { toWellFormed } from "../../model/wire.ts";
import { findOwned, getOwned } from "../sql.ts";
import { createAgentCase } from "./cases.ts";
import { getTurn, presentTurnDetail } from "./turn-views.ts";

/**
 * Makes a test case of a turn: its burst as one line without the customer's personal data, and what
 * the turn did as the expectation: its outcome, its last tool that succeeded, and the item it cited.
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
  const masked = maskPersonal(written, [contact.name]);
  const line = toWellFormed(masked.slice(0, maxTrialText)).trim();
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
      expected: { outcome, tool: call?.tool ?? null, item_id: await findCited(tx, turn) },
    },
    turn.contactId,
  );
}

/**
 * Id of the knowledge item from which a turn replied, or null. A model marks the item in the text
 * of its step. The built-in agent sends the whole answer of the item, so the longest one counts.
 */
async function findCited(tx: Tx, turn: AgentTurn): Promise<number | null> {
  if (turn.messageId === null) return null;
  const { accountId } = turn;
  const step = await tx.manager.findOne(AgentStep, {
    where: { accountId, turnId: turn.id, state: "done" },
    order: { seq: "DESC" },
  });
  const [marked] = [...(step?.output?.text ?? "").matchAll(marker)].map(([, id]) => Number(id));
  const message = await findOwned(tx, Message, { id: turn.messageId });
  const [item] = await tx.manager.query<{ id: number }[]>(
    `SELECT id FROM knowledge_items
      WHERE account_id = ? AND state = 'approved' AND (id = ? OR LOCATE(answer, ?) > 0)
      ORDER BY id = ? DESC, CHAR_LENGTH(answer) DESC LIMIT 1`,
    [accountId, marked ?? 0, message?.content ?? "", marked ?? 0],
  );
  return item?.id ?? null;
}
