import { z } from "zod";
import { calendarDirections, otherEventUses } from "./calendar.ts";
import { recordId } from "./wire.ts";

/** Providers of external accounts that an admin can connect. */
export const connectionProviders = ["google", "calendly"] as const;
export type ConnectionProvider = (typeof connectionProviders)[number];

/** `disconnected`: the provider refuses the credentials, or an admin has disconnected the account. */
export const connectionStates = ["connected", "disconnected"] as const;
export type ConnectionState = (typeof connectionStates)[number];

/** `push`: the provider announces changes. `polling`: we ask for them. */
export const calendarModes = ["push", "polling"] as const;
export type CalendarMode = (typeof calendarModes)[number];

/**
 * Reasons to poll. `no_https`: PUBLIC_URL is not https. `not_supported`: the calendar offers no push.
 * `address_refused`: the provider does not take the address of this installation. `push_missed`: a
 * change came to light without a push. `forbidden`: the plan or the token allows no webhooks.
 */
export const calendarModeReasons = [
  "no_https",
  "not_supported",
  "address_refused",
  "push_missed",
  "forbidden",
] as const;

/** The calendars of a Google account and their agendas. The list replaces the one before. */
export const googleLinksBody = z.strictObject({
  links: z
    .array(
      z.strictObject({
        calendar_id: z.string().min(1).max(255),
        resource_id: recordId,
        direction: z.enum(calendarDirections).default("two_way"),
        other_events: z.enum(otherEventUses).default("busy"),
      }),
    )
    .max(100),
});
export type GoogleLinksBody = z.output<typeof googleLinksBody>;
