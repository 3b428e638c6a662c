import { z } from "zod";
import { appointmentStatuses } from "./appointment.ts";
import { restChannel } from "./channels.ts";
import { tagInput } from "./contact.ts";
import { deliveryFilters } from "./delivery-list.ts";
import { dayMs } from "./durations.ts";
import { idParameter, momentInput, recordId, searchInQuery } from "./wire.ts";

/** Kinds of exports. `contact` is one contact with all data and files, the others are tables. */
export const exportKinds = ["contacts", "contact", "appointments", "deliveries"] as const;
export type ExportKind = (typeof exportKinds)[number];

/** Stored states of an export. A finished export expires by time. */
export const exportStates = ["queued", "running", "done", "failed"] as const;
export type ExportState = (typeof exportStates)[number];

/**
 * Codes of a failed export: more bytes than a file may have, a fault of the service, or a contact
 * that is gone. `person_erased`: the filters named a person who was erased, so they are gone. An
 * expired export may have that code too.
 */
export const exportErrors = [
  "export_too_large",
  "export_failed",
  "contact_gone",
  "person_erased",
] as const;
export type ExportError = (typeof exportErrors)[number];

/** Life of the file of an export. */
export const exportLinkMs = dayMs;

/** Maximum number of unfinished exports of an account. */
export const maxOpenExports = 5;

const contactFilters = z.strictObject({
  search: searchInQuery.optional(),
  tag: tagInput.optional(),
  stage_id: idParameter.optional(),
  channel: restChannel.optional(),
  assigned_to: z.union([z.literal("me"), z.literal("nobody"), idParameter]).optional(),
});

const appointmentFilters = z.strictObject({
  from: momentInput.optional(),
  to: momentInput.optional(),
  resource_ids: z.array(recordId).min(1).max(100).optional(),
  contact_id: idParameter.optional(),
  status: z.enum(appointmentStatuses).optional(),
  takes_place: z.boolean().optional(),
});

/** Body of a new export: the filters of the list that the person sees. */
export const exportBody = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("contacts"), filters: contactFilters.default({}) }),
  z.strictObject({ kind: z.literal("contact"), contact_id: recordId }),
  z.strictObject({ kind: z.literal("appointments"), filters: appointmentFilters.default({}) }),
  z.strictObject({
    kind: z.literal("deliveries"),
    filters: z.strictObject(deliveryFilters).default({}),
  }),
]);
export type ExportBody = z.output<typeof exportBody>;
