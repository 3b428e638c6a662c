import { z } from "zod";
import { contactUpsertBody, phoneInput, tagInput } from "./contact.ts";
import { callsOf, defineAction, namesOf, samplePhone } from "./inbound-action.ts";
import type { VoiceResult } from "./voice.ts";
import { maxNameLength, recordId, toWellFormed } from "./wire.ts";

const tagData = z.object({ phone: phoneInput, tag: tagInput });

/** Every action with a sample, in the order of the documentation. */
export const inboundActions = [
  defineAction("contact.upsert", contactUpsertBody.strip(), () => ({
    phone: samplePhone,
    name: "Ana Ruiz",
  })),
  defineAction("contact.tag.add", tagData, () => ({ phone: samplePhone, tag: "vip" })),
  defineAction("contact.tag.remove", tagData, () => ({ phone: samplePhone, tag: "vip" })),
] as const;

/**
 * Body of a call by another system. Unknown members are ignored, also those of `data`. Rule C63.
 */
export const inboundCall = z.discriminatedUnion("event", callsOf(inboundActions));
export type InboundCall = z.output<typeof inboundCall>;

/** `data` of each action. */
export type InboundData = { [Call in InboundCall as Call["event"]]: Call["data"] };

/** Effects of an action on the contact. */
export const inboundResults = ["created", "updated", "unchanged"] as const;
export type InboundResult = (typeof inboundResults)[number];

/** Kinds of endpoint. Each kind has a path, actions and a page in the Dashboard of its own. */
export const endpointKinds = ["inbound", "voice"] as const;
export type EndpointKind = (typeof endpointKinds)[number];

/** Outcome of an action, for every kind of endpoint. */
export interface InboundOutcome {
  result: InboundResult | VoiceResult;
  contactId: number;
  /** Null where the action is about the contact alone. */
  appointmentId: number | null;
}

/** `data` of the answer. Rule C68. */
export const inboundAnswer = z.strictObject({
  event: z.enum(namesOf(inboundActions)),
  result: z.enum(inboundResults),
  contact_id: recordId,
});

/** @returns true where a header's value can be an event id: 1 to 255 visible ASCII characters. */
export function isEventId(value: string): boolean {
  return /^[\x21-\x7e]{1,255}$/u.test(value);
}

const fields = {
  name: z
    .string()
    .trim()
    .min(1, "Use 1 character or more.")
    .max(maxNameLength, `Use at most ${maxNameLength} characters.`)
    .overwrite(toWellFormed),
  strict: z
    .boolean()
    .describe("Calls need `webhook-signature`, whose timestamp may be 5 minutes off at most."),
};

/** Body of a new inbound endpoint. */
export const inboundEndpointCreateBody = z.strictObject({
  name: fields.name,
  strict: fields.strict.default(false),
});
export type InboundEndpointCreateBody = z.output<typeof inboundEndpointCreateBody>;

/** Body of a change of an inbound endpoint: only the fields that are sent. */
export const inboundEndpointPatchBody = z.strictObject({
  name: fields.name.optional(),
  strict: fields.strict.optional(),
  enabled: z.boolean().optional().describe("False: whoever calls it reads 404."),
});
export type InboundEndpointPatchBody = z.output<typeof inboundEndpointPatchBody>;
