import { z } from "zod";
import { conversationRow, conversationView } from "../conversation.ts";
import { messageStatuses, messageTypes, messageView, senderTypes } from "../message.ts";
import { noteKinds } from "../note.ts";
import { moneyView } from "../money.ts";
import { cardOutcomes, stageView } from "../pipeline.ts";
import { recordId, timestamp } from "../wire.ts";
import { agentDraftView } from "./agent-draft.ts";

const answeredBy = recordId
  .nullable()
  .describe("Who wrote last in the handoff under way; null while the customer waits for a person.");

const queueMembers = {
  unread_count: z.int().min(0),
  answered_by_user_id: answeredBy,
  customer_waits_since: timestamp
    .nullable()
    .describe("The customer's first message after ours; null while we spoke last."),
  snoozed_until: timestamp.nullable().describe("Null once it is over."),
  snoozed_by_user_id: recordId.nullable(),
  spoke_last: z
    .enum(["customer", "us"])
    .nullable()
    .describe("Null before the first message. Reminders and failed messages do not count."),
};

/** A conversation in the inbox's list. */
export const inboxRow = conversationRow.extend({
  contact: z.strictObject({ id: recordId, name: z.string() }).nullable(),
  handoff_at: timestamp.nullable(),
  ...queueMembers,
  stage: stageView.nullable().describe("Where the contact was moved last, in any pipeline."),
  tag: z.string().nullable().describe("The contact's first tag."),
  last_message: z
    .strictObject({
      id: recordId,
      direction: z.enum(["inbound", "outbound"]),
      type: z.enum(messageTypes),
      status: z.enum(messageStatuses),
      sender_type: z.enum(senderTypes),
      sender_user_id: recordId.nullable(),
      preview: z.string(),
    })
    .nullable(),
});

/** A card of the board: the conversation that the contact was last moved in. */
export const cardView = inboxRow.extend({
  stage_entered_at: timestamp,
  tags: z.array(z.string()).describe("The contact's first three tags."),
  next_appointment_at: timestamp.nullable(),
  value: moneyView.nullable(),
  outcome: z.enum(cardOutcomes),
  lost_reason: z.string().nullable(),
  closed_at: timestamp.nullable().describe("Null while the card is open."),
});

/** A conversation opened in the inbox. */
export const inboxConversation = conversationView.extend({
  ...queueMembers,
  driver: z.string().describe("Carries the messages of the channel: `sandbox`, `whatsapp_cloud`."),
  agent_writing: z.boolean().describe("The AI agent is at an answer."),
  agent_drafting: z.boolean().describe("The AI agent is at a draft."),
  agent_draft: agentDraftView.nullable().describe("The draft that waits for a person."),
});

/** A conversation that a person has opened. */
export const openedInboxConversation = inboxConversation.extend({
  created: z.boolean().describe("True for a new conversation."),
  initial_message: messageView.nullable(),
});

/** A note of a person, or a change that the inbox shows between messages. */
export const noteView = z.strictObject({
  id: recordId,
  kind: z.enum(noteKinds),
  text: z
    .string()
    .nullable()
    .describe("In a note, `@[42]` names the user 42. The app shows the present name."),
  params: z
    .record(z.string(), z.union([z.string(), z.number()]).nullable())
    .nullable()
    .describe("`from` and `to` of a change."),
  user_id: recordId.nullable().describe("Who did it; null where no person did."),
  created_at: timestamp,
});
