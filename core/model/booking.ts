import { z } from "zod";
import { appointmentOrders, appointmentStatuses, rescheduleModes } from "./appointment.ts";
import { contactUpsertBody } from "./contact.ts";
import { reasonInput } from "./conversation.ts";
import { durationInput } from "./resource.ts";
import {
  flagInQuery,
  idParameter,
  momentInput,
  numberInQuery,
  shownPageParameters,
  recordId,
  toWellFormed,
} from "./wire.ts";
import { dayMs } from "./durations.ts";

const maxTitleLength = 200;
const maxListed = 1_000;
const maxSlotDays = 62;

function refuse(ctx: z.core.$RefinementCtx, path: string, code: string, message: string): void {
  ctx.addIssue({ code: "custom", path: [path], message, params: { code } });
}

/** A booking by a person in the Dashboard. */
export const appointmentCreateBody = z
  .strictObject({
    resource_id: recordId,
    service_id: recordId.optional(),
    start_time: momentInput,
    end_time: momentInput.optional(),
    duration_minutes: durationInput.optional().describe("Without one: the service's."),
    contact_id: recordId.optional(),
    contact: contactUpsertBody
      .optional()
      .describe("In place of an id: the contact with this phone or email, or a new one."),
    conversation_id: recordId
      .optional()
      .describe("The contact's conversation in which it is booked, such as a web chat."),
    title: z
      .string()
      .trim()
      .max(maxTitleLength, `Use at most ${maxTitleLength} characters.`)
      .overwrite(toWellFormed)
      .transform((text) => (text === "" ? undefined : text))
      .optional()
      .describe("Without one: the service's name, else the customer's."),
    outside_hours: z.boolean().default(false).describe("Book it although the resource is closed."),
  })
  .superRefine(({ contact_id: id, contact, end_time: end, duration_minutes: minutes }, ctx) => {
    if ((id === undefined) === (contact === undefined)) {
      refuse(ctx, "contact_id", "one_contact", "Send either contact_id or contact.");
    }
    if (end !== undefined && minutes !== undefined) {
      refuse(ctx, "end_time", "one_length", "Send either end_time or duration_minutes.");
    }
  });
export type AppointmentCreateBody = z.output<typeof appointmentCreateBody>;

/** Reason of a cancellation, for later readers. */
export const cancelBody = z.strictObject({ reason: reasonInput.optional() });

/** New time of an appointment, and optionally another agenda. */
export const rescheduleBody = z.strictObject({
  start_time: momentInput,
  end_time: momentInput.optional().describe("Without one it keeps its length."),
  resource_id: recordId.optional().describe("Without one it keeps its agenda."),
  mode: z
    .enum(rescheduleModes, `Use ${rescheduleModes.join(" or ")}.`)
    .default("same")
    .describe("`replace`: a new appointment takes the place of this one."),
  source: z
    .string()
    .regex(/^[a-z0-9_]{1,32}$/, "Use 1 to 32 lower-case letters, digits and underscores.")
    .default("panel")
    .describe("Who moves it, as receivers are told."),
  outside_hours: z.boolean().default(false).describe("Move it although the resource is closed."),
});

const idList = z
  .string("Send this parameter once.")
  .regex(/^\d{1,15}(?:,\d{1,15}){0,49}$/u, "Use up to 50 ids with commas between them.")
  .transform((text) => text.split(",").map(Number));
const limitHint = `Use a whole number from 1 to ${maxListed}.`;

/** Query of a list of appointments: up to 1,000 at once, so that a month fits. */
export const appointmentListQuery = z
  .object({
    from: momentInput.optional().describe("Those that end after it."),
    to: momentInput.optional().describe("Those that begin before it."),
    resource_id: idList
      .optional()
      .describe("Of one resource, or several with commas between them."),
    contact_id: idParameter.optional(),
    status: z.enum(appointmentStatuses, `Use one of ${appointmentStatuses.join(", ")}.`).optional(),
    takes_place: flagInQuery
      .default(false)
      .describe("Without appointments that were cancelled or replaced."),
    order: z
      .enum(appointmentOrders, `Use one of ${appointmentOrders.join(", ")}.`)
      .default("asc")
      .describe(
        "Of their starts. `next`, with `contact_id`: the next confirmed ones, then the others, the latest first.",
      ),
    limit: numberInQuery(z.int(limitHint).min(1, limitHint).max(maxListed, limitHint)).default(100),
    offset: shownPageParameters.offset,
  })
  .refine(({ order, contact_id }) => order !== "next" || contact_id !== undefined, {
    path: ["order"],
    error: "Use next with a contact_id.",
  });

/** Query of free slots. */
export const slotQuery = z
  .object({
    service_id: idParameter.optional(),
    resource_id: idParameter.optional().describe("Without one: all that give the service."),
    duration_minutes: numberInQuery(durationInput)
      .optional()
      .describe("Without a service; 30 by default."),
    appointment_id: idParameter
      .optional()
      .describe("The appointment to be moved: its own time is free, its length and buffers stay."),
    from: momentInput.describe("Slots begin from here on."),
    to: momentInput.describe(`Slots begin before it; at most ${maxSlotDays} days later.`),
  })
  .superRefine(requireRange);

/** Query of the open times of resources. */
export const openingQuery = z
  .object({
    from: momentInput,
    to: momentInput.describe(`At most ${maxSlotDays} days later.`),
  })
  .superRefine(requireRange);

function requireRange({ from, to }: { from: Date; to: Date }, ctx: z.core.$RefinementCtx): void {
  const days = (to.getTime() - from.getTime()) / dayMs;
  if (days > 0 && days <= maxSlotDays) return;
  refuse(ctx, "to", "invalid_range", `Use a range of at most ${maxSlotDays} days.`);
}
