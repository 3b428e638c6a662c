import { z } from "zod";
import { restChannel } from "../channels.ts";
import { contactView } from "../contact.ts";
import { conversationStatuses } from "../conversation.ts";
import { deliveryStates } from "../workflow/delivery.ts";
import { eventTypes } from "../event-types.ts";
import { stageView } from "../pipeline.ts";
import { contactSources } from "../principal.ts";
import { timelineFacts } from "../timeline.ts";
import { recordId, timestamp } from "../wire.ts";

/** A contact in the list of the Dashboard. */
export const contactRow = contactView.extend({
  channel: restChannel.nullable().describe("Of the conversation with the newest message."),
  stage: stageView.nullable().describe("Where the contact was moved last, in any pipeline."),
  assigned_to_user_id: recordId.nullable().describe("Of the newest conversation with an assignee."),
  last_activity_at: timestamp.describe("The customer's last message; before it, the creation."),
});

/** Contacts that may be the same person. */
export const duplicateView = z.strictObject({
  same: z
    .enum(["phone", "email", "identity"])
    .describe(
      "Equal but for a country code, dots or a suffix; `identity`: a channel has named both as one.",
    ),
  contacts: z.array(contactRow).describe("Two or more, the one that was created first is first."),
});

/** A contact with everything that the Dashboard shows beside it. */
export const contactCard = contactView.extend({
  has_name: z.boolean().describe("False where `name` shows something else for want of one."),
  instagram_id: z.string().nullable(),
  facebook_id: z.string().nullable(),
  source: z.enum([...contactSources, "import"]).describe("Where the contact comes from."),
  identities: z
    .array(
      z.strictObject({
        id: recordId,
        channel: restChannel,
        external_id: z.string(),
        created_at: timestamp,
      }),
    )
    .describe("How the channels know the contact, newest first."),
  stages: z
    .array(stageView.extend({ moved_at: timestamp }))
    .describe("Where the contact stands in pipelines, the one it was moved in last first."),
  conversations: z
    .array(
      z.strictObject({
        id: recordId,
        channel: restChannel,
        status: z.enum(conversationStatuses),
        last_message_at: timestamp,
      }),
    )
    .describe("The 100 newest."),
});

/** An event of a contact, with its delivery to each subscription that selected it. */
export const timelineEntry = z.strictObject({
  event_id: z.uuid(),
  event_type: z.enum(eventTypes),
  occurred_at: timestamp,
  conversation_id: recordId.nullable(),
  appointment_id: recordId.nullable(),
  facts: timelineFacts,
  deliveries: z.array(
    z.strictObject({
      id: recordId,
      subscription_id: recordId,
      subscription_name: z.string(),
      state: z.enum(deliveryStates),
    }),
  ),
});
export type TimelineEntry = z.output<typeof timelineEntry>;

/** `meta` of a timeline. */
export const timelineMeta = z.strictObject({
  limit: z.int(),
  next: z.uuid().nullable().describe("`before` of the next page; null on the last page."),
});
