import { In } from "typeorm";
import { AgentToolCall, type AgentTurn } from "../../../db/entities/agent-turn.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { RestChannel } from "../../model/channels.ts";
import { textLength, textLimits } from "../../model/text-limit.ts";
import type { Locale } from "../../model/user.ts";
import { confirmationsOf } from "./confirmations.ts";

/** An effect of which the customer was not told, with the text that tells of it. */
export interface Untold {
  call: AgentToolCall;
  text: string;
}

const maxUntold = 20;

/** Effects of the conversation of which the customer was not told, oldest first. */
export async function listUntold(
  tx: Tx,
  { accountId, conversationId }: AgentTurn,
  words: { language: Locale; timeZone: string },
): Promise<Untold[]> {
  const calls = await tx.manager.find(AgentToolCall, {
    where: { accountId, conversationId, untold: true },
    order: { id: "ASC" },
    take: maxUntold,
  });
  return await confirmationsOf(tx, calls, words);
}

/** Room that a message keeps for its own text. */
const ownLength = 400;

/** The oldest effects whose texts fit into a message. The next message tells of the others. */
export function takeFitting(untold: readonly Untold[], channel: RestChannel): Untold[] {
  let left = textLimits[channel].max - ownLength;
  const room = untold.findIndex(({ text }) => (left -= textLength(channel, text) + 1) < 0);
  return untold.slice(0, room === -1 ? untold.length : room);
}

/** Notes that a message tells of these effects. */
export async function markTold(
  tx: Tx,
  effects: readonly Untold[],
  messageId: number,
): Promise<void> {
  if (effects.length === 0) return;
  const ids = effects.map(({ call }) => call.id);
  await tx.manager.update(
    AgentToolCall,
    { id: In(ids) },
    { untold: false, toldMessageId: messageId },
  );
}
