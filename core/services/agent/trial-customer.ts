import { ChannelAccount } from "../../../db/entities/channel-account.ts";
import { Contact, ContactIdentity } from "../../../db/entities/contact.ts";
import { Conversation } from "../../../db/entities/conversation.ts";
import type { Tx } from "../../../db/transaction.ts";
import { AppError } from "../../errors.ts";
import { insertContact } from "../contacts/contact-changes.ts";
import { recordIdentity } from "../contacts/contact-identities.ts";
import { changeState } from "../conversations/conversation-state.ts";
import { receiveCustomerMessage } from "../conversations/customer-messages.ts";
import { lockOwned, lockOwnedIfThere } from "../sql.ts";
import { publishAgent, updateAgent } from "./profile.ts";
import type { Trial } from "./trial.ts";

/** The customer of a trial, as the channel knows them. */
export interface TrialCustomer {
  channelAccountId: number;
  from: string;
}

/**
 * Switches the agent on with its draft, and prepares the customer of a trial. The caller rolls all
 * of it back.
 * @throws AppError `contact_not_found`, `channel_not_connected`
 */
export async function prepareTrial(
  tx: Tx,
  { channel: name, contactId, name: customer }: Trial,
): Promise<TrialCustomer> {
  await updateAgent(tx, { enabled: true });
  await publishAgent(tx);
  const { accountId } = tx.actor;
  const channel = await tx.manager.findOne(ChannelAccount, {
    where: { accountId, channel: name },
    order: { id: "DESC" },
  });
  if (channel === null) throw new AppError("channel_not_connected");
  const contact =
    contactId === null
      ? (await insertContact(tx, { name: customer, phone: null, phoneKey: null, email: null })).row
      : await lockOwned(tx, Contact, "contact", { id: contactId });
  const known = await tx.manager.findOne(ContactIdentity, {
    where: { accountId, channelAccountId: channel.id, contactId: contact.id },
    order: { id: "DESC" },
  });
  // No provider has such an id, so that a trial meets no other contact.
  const from = known?.externalId ?? `trial-${contact.id}`;
  if (known === null) await recordIdentity(tx, channel, contact.id, from);
  return { channelAccountId: channel.id, from };
}

/** Lets the customer write a line. @returns the conversation. */
export async function writeLine(tx: Tx, customer: TrialCustomer, content: string): Promise<number> {
  const plain = { name: null, type: "text", media: null, providerId: null } as const;
  const { row } = await receiveCustomerMessage(tx, { ...customer, ...plain, content });
  return row.conversationId;
}

/** Gives a conversation to the agent, so that a trial also works where a person has it now. */
export async function giveToAgent(tx: Tx, conversationId: number): Promise<void> {
  const row = await lockOwnedIfThere(tx, Conversation, { id: conversationId });
  if (row !== null) await changeState(tx, row, { type: "bot", enabled: true });
}
