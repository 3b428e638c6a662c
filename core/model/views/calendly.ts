import { z } from "zod";
import { recordId, timestamp } from "../wire.ts";

/** A booking of Calendly that waits for an agenda. */
export const unmappedBookingView = z.strictObject({
  id: recordId,
  start_time: timestamp,
  end_time: timestamp,
  invitee_name: z.string().nullable(),
  invitee_email: z.string().nullable(),
  event_type_name: z.string().nullable(),
  hosts: z
    .array(z.strictObject({ uri: z.string(), name: z.string() }))
    .describe("The hosts; one of them needs an agenda."),
});

/** The page of Calendly on which a customer moves or cancels their booking. */
export const calendlyBookingView = z.strictObject({
  reschedule_url: z.string().nullable(),
  cancel_url: z.string().nullable(),
  active_invitees: z
    .int()
    .min(0)
    .describe("Invitees of the event; a cancellation ends it for all."),
});
