import { z } from "zod";
import { appointmentStatuses, rescheduleStates } from "../appointment.ts";
import { allHues } from "../hue.ts";
import { weeklyHours } from "../schedule.ts";
import { recordId, timestamp } from "../wire.ts";

const time = {
  start_time: timestamp,
  end_time: timestamp,
  duration_minutes: z.int().min(0),
};
const idOrNull = recordId.nullable();
const count = z.int().min(0);

/** An appointment. */
export const appointmentView = z.strictObject({
  id: recordId,
  status: z.enum(appointmentStatuses),
  title: z.string(),
  ...time,
  buffer_before_minutes: count.describe("Kept free before it, as its service had it."),
  buffer_after_minutes: count,
  resource_id: recordId,
  resource_name: z.string(),
  service_id: idOrNull,
  service_name: z.string().nullable(),
  service_hue: z.enum(allHues).describe("Colour of the service; slate without one."),
  contact_id: recordId,
  conversation_id: idOrNull,
  customer_name: z.string().describe("As shown when it was booked."),
  customer_phone: z.string().nullable(),
  source: z.string().nullable().describe("Who booked it."),
  google_event_id: z.string().nullable(),
  replaces_appointment_id: idOrNull,
  replaced_by_appointment_id: idOrNull,
  cancel_reason: z.string().nullable(),
  cancelled_at: timestamp.nullable(),
  created_by_user_id: idOrNull,
  created_at: timestamp,
  updated_at: timestamp,
  reschedule: z
    .strictObject({
      id: recordId,
      ...time,
      resource_id: recordId,
      source: z.string().nullable(),
    })
    .nullable()
    .describe("The move of it that is under way."),
});

/** A move of an appointment, with its outcome. */
export const moveView = z.strictObject({
  id: recordId,
  appointment_id: recordId.describe("The appointment that was to be moved."),
  state: z.enum(rescheduleStates),
  failure_code: z.string().nullable().describe("Why it was given up."),
  start_time: timestamp,
  end_time: timestamp,
  resource_id: recordId,
  source: z.string().nullable().describe("Who moved it."),
  created_at: timestamp,
  finished_at: timestamp.nullable(),
});

/** A time that can be booked now. */
export const slotView = z.strictObject({
  resource_id: recordId,
  start_time: timestamp,
  end_time: timestamp,
});

/** A resource. */
export const resourceView = z.strictObject({
  id: recordId,
  name: z.string(),
  time_zone: z.string(),
  weekly_hours: weeklyHours,
  archived_at: timestamp.nullable(),
  created_at: timestamp,
  updated_at: timestamp,
});

/** Added to the answer to a change of hours. A change of hours never moves an appointment. */
export const outsideHours = {
  appointments_outside: count.describe(
    "Confirmed appointments to come that lie outside the opening hours now; they stay.",
  ),
};

/** A closure of a resource. */
export const closureView = z.strictObject({
  id: recordId,
  resource_id: recordId,
  start_time: timestamp,
  end_time: timestamp,
  reason: z.string().nullable(),
  created_at: timestamp,
});

/** Open times and closures of a resource within a range of time. */
export const openingView = z.strictObject({
  resource_id: recordId,
  open: z
    .array(z.strictObject({ start_time: timestamp, end_time: timestamp }))
    .describe("Its weekly hours less its closures, in order."),
  closures: z.array(closureView),
  busy: z
    .array(z.strictObject({ id: recordId, start_time: timestamp, end_time: timestamp }))
    .describe("Times that external calendars take up, in order."),
});

/** A service. */
export const serviceView = z.strictObject({
  id: recordId,
  name: z.string(),
  duration_minutes: z.int(),
  buffer_before_minutes: z.int(),
  buffer_after_minutes: z.int(),
  step_minutes: z.int().nullable(),
  hue: z.enum(allHues),
  resource_ids: z.array(recordId).describe("The resources that give it; empty: all."),
  archived_at: timestamp.nullable(),
  created_at: timestamp,
  updated_at: timestamp,
});

/** Added to the answer to a change of a service. */
export const otherLength = {
  appointments_of_other_length: count.describe(
    "Confirmed appointments to come that keep the length they were booked with.",
  ),
};

/** Result of a deletion. Rows in use are archived instead. */
export const deletionView = z.strictObject({
  id: recordId,
  archived: z.boolean().describe("It is in use, so it is archived and not deleted."),
});
