import { z } from "zod";
import { changedFields } from "./contact.ts";
import { conversationStatuses } from "./conversation.ts";
import type { EventEnvelope, EventType } from "./events.ts";
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

/** An event as it was published, whatever its type. */
export type PublishedEnvelope = { [T in EventType]: EventEnvelope<T> }[EventType];

/** Facts of an event for a timeline. Empty for types without facts. */
export function timelineFactsOf(event: PublishedEnvelope): TimelineFacts {
  switch (event.event_type) {
    case "message.received":
    case "message.sent": {
      const { content_preview: text, sender_type } = event.data;
      return { text, sender_type };
    }
    case "conversation.updated":
    case "conversation.closed": {
      const { status, previous_status } = event.data;
      return { status, previous_status };
    }
    case "conversation.bot.disabled":
      return { text: event.data.reason };
    case "conversation.stage_changed": {
      const { pipeline_name, stage_name, previous_stage_name } = event.data;
      return { pipeline_name, stage_name, previous_stage_name };
    }
    case "contact.created":
      return { source: event.data.source };
    case "contact.updated":
      return { changed_fields: event.data.changed_fields };
    case "appointment.created":
    case "appointment.rescheduled":
    case "appointment.cancelled": {
      const { title, start_time, resource_name } = event.data;
      return { title, start_time, resource_name };
    }
    case "conversation.created":
    case "conversation.bot.enabled":
    case "test.ping":
      return {};
  }
}
