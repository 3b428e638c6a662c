import { z } from "zod";
import { calendarDirections, otherEventUses } from "../calendar.ts";
import {
  calendarModeReasons,
  calendarModes,
  connectionProviders,
  connectionStates,
} from "../calendar-connection.ts";
import { recordId, timestamp } from "../wire.ts";

const moment = timestamp.nullable();
const state = z.enum(connectionStates);

/** A Google calendar that is kept in step with an agenda. */
const calendarLinkView = z.strictObject({
  id: recordId,
  calendar_id: z.string().describe("Google's id of the calendar."),
  name: z.string(),
  resource_id: recordId,
  direction: z.enum(calendarDirections),
  other_events: z.enum(otherEventUses).describe("Use of events that are no appointments."),
  state,
  last_synced_at: moment,
  last_push_at: moment,
});

/** A calendar that a connected Google account can read. */
export const googleCalendarView = z.strictObject({
  calendar_id: z.string(),
  name: z.string(),
  primary: z.boolean(),
  writable: z.boolean(),
});

/** A host of Calendly, with the agenda of their bookings. */
const calendlyUserView = z.strictObject({
  uri: z.string(),
  name: z.string(),
  email: z.string().nullable(),
  resource_id: recordId.nullable(),
});

/** An event type of Calendly, with the service of its bookings. */
const calendlyEventTypeView = z.strictObject({
  uri: z.string(),
  name: z.string(),
  service_id: recordId.nullable(),
});

/** A grant of an external calendar account. */
export const calendarConnectionView = z.strictObject({
  id: recordId,
  provider: z.enum(connectionProviders),
  email: z.string().nullable(),
  name: z.string().nullable(),
  state,
  mode: z.enum(calendarModes).describe("Delivery of changes: by push, or polled."),
  mode_reason: z.enum(calendarModeReasons).nullable().describe("Why it is polled."),
  last_synced_at: moment,
  error_code: z.string().nullable().describe("The last error; null once a sync succeeds."),
  error_at: moment,
  push_expires_at: moment.describe("When the push channel ends that ends first."),
  created_at: timestamp,
  google: z.strictObject({ links: z.array(calendarLinkView) }).nullable(),
  calendly: z
    .strictObject({
      slug: z.string(),
      webhook_url: z.string(),
      scope: z.enum(["organization", "user"]),
      users: z.array(calendlyUserView),
      event_types: z.array(calendlyEventTypeView),
      unmapped_bookings: z.int().min(0),
    })
    .nullable(),
});

/** Connected calendar accounts, and the apps of this installation at their providers. */
export const calendarsView = z.strictObject({
  connections: z.array(calendarConnectionView),
  google: z.strictObject({
    configured: z.boolean(),
    missing: z.array(z.string()).describe("Names of the settings that are not set."),
    redirect_uri: z.string(),
  }),
  calendly: z.strictObject({
    configured: z.boolean().describe("There is an OAuth app, beside personal tokens."),
    redirect_uri: z.string(),
  }),
});
