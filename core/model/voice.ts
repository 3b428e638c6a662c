import { z } from "zod";
import { maxDurationMinutes } from "./appointment.ts";
import { dayMs, hourMs } from "./durations.ts";
import { contactUpsertBody, emailInput, phoneInput } from "./contact.ts";
import { reasonInput } from "./conversation.ts";
import { callsOf, defineAction, namesOf, samplePhone } from "./inbound-action.ts";
import { momentInput, recordId } from "./wire.ts";

/** The appointment that a caller means: the appointment with this id, or the only one ahead. */
const whichAppointment = {
  appointment_id: recordId
    .optional()
    .describe("Without one: the only one that the caller has ahead."),
  phone: phoneInput.optional(),
  email: emailInput.optional(),
};

/** An appointment as a call names it. */
export interface NamedAppointment {
  appointment_id?: number | undefined;
  phone?: string | undefined;
  email?: string | undefined;
}

function requireName(
  { appointment_id: id, phone, email }: NamedAppointment,
  ctx: z.core.$RefinementCtx,
): void {
  if (id !== undefined || phone !== undefined || email !== undefined) return;
  ctx.addIssue({
    code: "custom",
    message: "Send an appointment_id, or the phone or email of the caller.",
    params: { code: "appointment_required" },
  });
}

/** Every action with a sample, in the order of the documentation. */
export const voiceActions = [
  defineAction(
    "appointment.book",
    contactUpsertBody.strip().safeExtend({
      resource_id: recordId,
      service_id: recordId.optional(),
      start_time: momentInput,
      duration_minutes: z
        .int()
        .min(1)
        .max(maxDurationMinutes)
        .optional()
        .describe("Required without a service; without one it is the service's."),
    }),
    (now) => ({
      phone: samplePhone,
      name: "Ana Ruiz",
      resource_id: 1,
      service_id: 1,
      start_time: fullHour(now, 1),
    }),
  ),
  defineAction(
    "appointment.reschedule",
    z
      .object({
        ...whichAppointment,
        start_time: momentInput.describe("The new one; the appointment stays as long as it is."),
        resource_id: recordId.optional().describe("Where it changes its agenda."),
      })
      .superRefine(requireName),
    (now) => ({ phone: samplePhone, start_time: fullHour(now, 2) }),
  ),
  defineAction(
    "appointment.cancel",
    z.object({ ...whichAppointment, reason: reasonInput.optional() }).superRefine(requireName),
    () => ({ phone: samplePhone, reason: "Cannot come" }),
  ),
] as const;

/** A full hour some days from now, in UTC. */
function fullHour(now: number, days: number): string {
  return new Date(Math.ceil(now / hourMs) * hourMs + days * dayMs).toISOString();
}

/**
 * Body of a call of a voice integration. Unknown members are ignored, also those of `data`. Rules
 * C63 and C64.
 */
export const voiceCall = z.discriminatedUnion("event", callsOf(voiceActions));
export type VoiceCall = z.output<typeof voiceCall>;

/** `data` of each action. */
export type VoiceData = { [Call in VoiceCall as Call["event"]]: Call["data"] };

/** Results of an action. */
export const voiceResults = ["booked", "rescheduled", "cancelled", "unchanged"] as const;
export type VoiceResult = (typeof voiceResults)[number];

/** `data` of the answer. */
export const voiceAnswer = z.strictObject({
  event: z.enum(namesOf(voiceActions)),
  result: z.enum(voiceResults),
  contact_id: recordId,
  appointment_id: recordId,
});
