import { AgentStep, type AgentTurn } from "../../../db/entities/agent-turn.ts";
import { Conversation } from "../../../db/entities/conversation.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { AgentContext } from "../../agent/context.ts";
import type { Dialogue } from "../../agent/basic/dialogue.ts";
import { disclosure } from "../../agent/basic/disclosure.ts";
import { checkReply } from "../../agent/guards/check-reply.ts";
import { findSlotOffer } from "../../agent/slot-offer.ts";
import { slotOptions } from "../../agent/slot-options.ts";
import type { StepOutput } from "../../agent/step.ts";
import type { AgentSettings } from "../../model/agent.ts";
import { textLength } from "../../model/text-limit.ts";
import type { Locale } from "../../model/user.ts";
import type { ReplyOutcome, TurnRef } from "../../model/workflow/agent.ts";
import {
  createAgentMessage,
  readNewest,
  type AgentMessage,
  type AgentOffer,
  type NewestMessages,
} from "../conversations/agent-messages.ts";
import {
  getChannelAccount,
  idsOfConversation,
} from "../conversation-records/conversation-records.ts";
import { findRefusal } from "../conversations/messages.ts";
import { recordChange } from "../outbox/changes.ts";
import { lockOwnedIfThere } from "../sql.ts";
import { loadContext } from "./context.ts";
import { storeDraft } from "./drafts.ts";
import { handOver } from "./handover.ts";
import { clearOwed, storeProgress } from "./progress.ts";
import { markTold, takeFitting, type Untold } from "./told-effects.ts";
import { finishTurn, lockTurn } from "./turn-records.ts";
import { isStillOurs } from "./turns.ts";

/**
 * Commits the reply of a step, under the lock that a pause takes too. The reply is dropped where
 * the agent was paused, a person has written, or the conversation was resolved. It is superseded
 * where the customer wrote again, unless `allowNewer`. A repeat returns the first outcome.
 *
 * A guard may refuse the text. The next step then gets the missing fact, and a second refusal hands
 * the conversation over.
 */
export async function commitReply(
  tx: Tx,
  { conversationId, turnId, seq, allowNewer }: TurnRef & { seq: number; allowNewer: boolean },
): Promise<ReplyOutcome> {
  const row = await lockOwnedIfThere(tx, Conversation, { id: conversationId });
  const turn = await lockTurn(tx, turnId);
  if (row === null || turn === null) return { state: "paused" };
  if (turn.outcome !== null) return outcomeOf(turn);
  const output = await findReply(tx, turn, seq);
  const newest = await readNewest(tx, conversationId);
  const isNewer = newest.customer > turn.watermark;
  const dropped = findDropReason(row, turn, { newest, isLate: isNewer && !allowNewer });
  if (dropped !== null) return await endUnsaid(tx, row, turn, dropped);
  const channel = await getChannelAccount(tx, row.channelAccountId);
  const refusal = await findRefusal(tx, row, { type: "text" }, channel);
  if (refusal !== null) return await endUnsaid(tx, row, turn, "silent");
  const { context, settings, untold } = await loadContext(tx, turn);
  const language = context.language ?? context.account.locale;
  const effects = takeFitting(untold, row.channel);
  const withOurs = (text: string) =>
    [opening(context), text, ...effects.map((one) => one.text)]
      .filter((one) => one !== "")
      .join("\n");
  const checked = checkReply({
    ...checksOf(settings, row),
    text: output.text,
    cut: output.cut,
    isBuiltIn: output.dialogue !== undefined,
    addedLength: textLength(row.channel, withOurs("")) + 1,
    context,
    language,
  });
  if (!checked.ok) {
    await tx.manager.update(
      AgentStep,
      { turnId, seq },
      { guard: checked.guard, repair: checked.fact },
    );
    if ((await countRefusals(tx, turn)) < 2) return { state: "blocked" };
    return await handOver(tx, row, turn, { reason: "guard", settings });
  }
  if (turn.mode === "draft") {
    await storeDraft(tx, turn, { text: checked.text, stages: context.stages });
    await clearOwed(tx, conversationId);
    return { state: "drafted" };
  }
  const { dialogue = null } = output;
  const content = withOurs(checked.text);
  const offer = offerOf({ ...checked, dialogue }, context);
  const known = { conversation: row, channel };
  await sendReply(tx, turn, { content, offer, effects, dialogue, language, isNewer, known });
  return { state: "replied" };
}

