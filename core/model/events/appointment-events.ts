import { z } from "zod";
import type { AppointmentStatus } from "../appointment.ts";
import { recordId, timestamp } from "../wire.ts";
import { defineEvent } from "./define-event.ts";

function appointmentData<Status extends AppointmentStatus>(...statuses: [Status, ...Status[]]) {
  return z.strictObject({
    appointment_id: recordId,
    status: z.enum(statuses),
    title: z.string(),
    start_time: timestamp,
    end_time: timestamp,
    duration_minutes: z.int().min(0),
    resource_id: recordId,
    resource_name: z.string(),
    service_id: recordId.nullable(),
    service_name: z.string().nullable(),
    contact_id: recordId,
    conversation_id: recordId
      .nullable()
      .describe(
        "Null when it was booked in no conversation, and the contact has none but web chats.",
      ),
    customer_name: z.string(),
    customer_phone: z.string().nullable(),
    source: z
      .string()
      .nullable()
      .describe("`agente`, `panel`, `enlace`, `google`, `calendly`, `voz` or other."),
    google_event_id: z.string().nullable(),
    replaced_by_appointment_id: recordId
      .nullable()
      .describe("The new appointment, on a replaced one."),
  });
}

/** A visit that is over keeps its mark where a calendar corrects its time. */
const appointmentRescheduled = appointmentData(
  "confirmed",
  "rescheduled",
  "completed",
  "no_show",
).extend({
  previous_start_time: timestamp,
  previous_end_time: timestamp,
  previous_resource_id: recordId,
});

interface AppointmentFacts {
  title: string;
  start_time: string;
  resource_name: string;
}

const appointmentFacts = ({ title, start_time, resource_name }: AppointmentFacts) => ({
  title,
  start_time,
  resource_name,
});

const appointment = {
  appointment_id: 3107,
  title: "First visit",
  start_time: "2026-03-05T16:00:00.000Z",
  end_time: "2026-03-05T16:30:00.000Z",
  duration_minutes: 30,
  resource_id: 12,
  resource_name: "Dr. Lucía Peña",
  service_id: 4,
  service_name: "Consultation",
  contact_id: 8841,
  conversation_id: 5210,
  customer_name: "Ana Torres",
  customer_phone: "5215512345678",
  google_event_id: null,
  replaced_by_appointment_id: null,
};

export const appointmentEvents = {
  "appointment.created": defineEvent({
    summary: "An appointment is scheduled, or a cancelled one is confirmed again.",
    data: appointmentData("confirmed"),
    facts: appointmentFacts,
    sample: { ...appointment, status: "confirmed", source: "agente" },
  }),
  "appointment.rescheduled": defineEvent({
    summary: "An appointment moves to another time or agenda, or is replaced.",
    data: appointmentRescheduled,
    facts: appointmentFacts,
    sample: {
      ...appointment,
      status: "confirmed",
      start_time: "2026-03-06T17:00:00.000Z",
      end_time: "2026-03-06T17:30:00.000Z",
      source: "panel",
      previous_start_time: "2026-03-05T16:00:00.000Z",
      previous_end_time: "2026-03-05T16:30:00.000Z",
      previous_resource_id: 12,
    },
  }),
  "appointment.cancelled": defineEvent({
    summary: "An appointment is cancelled.",
    data: appointmentData("cancelled"),
    facts: appointmentFacts,
    sample: { ...appointment, status: "cancelled", source: "panel" },
  }),
};
