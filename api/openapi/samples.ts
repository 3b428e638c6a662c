import { z } from "zod";
import { contactPatchBody, contactUpsertBody, contactView } from "../../core/model/contact.ts";
import {
  botBody,
  botView,
  conversationOpenBody,
  conversationPatchBody,
  conversationRow,
  conversationView,
  openedConversationView,
} from "../../core/model/conversation.ts";
import { inboundActions, inboundAnswer, inboundCall } from "../../core/model/inbound.ts";
import { messageListMeta, messageSendBody, messageView } from "../../core/model/message.ts";
import { templateEntry } from "../../core/model/template-list.ts";
import { voiceActions, voiceAnswer, voiceCall } from "../../core/model/voice.ts";
import { listMeta } from "../../core/model/page.ts";

/** Filled while this file loads, and never changed after. */
const samples = new Map<z.ZodType, unknown>();

/** Sets the example of a schema in the document. */
function sample<T extends z.ZodType>(schema: T, value: z.input<T>): z.input<T> {
  samples.set(schema, value);
  return value;
}

/** The example of a schema, or of a list of it; undefined without one. */
export function sampleOf(schema: z.ZodType): unknown {
  if (!(schema instanceof z.ZodArray)) return samples.get(schema);
  const item = schema.element instanceof z.ZodType ? sampleOf(schema.element) : undefined;
  return item === undefined ? undefined : [item];
}

/** The named shapes of the document. Each is one component, used everywhere. */
export const components = {
  Contact: contactView,
  Conversation: conversationView,
  ConversationRow: conversationRow,
  Message: messageView,
  Template: templateEntry,
};

/** The time of the samples. */
const now = Date.parse("2026-03-02T14:05:11.198Z");
const name = "Ana Torres";
const email = "ana@example.com";

const contact = sample(contactView, {
  id: 8841,
  name,
  phone: "5215512345678",
  email,
  whatsapp_id: "5215512345678",
  tags: ["vip"],
  created_at: "2026-03-02T14:05:11.198Z",
  updated_at: "2026-03-02T14:05:11.198Z",
});

const row = sample(conversationRow, {
  id: 5210,
  contact_id: contact.id,
  channel: "whatsapp",
  status: "active",
  bot_enabled: true,
  assigned_to_user_id: null,
  last_message_at: "2026-03-02T14:05:16.902Z",
  created_at: "2026-03-02T14:05:11.202Z",
});

const conversation = sample(conversationView, {
  ...row,
  updated_at: "2026-03-02T14:05:16.902Z",
  contact,
  handoff: null,
  stage: { pipeline_id: 2, pipeline_name: "Sales", stage_id: 13, stage_name: "Interested" },
  referral: null,
  messaging_window: { open: true, expires_at: "2026-03-03T14:05:11.214Z", human_expires_at: null },
});

const message = sample(messageView, {
  id: 90413,
  conversation_id: row.id,
  contact_id: contact.id,
  direction: "outbound",
  channel: "whatsapp",
  type: "text",
  content: "Hello Ana! Thursday at 10:00 is free. Shall I book it?",
  has_media: false,
  media: null,
  attachments: [],
  interactive: null,
  reactions: [],
  referral: null,
  reply_to_message_id: null,
  sender_type: "api",
  sender_user_id: null,
  sent_by_bot: false,
  status: "queued",
  error: null,
  external_id: "crm-7731",
  created_at: "2026-03-02T14:05:16.902Z",
  sent_at: null,
  delivered_at: null,
  read_at: null,
  edited_at: null,
  deleted_at: null,
});

const value = { place: "body", kind: "text", required: true } as const;
sample(templateEntry, {
  id: 17,
  name: "appointment_reminder",
  language: "es_MX",
  category: "utility",
  status: "approved",
  usable: true,
  unsupported: null,
  header: null,
  body: "Hola {{1}}, te esperamos el {{2}}.",
  footer: "Clínica Sol",
  buttons: [],
  placeholders: [
    { ...value, key: "1", example: "Ana" },
    { ...value, key: "2", example: "lunes" },
  ],
  channel_account_ids: [3],
  synced_at: "2026-03-02T03:00:00.000Z",
});

sample(openedConversationView, { ...conversation, created: false, initial_message: message });
sample(botView, { conversation_id: row.id, bot_enabled: false });
sample(inboundAnswer, { event: "contact.upsert", result: "created", contact_id: contact.id });
sample(voiceAnswer, {
  event: "appointment.book",
  result: "booked",
  contact_id: contact.id,
  appointment_id: 311,
});
sample(listMeta, { total: 1, limit: 50, offset: 0 });
sample(messageListMeta, { total: 1, limit: 50, next_before_id: null });

/** A phone as people write it. */
const phone = "+52 1 55 1234 5678";
sample(contactUpsertBody, { phone, email, name });
sample(contactPatchBody, { name: "Ana Torres Ruiz", email: null });
sample(conversationOpenBody, { phone, name, initial_message: "Hello Ana, how can we help?" });
sample(conversationPatchBody, { status: "resolved" });
sample(botBody, { enabled: false, reason: "The customer asked for a person." });
sample(messageSendBody, { content: String(message.content), external_id: "crm-7731" });
const [{ event: upsert, sample: upsertData }] = inboundActions;
sample(inboundCall, { event: upsert, data: upsertData(now) });
const [{ event: book, sample: bookData }] = voiceActions;
sample(voiceCall, { event: book, data: bookData(now) });
