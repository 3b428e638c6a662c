import { z } from "zod";
import { eventChannel } from "../channels.ts";
import {
  conversationSources,
  conversationStatuses,
  type ConversationStatus,
} from "../conversation.ts";
import { stageSources } from "../pipeline.ts";
import { recordId, timestamp } from "../wire.ts";
import { defineEvent } from "./define-event.ts";

const whoChangedIt = {
  source: z.enum(conversationSources),
  actor_user_id: recordId.nullable(),
  api_key_id: recordId.nullable(),
};

const conversationCreated = z.strictObject({
  conversation_id: recordId,
  contact_id: recordId,
  channel: eventChannel,
  status: z.enum(conversationStatuses),
  bot_enabled: z.boolean(),
  assigned_to_user_id: recordId.nullable(),
  source: z.enum(conversationSources),
  created_at: timestamp,
});

const conversationUpdated = z.strictObject({
  conversation_id: recordId,
  contact_id: recordId,
  status: z.enum(conversationStatuses),
  previous_status: z.enum(conversationStatuses),
  bot_enabled: z.boolean(),
  assigned_to_user_id: recordId.nullable(),
  ...whoChangedIt,
  updated_at: timestamp,
});

const conversationClosed = z.strictObject({
  ...conversationUpdated.omit({ updated_at: true }).shape,
  status: z.literal("resolved"),
  closed_at: timestamp,
});

function botData<Enabled extends boolean>(enabled: Enabled) {
  return z.strictObject({
    ...conversationUpdated.omit({ updated_at: true }).shape,
    bot_enabled: z.literal(enabled),
    changed_at: timestamp,
  });
}

const botDisabled = botData(false).extend({
  reason: z.string().nullable().describe("Why the AI agent was paused, as the inbox shows it."),
  cancelled_message_ids: z.array(recordId).describe("AI messages that were queued and not sent."),
});

const stageChanged = z.strictObject({
  conversation_id: recordId,
  contact_id: recordId,
  channel: eventChannel,
  pipeline_id: recordId,
  pipeline_name: z.string(),
  stage_id: recordId,
  stage_name: z.string(),
  previous_stage_id: recordId.nullable().describe("Null when the customer enters the pipeline."),
  previous_stage_name: z.string().nullable(),
  source: z.enum(stageSources),
  actor_user_id: recordId.nullable(),
});

interface StatusFacts {
  status: ConversationStatus;
  previous_status: ConversationStatus;
}

const statusFacts = ({ status, previous_status }: StatusFacts) => ({ status, previous_status });

/** The conversation of the samples, which follow one customer. */
const conversation = { conversation_id: 5210, contact_id: 8841 };

export const conversationEvents = {
  "conversation.created": defineEvent({
    summary: "A new conversation opens.",
    data: conversationCreated,
    sample: {
      ...conversation,
      channel: "whatsapp",
      status: "active",
      bot_enabled: true,
      assigned_to_user_id: null,
      source: "conversation",
      created_at: "2026-03-02T14:05:11.205Z",
    },
  }),
  "conversation.updated": defineEvent({
    summary: "The status of a conversation changes.",
    data: conversationUpdated,
    facts: statusFacts,
    sample: {
      ...conversation,
      status: "waiting",
      previous_status: "active",
      bot_enabled: true,
      assigned_to_user_id: null,
      source: "api",
      actor_user_id: null,
      api_key_id: 9,
      updated_at: "2026-03-02T14:20:40.031Z",
    },
  }),
  "conversation.closed": defineEvent({
    summary: "A conversation is marked resolved. Its conversation.updated is published too.",
    data: conversationClosed,
    facts: statusFacts,
    sample: {
      ...conversation,
      status: "resolved",
      previous_status: "handed_off",
      bot_enabled: false,
      assigned_to_user_id: 31,
      source: "panel",
      actor_user_id: 31,
      api_key_id: null,
      closed_at: "2026-03-02T15:12:08.770Z",
    },
  }),
  "conversation.bot.enabled": defineEvent({
    summary: "The AI agent is turned on in a conversation.",
    data: botData(true),
    sample: {
      ...conversation,
      status: "active",
      previous_status: "handed_off",
      bot_enabled: true,
      assigned_to_user_id: 31,
      source: "panel",
      actor_user_id: 31,
      api_key_id: null,
      changed_at: "2026-03-02T15:02:55.418Z",
    },
  }),
  "conversation.bot.disabled": defineEvent({
    summary: "The AI agent is paused in a conversation, which goes to a person.",
    data: botDisabled,
    facts: ({ reason: text }) => ({ text }),
    sample: {
      ...conversation,
      status: "handed_off",
      previous_status: "active",
      bot_enabled: false,
      assigned_to_user_id: null,
      source: "agent",
      actor_user_id: null,
      api_key_id: null,
      changed_at: "2026-03-02T14:31:27.660Z",
      reason: "The customer asks for a person.",
      cancelled_message_ids: [90431],
    },
  }),
  "conversation.stage_changed": defineEvent({
    summary: "A customer enters a pipeline or moves to another stage.",
    data: stageChanged,
    facts: ({ pipeline_name, stage_name, previous_stage_name }) => ({
      pipeline_name,
      stage_name,
      previous_stage_name,
    }),
    sample: {
      ...conversation,
      channel: "whatsapp",
      pipeline_id: 2,
      pipeline_name: "Sales",
      stage_id: 14,
      stage_name: "Appointment booked",
      previous_stage_id: 13,
      previous_stage_name: "Interested",
      source: "ai",
      actor_user_id: null,
    },
  }),
};
