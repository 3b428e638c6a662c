import { z } from "zod";
import { eventChannel } from "../channels.ts";
import { messageTypes, senderTypes } from "../message.ts";
import { recordId, timestamp } from "../wire.ts";
import { defineEvent } from "./define-event.ts";

function messageData<Direction extends "inbound" | "outbound">(direction: Direction) {
  return z.strictObject({
    message_id: recordId,
    conversation_id: recordId,
    contact_id: recordId,
    direction: z.literal(direction),
    channel: eventChannel,
    type: z.enum(messageTypes),
    content_preview: z
      .string()
      .describe("The first 160 characters, or the kind of media in brackets."),
    has_media: z.boolean(),
    sent_by_bot: z.boolean(),
    created_at: timestamp,
    sender_type: z.enum(senderTypes),
    sender_user_id: recordId.nullable(),
    api_key_id: recordId.nullable(),
    external_id: z.string().nullable().describe("The caller's own id of the message."),
  });
}

interface MessageFacts {
  content_preview: string;
  sender_type: (typeof senderTypes)[number];
}

const messageFacts = ({ content_preview: text, sender_type }: MessageFacts) => ({
  text,
  sender_type,
});

/** The conversation of the samples, which follow one customer. */
const conversation = { conversation_id: 5210, contact_id: 8841 };

export const messageEvents = {
  "message.received": defineEvent({
    summary: "A customer sends a message.",
    data: messageData("inbound"),
    facts: messageFacts,
    sample: {
      message_id: 90412,
      ...conversation,
      direction: "inbound",
      channel: "whatsapp",
      type: "text",
      content_preview: "Hello, do you have an appointment free on Thursday?",
      has_media: false,
      sent_by_bot: false,
      created_at: "2026-03-02T14:05:11.214Z",
      sender_type: "contact",
      sender_user_id: null,
      api_key_id: null,
      external_id: null,
    },
  }),
  "message.sent": defineEvent({
    summary: "A person, the AI agent or the API sends a message.",
    data: messageData("outbound"),
    facts: messageFacts,
    sample: {
      message_id: 90413,
      ...conversation,
      direction: "outbound",
      channel: "whatsapp",
      type: "text",
      content_preview: "Hello Ana! Thursday at 10:00 is free. Shall I book it?",
      has_media: false,
      sent_by_bot: true,
      created_at: "2026-03-02T14:05:16.902Z",
      sender_type: "ai",
      sender_user_id: null,
      api_key_id: null,
      external_id: null,
    },
  }),
};
