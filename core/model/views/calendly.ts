import { z } from "zod";
import { recordId, timestamp } from "../wire.ts";

/** A connection with Calendly, and its mapping. */
export const calendlyConnectionView = z.strictObject({
  id: recordId,
  slug: z.string(),
  webhook_url: z.string(),
  name: z.string(),
  email: z.string(),
  scope: z.enum(["organization", "user"]),
  state: z.enum(["connected", "disconnected"]),
  mode: z.enum(["push", "polling"]).describe("Delivery of changes: by webhooks, or polled."),
  mode_reason: z.string().nullable().describe("Why it is polled: `no_https` or `forbidden`."),
  last_synced_at: timestamp.nullable(),
  error_code: z.string().nullable().describe("The last error; null once a read succeeds."),
  users: z.array(
    z.strictObject({
      uri: z.string(),
      name: z.string(),
      email: z.string().nullable(),
      resource_id: recordId.nullable(),
    }),
  ),
  event_types: z.array(
    z.strictObject({ uri: z.string(), name: z.string(), service_id: recordId.nullable() }),
  ),
  unmapped_bookings: z.int().min(0).describe("Bookings to come that wait for an agenda."),
});

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
