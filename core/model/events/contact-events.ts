import { z } from "zod";
import { eventChannel } from "../channels.ts";
import { changedFields } from "../contact.ts";
import { contactSources } from "../principal.ts";
import { recordId, timestamp } from "../wire.ts";
import { defineEvent } from "./define-event.ts";

const contactCreated = z.strictObject({
  contact_id: recordId,
  name: z.string(),
  phone: z.string().nullable().describe("Digits with the country code, no plus sign."),
  email: z.string().nullable(),
  channel: eventChannel.nullable().describe("Null when the contact has no conversation."),
  instagram_id: z.string().nullable(),
  facebook_id: z.string().nullable(),
  tags: z.array(z.string()),
  created_at: timestamp,
  updated_at: timestamp,
  source: z.enum(contactSources),
  conversation_id: recordId.nullable().describe("Null when the contact has no conversation."),
  whatsapp_id: z.string().nullable(),
});

const contactUpdated = contactCreated.extend({
  changed_fields: z.array(z.enum(changedFields)).describe("Sorted by name."),
  previous_values: z
    .strictObject({
      email: z.string().nullable(),
      facebook_id: z.string().nullable(),
      instagram_id: z.string().nullable(),
      name: z.string().nullable(),
      phone: z.string().nullable(),
      tags: z.array(z.string()),
      whatsapp_id: z.string().nullable(),
    })
    .partial()
    .describe("What each changed field held before."),
});

const ana = {
  contact_id: 8841,
  name: "Ana Torres",
  phone: "5215512345678",
  channel: "whatsapp",
  instagram_id: null,
  facebook_id: null,
  created_at: "2026-03-02T14:05:11.198Z",
} satisfies Partial<z.output<typeof contactCreated>>;

export const contactEvents = {
  "contact.created": defineEvent({
    summary: "Someone writes for the first time, or a contact is created in any other way.",
    data: contactCreated,
    facts: ({ source }) => ({ source }),
    sample: {
      ...ana,
      email: null,
      tags: [],
      updated_at: "2026-03-02T14:05:11.198Z",
      source: "conversation",
      conversation_id: 5210,
      whatsapp_id: "5215512345678",
    },
  }),
  "contact.updated": defineEvent({
    summary: "Name, phone, email, tags or a channel id of a contact change.",
    data: contactUpdated,
    facts: ({ changed_fields }) => ({ changed_fields }),
    sample: {
      ...ana,
      email: "ana@example.com",
      tags: ["vip"],
      updated_at: "2026-03-02T14:40:02.511Z",
      source: "api",
      conversation_id: 5210,
      whatsapp_id: "5215512345678",
      changed_fields: ["email", "tags"],
      previous_values: { email: null, tags: [] },
    },
  }),
};
