import { z } from "zod";
import { changedFields } from "./contact.ts";
import { conversationStatuses } from "./conversation.ts";
import { senderTypes } from "./message.ts";
import { contactSources } from "./principal.ts";
import { timestamp } from "./wire.ts";

/**
 * Facts of an event that a timeline shows beside its type. An event has the members that fit its
 * type.
 */
export const timelineFacts = z
  .strictObject({
    text: z.string().nullable().describe("The message's beginning, or the reason of a handoff."),
    sender_type: z.enum(senderTypes),
    status: z.enum(conversationStatuses),
    previous_status: z.enum(conversationStatuses),
    pipeline_name: z.string(),
    stage_name: z.string(),
    previous_stage_name: z.string().nullable(),
    source: z.enum(contactSources),
    changed_fields: z.array(z.enum(changedFields)),
    title: z.string(),
    start_time: timestamp,
    resource_name: z.string(),
  })
  .partial();
export type TimelineFacts = z.output<typeof timelineFacts>;
