import { z } from "zod";
import { maxBufferMinutes, maxDurationMinutes, minStepMinutes } from "./appointment.ts";
import { reasonInput } from "./conversation.ts";
import { hueInput } from "./hue.ts";
import { timeZone, weeklyHours } from "./schedule.ts";
import { maxNameLength, momentInput, recordId, toWellFormed } from "./wire.ts";

const maxResourcesOfService = 200;

const nameInput = z
  .string()
  .trim()
  .min(1, "Use 1 character or more.")
  .max(maxNameLength, `Use at most ${maxNameLength} characters.`)
  .overwrite(toWellFormed);

function minutesInput(least: number, most: number) {
  const hint = `Use a whole number of minutes from ${least} to ${most}.`;
  return z.int(hint).min(least, hint).max(most, hint);
}

/** A length of an appointment, 1 minute to 24 hours. */
export const durationInput = minutesInput(1, maxDurationMinutes);

/** A new resource. Its time zone defaults to that of the account. */
export const resourceCreateBody = z.strictObject({
  name: nameInput,
  time_zone: timeZone.optional(),
  weekly_hours: weeklyHours,
});
export type ResourceCreateBody = z.output<typeof resourceCreateBody>;

/** Body of a change of a resource. Absent fields stay as they are. */
export const resourcePatchBody = z.strictObject({
  name: nameInput.optional(),
  time_zone: timeZone.optional(),
  weekly_hours: weeklyHours.optional(),
  archived: z.boolean().optional().describe("Nothing new is booked in an archived one."),
});
export type ResourcePatchBody = z.output<typeof resourcePatchBody>;

/** A time in which a resource is closed, regardless of its weekly hours. */
export const closureBody = z
  .strictObject({
    start_time: momentInput,
    end_time: momentInput,
    reason: reasonInput.optional(),
  })
  .superRefine(({ start_time: start, end_time: end }, ctx) => {
    if (start < end) return;
    ctx.addIssue({
      code: "custom",
      path: ["end_time"],
      message: "A closure ends after it begins.",
      params: { code: "invalid_range" },
    });
  });
export type ClosureBody = z.output<typeof closureBody>;

const stepInput = minutesInput(minStepMinutes, maxDurationMinutes).nullable();
const buffer = minutesInput(0, maxBufferMinutes);
const resourceIds = z
  .array(recordId)
  .max(maxResourcesOfService, `Use at most ${maxResourcesOfService} resources.`)
  .transform((ids) => [...new Set(ids)])
  .describe("The resources that give it; empty: all.");

/** A new service. */
export const serviceCreateBody = z.strictObject({
  name: nameInput,
  duration_minutes: durationInput,
  buffer_before_minutes: buffer.default(0),
  buffer_after_minutes: buffer.default(0),
  step_minutes: stepInput
    .default(null)
    .describe("From one offered start to the next; null: the duration."),
  resource_ids: resourceIds.default([]),
  hue: hueInput.default("slate").describe("Colour of its appointments in the calendar."),
});
export type ServiceCreateBody = z.output<typeof serviceCreateBody>;

/** Body of a change of a service. Absent fields stay as they are. */
export const servicePatchBody = z.strictObject({
  name: nameInput.optional(),
  duration_minutes: durationInput.optional(),
  buffer_before_minutes: buffer.optional(),
  buffer_after_minutes: buffer.optional(),
  step_minutes: stepInput.optional(),
  resource_ids: resourceIds.optional(),
  hue: hueInput.optional(),
  archived: z.boolean().optional().describe("An archived one can no longer be booked."),
});
export type ServicePatchBody = z.output<typeof servicePatchBody>;
