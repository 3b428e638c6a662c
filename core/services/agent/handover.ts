import { AgentToolCall, type AgentTurn } from "../../../db/entities/agent-turn.ts";
import { Conversation } from "../../../db/entities/conversation.ts";
import type { Tx } from "../../../db/transaction.ts";
import { actAs } from "../act-as.ts";
import { burstOf } from "../../agent/basic/reading.ts";
import type { AgentContext } from "../../agent/context.ts";
import { checkReply } from "../../agent/guards/check-reply.ts";
import { closingText, reasonText, summaryText } from "../../agent/handover-texts.ts";
import { toolInputs } from "../../agent/tools.ts";
import { handoverReasons, type AgentSettings, type HandoverReason } from "../../model/agent.ts";
import type { Locale } from "../../model/user.ts";
import type { TurnRef } from "../../model/workflow/agent.ts";
import { createClosingMessage } from "../conversations/agent-messages.ts";
import { idsOfConversation } from "../conversation-records/conversation-records.ts";
import { recordNote } from "../conversation-records/conversation-notes.ts";
import { changeState } from "../conversations/conversation-state.ts";
import { recordChange } from "../outbox/changes.ts";
import { lockOwnedIfThere } from "../sql.ts";
import { loadContext } from "./context.ts";
import { clearOwed, storeProgress } from "./progress.ts";
import { markTold, takeFitting } from "./told-effects.ts";
import { finishTurn, lockTurn } from "./turn-records.ts";
import { getTurnSettings } from "./versions.ts";

/** End of a turn that a person is to go on with. `silent`: a draft, which changes nothing. */
type HandoverEnd = { state: "handed_off" | "paused" | "silent" };

/**
 * Hands the conversation of a turn to a person. A turn that has ended, or that a pause has cut,
 * changes nothing.
 */
export async function handOverTurn(
  tx: Tx,
  { conversationId, turnId, reason }: TurnRef & { reason: string },
): Promise<HandoverEnd> {
  const row = await lockOwnedIfThere(tx, Conversation, { id: conversationId });
  const turn = await lockTurn(tx, turnId);
  if (row === null || turn === null) return { state: "paused" };
  if (turn.outcome === "handed_off") return { state: "handed_off" };
  if (turn.outcome !== null) return { state: "paused" };
  return await handOver(tx, row, turn, {
    reason: handoverReasons.find((one) => one === reason) ?? "agent_decided",
    settings: await getTurnSettings(tx, turn.id),
  });
}

/**
 * Hands over in one transaction: the pause first, then the one closing text with the new epoch. A
 * text before the pause would be cancelled by it.
 * @param row locked. @param turn locked and open.
 */
export async function handOver(
  tx: Tx,
  row: Conversation,
  turn: AgentTurn,
  { reason, settings }: { reason: HandoverReason; settings: AgentSettings },
): Promise<HandoverEnd> {
  if (turn.mode === "draft") return await endWithoutDraft(tx, row, turn, reason);
  const isOurs = row.botEnabled && row.botEpoch === turn.epoch && row.status !== "resolved";
  if (!isOurs || turn.cutAt !== null) {
    await finishTurn(tx, turn, { outcome: "paused", abortedAt: tx.now });
    await clearOwed(tx, row.id);
    return { state: "paused" };
  }
  const { context, untold } = await loadContext(tx, turn);
  const language = context.language ?? context.account.locale;
  const effects = takeFitting(untold, row.channel);
  const wish = await findWish(tx, turn);
  // The turn ends before the pause, so that the pause cuts no turn.
  await finishTurn(tx, turn, { outcome: "handed_off", reason });
  const asAgent = actAs(tx, "agent");
  const shown = wish?.reason ?? reasonText(reason, context.account.locale);
  await changeState(asAgent, row, { type: "bot", enabled: false }, shown);
  const texts = effects.map(({ text }) => text);
  const addedLength = [...texts, ""].join("\n").length;
  const closing = checkedText(wish?.message, { settings, row, context, language, addedLength });
  const message = await createClosingMessage(tx, row, {
    turnId: turn.id,
    content: [...texts, closing].join("\n"),
  });
  if (message !== null) {
    await markTold(tx, effects, message.id);
    await finishTurn(tx, turn, { outcome: "handed_off", reason, messageId: message.id });
  }
  const left = untold.slice(message === null ? 0 : effects.length).map(({ text }) => text);
  const burst = burstOf(context);
  const text = summaryText({ burst, context, untold: left }, context.account.locale);
  if (text !== "") await recordNote(asAgent, row, { kind: "agent_summary", text });
  await storeProgress(tx, turn, { language, dialogue: null, isNewer: false });
  return { state: "handed_off" };
}

/** People decide in a conversation with drafts, so that nothing is written and nothing paused. */
async function endWithoutDraft(
  tx: Tx,
  row: Conversation,
  turn: AgentTurn,
  reason: HandoverReason,
): Promise<HandoverEnd> {
  const outcome = turn.cutAt === null ? "silent" : "paused";
  const facts = outcome === "silent" ? { reason } : { abortedAt: tx.now };
  await finishTurn(tx, turn, { outcome, ...facts });
  await clearOwed(tx, row.id);
  await recordChange(tx, { kind: "conversation.updated", ...idsOfConversation(row) });
  return { state: outcome };
}

/** The model's own closing text, where it passes the guards of replies; else ours. */
function checkedText(
  text: string | undefined,
  given: {
    settings: AgentSettings;
    row: Conversation;
    context: AgentContext;
    language: Locale;
    addedLength: number;
  },
): string {
  const { settings, row, ...read } = given;
  const { context, language } = read;
  const { strict, blocked_words: blockedWords } = settings;
  const rules = { strict, blockedWords, channel: row.channel, ...read };
  const checked = text === undefined ? null : checkReply({ ...rules, text });
  return checked?.ok === true ? checked.text : closingText(context, language);
}

/** Reason and text of the model's own call of `hand_off`. */
async function findWish(
  tx: Tx,
  { accountId, id }: AgentTurn,
): Promise<{ reason: string; message?: string | undefined } | null> {
  const call = await tx.manager.findOne(AgentToolCall, {
    where: { accountId, turnId: id, tool: "hand_off" },
    order: { id: "DESC" },
  });
  const parsed = toolInputs.hand_off.safeParse(call?.input);
  return parsed.success ? parsed.data : null;
}
