import { z } from "zod";
import { maxDurationMinutes } from "./appointment.ts";
import { contactUpsertBody, emailInput, phoneInput } from "./contact.ts";
import { reasonInput } from "./conversation.ts";
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

/**
 * Body of a call of a voice integration. Unknown members are ignored, also those of `data`. Rules
 * C63 and C64.
 */
export const voiceCall = z.discriminatedUnion("event", [
  z.object({
    event: z.literal("appointment.book"),
    data: contactUpsertBody.strip().safeExtend({
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
  }),
  z.object({
    event: z.literal("appointment.reschedule"),
    data: z
      .object({
        ...whichAppointment,
        start_time: momentInput.describe("The new one; the appointment stays as long as it is."),
        resource_id: recordId.optional().describe("Where it changes its agenda."),
      })
      .superRefine(requireName),
  }),
  z.object({
    event: z.literal("appointment.cancel"),
    data: z
      .object({ ...whichAppointment, reason: reasonInput.optional() })
      .superRefine(requireName),
  }),
]);
export type VoiceCall = z.output<typeof voiceCall>;

/** `data` of each action. */
export type VoiceData = { [Call in VoiceCall as Call["event"]]: Call["data"] };

/** Every action, in the order of the documentation. */
export const voiceActions = [
  "appointment.book",
  "appointment.reschedule",
  "appointment.cancel",
] as const satisfies VoiceCall["event"][];

/** Results of an action. */
export const voiceResults = ["booked", "rescheduled", "cancelled", "unchanged"] as const;
export type VoiceResult = (typeof voiceResults)[number];

/** `data` of the answer. */
export const voiceAnswer = z.strictObject({
  event: z.enum(voiceActions),
  result: z.enum(voiceResults),
  contact_id: recordId,
  appointment_id: recordId,
});