/** Ends a turn whose reply is not said. "silent": the channel takes no text now. */
async function endUnsaid(
  tx: Tx,
  row: Conversation,
  turn: AgentTurn,
  outcome: "paused" | "superseded" | "silent",
): Promise<ReplyOutcome> {
  const facts =
    outcome === "silent" ? { reason: "messaging_window_closed" } : { abortedAt: tx.now };
  await finishTurn(tx, turn, { outcome, ...facts });
  if (outcome !== "superseded") await clearOwed(tx, row.id);
  await recordChange(tx, { kind: "conversation.updated", ...idsOfConversation(row) });
  return { state: outcome };
}

/** Sends a text that passed fences and guards, and notes the effects of which it tells. */
async function sendReply(
  tx: Tx,
  turn: AgentTurn,
  given: {
    content: string;
    offer: AgentOffer | null;
    effects: readonly Untold[];
    dialogue: Dialogue | null;
    language: Locale;
    /** The customer wrote again, and the next reply is owed. */
    isNewer: boolean;
    known: NonNullable<AgentMessage["known"]>;
  },
): Promise<void> {
  const { content, offer, effects, dialogue, language, isNewer, known } = given;
  const { conversationId, epoch, watermark, id: turnId } = turn;
  // The fences have judged newer messages already, under the lock that still holds.
  const fenced = { conversationId, epoch, watermark, allowNewer: true, known };
  const reply = { ...fenced, content, offer, turnId };
  const message = await createAgentMessage(tx, reply);
  if (message === null) throw new Error("A reply that passed its fences was refused.");
  await markTold(tx, effects, message.id);
  await storeProgress(tx, turn, { language, dialogue, isNewer });
  await finishTurn(tx, turn, { outcome: "replied", messageId: message.id });
}

/** The options of a reply that offers free times, or null. */
function offerOf(
  reply: Parameters<typeof findSlotOffer>[0],
  context: AgentContext,
): AgentOffer | null {
  const found = findSlotOffer(reply, context);
  if (found === null) return null;
  const { account, resources, language } = context;
  const words = { language: language ?? account.locale, timeZone: account.timeZone, resources };
  const options = slotOptions(found.slots, words);
  const { isListed } = found;
  return options === null ? null : { options, isListed, language: words.language };
}

/** The agent says that it is one in its first message to a customer. */
function opening(context: AgentContext): string {
  const isFirst = context.messages.every(({ speaker }) => speaker !== "agent");
  return isFirst && context.persona.introduces ? disclosure(context) : "";
}

function checksOf({ strict, blocked_words: blockedWords }: AgentSettings, row: Conversation) {
  return { strict, blockedWords, channel: row.channel };
}

async function findReply(
  tx: Tx,
  { accountId, id }: AgentTurn,
  seq: number,
): Promise<Extract<StepOutput, { kind: "reply" }>> {
  const step = await tx.manager.findOneByOrFail(AgentStep, { accountId, turnId: id, seq });
  if (step.output?.kind !== "reply") throw new Error("The step has no reply.");
  return step.output;
}

function findDropReason(
  row: Conversation,
  turn: AgentTurn,
  { newest, isLate }: { newest: NewestMessages; isLate: boolean },
): "paused" | "superseded" | null {
  if (!isStillOurs(row, turn, newest)) return "paused";
  return isLate ? "superseded" : null;
}

function outcomeOf({ outcome }: AgentTurn): ReplyOutcome {
  switch (outcome) {
    case "replied":
    case "drafted":
    case "superseded":
    case "handed_off":
    case "silent":
      return { state: outcome };
    case "paused":
    case "failed":
    case null:
      return { state: "paused" };
  }
}

async function countRefusals(tx: Tx, { accountId, id }: AgentTurn): Promise<number> {
  const [row] = await tx.manager.query<{ count: number }[]>(
    "SELECT COUNT(*) AS count FROM agent_steps WHERE account_id = ? AND turn_id = ? AND guard IS NOT NULL",
    [accountId, id],
  );
  return row?.count ?? 0;
}
