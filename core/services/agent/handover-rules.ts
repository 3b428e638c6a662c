import type { AgentTurn } from "../../../db/entities/agent-turn.ts";
import { ContactTag } from "../../../db/entities/contact.ts";
import type { Tx } from "../../../db/transaction.ts";
import { findIntents } from "../../agent/basic/intents.ts";
import { findPhrase, fold } from "../../agent/basic/text.ts";
import { readWords } from "../../agent/basic/vocabulary.ts";
import type { AgentSettings, HandoverReason } from "../../model/agent.ts";
import { saidIn } from "../conversations/options.ts";

/** Times that the same text of the customer may come in a row. */
const maxRepeats = 3;
/** A shorter text may be the same answer to several questions. */
const minRepeatLength = 12;
const lookBack = 20;

/**
 * Reason why a person answers this burst, before any model is asked; null: the agent answers.
 * @param answered the customer's newest message that was answered already
 */
export async function findHandoverReason(
  tx: Tx,
  turn: AgentTurn,
  { settings, answered }: { settings: AgentSettings; answered: number },
): Promise<HandoverReason | null> {
  const rows = await tx.manager.query<
    { id: number; type: string; content: string | null; interactive: object | null }[]
  >(
    `SELECT id, type, content, interactive FROM messages FORCE INDEX (messages_conversation)
      WHERE conversation_id = ? AND direction = 'inbound' AND imported = 0
      ORDER BY id DESC LIMIT ${lookBack}`,
    [turn.conversationId],
  );
  const written = rows.map((row) => ({ id: row.id, type: row.type, said: saidIn(row) }));
  const burst = written.filter(({ id }) => id > answered);
  const text = fold(
    burst
      .map(({ said }) => said ?? "")
      .toReversed()
      .join("\n"),
  );
  if (findIntents(readWords(text)).has("person")) return "asked_for_a_person";
  if (findPhrase(text, settings.handover_keywords) !== null) return "keyword";
  if (settings.attachments === "hand_over" && burst.some(({ type }) => !isRead(type))) {
    return "attachment";
  }
  if (await hasTag(tx, turn, settings.handover_tags)) return "tag";
  const [first, ...others] = written.slice(0, maxRepeats);
  const isRepeated =
    first !== undefined &&
    (first.said ?? "").length >= minRepeatLength &&
    others.length === maxRepeats - 1 &&
    others.every(({ said }) => said === first.said);
  return isRepeated ? "loop_suspected" : null;
}

/** A choice of an option has words, as a text has. Any other type is an attachment. */
function isRead(type: string): boolean {
  return type === "text" || type === "interactive";
}

async function hasTag(tx: Tx, { contactId }: AgentTurn, tags: readonly string[]): Promise<boolean> {
  if (tags.length === 0) return false;
  const rows = await tx.manager.findBy(ContactTag, { contactId });
  return rows.some(({ tag }) => tags.some((one) => fold(one) === fold(tag)));
}
