import type { ChannelAccount } from "../../../db/entities/channel-account.ts";
import { Conversation } from "../../../db/entities/conversation.ts";
import type { Message } from "../../../db/entities/message.ts";
import type { Tx } from "../../../db/transaction.ts";
import { actAs } from "../act-as.ts";
import { interactiveInput, type InteractiveOption } from "../../model/interactive.ts";
import { findExceededLimit } from "../../model/text-limit.ts";
import type { Locale } from "../../model/user.ts";
import { outdateDraft } from "./agent-wakeups.ts";
import { lockConversation } from "../conversation-records/conversation-records.ts";
import { mayReach } from "./customer-wait.ts";
import { findRefusal, insertOutbound, type OutboundContent } from "./messages.ts";
import { openOptions } from "./options.ts";

/** Options under a text of the AI agent, from which the customer chooses a slot. */
export interface AgentOffer {
  options: InteractiveOption[];
  /** The text has the options as numbered lines already. */
  isListed: boolean;
  language: Locale;
}

/** A reply of the AI agent, with the state that the agent read before writing. */
export interface AgentMessage {
  conversationId: number;
  /** `bot_epoch` when the turn began. */
  epoch: number;
  /** The customer's newest message that the reply answers. */
  watermark: number;
  content: string;
  /** Free times that the message offers. */
  offer?: AgentOffer | null;
  /** The turn that wrote it. A turn writes one message at most. */
  turnId?: number;
  /** The reply stands although the customer wrote again meanwhile. */
  allowNewer?: boolean;
  /** Rows that this transaction has read already: the conversation, locked, and its channel. */
  known?: { conversation: Conversation; channel: ChannelAccount };
}

/**
 * Sends a message of the AI agent. Only this file writes `sender_type: ai`.
 *
 * No message of the agent commits after a pause (rule C30). Flag, epoch and the customer's newest
 * message are read under the conversation's lock, and a pause takes the same lock.
 * @returns null if the agent was paused meanwhile, or the customer wrote again.
 */
export async function createAgentMessage(
  tx: Tx,
  { conversationId, epoch, watermark, turnId, allowNewer = false, known, ...said }: AgentMessage,
): Promise<Message | null> {
  const conversation = known?.conversation ?? (await lockConversation(tx, conversationId));
  if (!conversation.botEnabled || conversation.botEpoch !== epoch) return null;
  if (!allowNewer && (await hasNewerMessage(tx, conversationId, watermark))) return null;
  return await insertAsAgent(tx, conversation, { ...said, turnId }, known?.channel);
}

/** True where the customer has written after this message. */
export async function hasNewerMessage(
  tx: Tx,
  conversationId: number,
  watermark: number,
): Promise<boolean> {
  return (await readNewest(tx, conversationId)).customer > watermark;
}

/** Ids of the newest messages of a conversation; 0 where there is none. */
export interface NewestMessages {
  /** Of the customer. */
  customer: number;
  /** Of a person or a program of the account. One that failed or was cancelled does not count. */
  people: number;
  /** The customer's newest message that a reply of the agent has answered. */
  answered: number;
}

/** SQL of a message of people or programs of the account, which has reached the customer or may. */
const isOfPeople = `direction = 'outbound' AND sender_type IN ('user', 'api') AND ${mayReach}`;

/** SQL of the newest message of a conversation with this condition. Imported ones are left out. */
const newestId = (condition: string) =>
  `COALESCE((SELECT id FROM messages FORCE INDEX (messages_conversation)
    WHERE conversation_id = ? AND imported = 0 AND ${condition} ORDER BY id DESC LIMIT 1), 0)`;
/** SQL of the customer's newest message that the agent has answered. */
const answeredId = `COALESCE((SELECT answered_up_to FROM agent_conversations
    WHERE account_id = ? AND conversation_id = ?), 0)`;

/** Reads in one statement who wrote last. */
export async function readNewest(
  { manager, actor }: Tx,
  conversationId: number,
): Promise<NewestMessages> {
  const [row] = await manager.query<NewestMessages[]>(
    `SELECT ${newestId("direction = 'inbound'")} AS customer, ${newestId(isOfPeople)} AS people,
            ${answeredId} AS answered`,
    [conversationId, conversationId, actor.accountId, conversationId],
  );
  const { customer = 0, people = 0, answered = 0 } = row ?? {};
  return { customer: Number(customer), people: Number(people), answered: Number(answered) };
}

/**
 * Reads the message up to which the customer was answered before a turn, by the agent or by people.
 * Later messages of people do not count: a draft on request still answers the watermark.
 */
export async function readAnswered(
  { manager, actor }: Tx,
  { conversationId, watermark }: { conversationId: number; watermark: number },
): Promise<number> {
  const [row] = await manager.query<{ answered: number }[]>(
    `SELECT GREATEST(${answeredId}, ${newestId(`id < ? AND ${isOfPeople}`)}) AS answered`,
    [actor.accountId, conversationId, conversationId, watermark],
  );
  return Number(row?.answered ?? 0);
}

/**
 * Sends the agent's last text after it has handed the conversation over. The customer still waits
 * for a person.
 * @param conversation locked, and paused in this transaction.
 * @returns null where the channel would not take a text now.
 */
export async function createClosingMessage(
  tx: Tx,
  conversation: Conversation,
  { turnId, content }: { turnId: number; content: string },
): Promise<Message | null> {
  if ((await findRefusal(tx, conversation, { type: "text", content })) !== null) return null;
  const { customerWaitsSince } = conversation;
  const message = await insertAsAgent(tx, conversation, { content, turnId });
  conversation.customerWaitsSince = customerWaitsSince;
  await tx.manager.update(Conversation, conversation.id, { customerWaitsSince });
  return message;
}

async function insertAsAgent(
  tx: Tx,
  conversation: Conversation,
  { turnId, ...said }: Pick<AgentMessage, "content" | "offer"> & { turnId?: number | undefined },
  channel?: ChannelAccount,
): Promise<Message> {
  const asAgent = actAs(tx, "agent");
  // A draft that a person asked for would answer the same once more.
  await outdateDraft(tx, conversation.id);
  return await insertOutbound(asAgent, conversation, await openText(tx, conversation, said), {
    botEpoch: conversation.botEpoch,
    agentTurnId: turnId ?? null,
    ...(channel === undefined ? {} : { channel }),
  });
}

/** A text with its options in the form of the channel, or alone where both are too long for it. */
async function openText(
  tx: Tx,
  conversation: Conversation,
  { content, offer = null }: Pick<AgentMessage, "content" | "offer">,
): Promise<OutboundContent> {
  const plain = { type: "text", content } as const;
  if (offer === null) return plain;
  const { options, ...how } = offer;
  const parsed = interactiveInput.safeParse({ kind: "slots", body: content, options });
  if (!parsed.success) return plain;
  const { interactive, text } = await openOptions(tx, conversation, parsed.data, how);
  if (findExceededLimit(conversation.channel, text) !== null) return plain;
  return { type: "interactive", content: text, options: interactive };
}
