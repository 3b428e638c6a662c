import { IsNull } from "typeorm";
import type { AgentTurn } from "../../../../db/entities/agent-turn.ts";
import { Resource } from "../../../../db/entities/resource.ts";
import type { Tx } from "../../../../db/transaction.ts";
import { readDates } from "../../../agent/basic/dates.ts";
import { fold } from "../../../agent/basic/text.ts";
import { readWords } from "../../../agent/basic/vocabulary.ts";
import type { SlotChoice } from "../../../agent/context.ts";
import { momentAt } from "../../../agent/local-time.ts";
import { readSlotOptionId } from "../../../agent/slot-options.ts";
import type { SenderType } from "../../../model/message.ts";
import { readAnswered } from "../../conversations/agent-messages.ts";
import { saidIn } from "../../conversations/options.ts";
import { mayReach } from "../../conversations/customer-wait.ts";
import { ToolRefused } from "./refusals.ts";
import type { ToolRun } from "./tool-run.ts";

/** Messages of the customer in which a name or an email is looked for. */
const searchedMessages = 50;

/**
 * The newest message to the customer, of any sender. Messages that a pause cancelled were never
 * seen, and an automatic one behind the customer's words takes nothing from them.
 */
async function findOurNewest(
  tx: Tx,
  { conversationId, watermark }: AgentTurn,
): Promise<{ id: number; createdAt: Date; isOfAgent: boolean } | null> {
  const [row] = await tx.manager.query<{ id: number; createdAt: Date; senderType: SenderType }[]>(
    `SELECT id, created_at AS createdAt, sender_type AS senderType
       FROM messages FORCE INDEX (messages_conversation)
      WHERE conversation_id = ? AND direction = 'outbound' AND imported = 0 AND ${mayReach}
        AND (id < ? OR sender_type <> 'system') ORDER BY id DESC LIMIT 1`,
    [conversationId, watermark],
  );
  return row === undefined ? null : { ...row, isOfAgent: row.senderType === "ai" };
}

/**
 * Requires that the customer has answered our newest message, and that the agent has written it: a
 * "yes" to somebody else confirms nothing. The turn answers the customer's message, so the agent has
 * read it. An option that the customer has tapped names its time, whoever has written since. So do
 * the customer's own words for a booking, which also needs no yes where we have asked nothing. A
 * draft asks nobody: the person who approves it has read both.
 * @param since our message must be at least as new, because it told of something of that time.
 * @param wanted the time that an option may name
 * @throws ToolRefused `not_confirmed_by_customer`
 */
export async function requireAnswer(
  run: ToolRun,
  { since = null, wanted = null }: { since?: Date | null; wanted?: ChosenTime | null } = {},
): Promise<void> {
  const { tx, turn } = run;
  if (turn.mode === "draft") return;
  const ours = await findOurNewest(tx, turn);
  const hasAsked = ours?.isOfAgent === true && (since === null || ours.createdAt >= since);
  if (hasAsked && ours.id < turn.watermark) return;
  if (wanted !== null && isSame(await findTapped(tx, turn), wanted)) return;
  if (since === null && wanted?.appointmentId === null) {
    if (ours === null || (await namesTime(run, wanted.startTime))) return;
  }
  throw new ToolRefused("not_confirmed_by_customer");
}

type ChosenTime = Pick<SlotChoice, "startTime" | "appointmentId"> & { resourceId: number | null };

function isSame(tapped: SlotChoice | null, wanted: ChosenTime): boolean {
  return (
    tapped?.startTime.getTime() === wanted.startTime.getTime() &&
    tapped.resourceId === wanted.resourceId &&
    tapped.appointmentId === wanted.appointmentId
  );
}

/** The slot of the option that the customer chose last, in the messages that a turn answers. */
async function findTapped(tx: Tx, turn: AgentTurn): Promise<SlotChoice | null> {
  const [row] = await tx.manager.query<{ id: string }[]>(
    `SELECT interactive->>'$.id' AS id FROM messages FORCE INDEX (messages_conversation)
      WHERE conversation_id = ? AND id > ? AND id <= ? AND direction = 'inbound' AND imported = 0
        AND interactive->>'$.id' IS NOT NULL
      ORDER BY id DESC LIMIT 1`,
    [turn.conversationId, await readAnswered(tx, turn), turn.watermark],
  );
  return row === undefined ? null : readSlotOptionId(row.id);
}

/** True where the messages that a turn answers name this day and clock time, and no other one. */
async function namesTime(run: ToolRun, wanted: Date): Promise<boolean> {
  const { tx, turn, language, timeZone } = run;
  const agendas = await tx.manager.find(Resource, {
    select: { id: true, weeklyHours: true },
    where: { accountId: turn.accountId, archivedAt: IsNull() },
  });
  const hours = agendas.map(({ weeklyHours }) => weeklyHours);
  const words = readWords(await readTexts(tx, turn, await readAnswered(tx, turn)));
  const { days, time } = readDates(words, { now: tx.now, timeZone, language, hours });
  if (days === null || days.from !== days.to || time === null) return false;
  return momentAt(days.from, time, timeZone)?.getTime() === wanted.getTime();
}

/**
 * Requires that the customer wrote every word of a name, so that no name is made up.
 * @throws ToolRefused `not_confirmed_by_customer`
 */
export async function requireWrittenName(run: ToolRun, name: string): Promise<void> {
  const written = new Set(wordsOf(await readWritten(run)));
  const words = wordsOf(name);
  if (words.length > 0 && words.every((word) => written.has(word))) return;
  throw new ToolRefused("not_confirmed_by_customer", "Use only a name that the customer wrote.");
}

/**
 * Requires that the customer wrote an email address.
 * @throws ToolRefused `not_confirmed_by_customer`
 */
export async function requireWrittenEmail(run: ToolRun, email: string): Promise<void> {
  if ((await readWritten(run)).toLowerCase().includes(email.toLowerCase())) return;
  throw new ToolRefused("not_confirmed_by_customer", "Use only an email that the customer wrote.");
}

async function readWritten({ tx, turn }: ToolRun): Promise<string> {
  return await readTexts(tx, turn, 0);
}

/** Texts of the customer up to the message that a turn answers, one line each, oldest first. */
export async function readTexts(
  tx: Tx,
  { conversationId, watermark }: AgentTurn,
  after: number,
): Promise<string> {
  const rows = await tx.manager.query<{ content: string; interactive: object | null }[]>(
    `SELECT content, interactive FROM messages FORCE INDEX (messages_conversation)
      WHERE conversation_id = ? AND id > ? AND id <= ? AND direction = 'inbound' AND imported = 0
        AND content IS NOT NULL
      ORDER BY id DESC LIMIT ?`,
    [conversationId, after, watermark, searchedMessages],
  );
  return rows.toReversed().map(saidIn).join("\n");
}

/** Words in lower case, without accents. */
function wordsOf(text: string): string[] {
  return fold(text).match(/[\p{L}\p{N}]+/gu) ?? [];
}
