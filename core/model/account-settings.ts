import { z } from "zod";
import { maxHandoffMinutes, maxReturnHours } from "./workflow/handoff.ts";
import { templateInput } from "./message.ts";
import {
  findUnknownPlaceholder,
  maxReminderHours,
  maxReminderLength,
  reminderPlaceholders,
} from "./reminder.ts";
import { recordId, toWellFormed } from "./wire.ts";

/** The account's own words of a reminder. An empty text is none. */
const reminderText = z
  .string()
  .trim()
  .max(maxReminderLength, `Use at most ${maxReminderLength} characters.`)
  .overwrite(toWellFormed)
  .refine(
    (text) => findUnknownPlaceholder(text) === undefined,
    `Use no other placeholders than ${reminderPlaceholders.map((key) => `{${key}}`).join(", ")}.`,
  )
  .transform((text) => (text === "" ? null : text));

/** What an account can set for itself. Our choice. */
const fields = {
  /** Whether a person's reply pauses the AI agent in that conversation. */
  pause_on_human_reply: z.boolean(),
  /** Minutes without a reply after which a handoff is brought to mind. */
  handoff_remind_minutes: z.int().min(1).max(maxHandoffMinutes),
  /** Minutes without a reply after which the admins hear of it. */
  handoff_escalate_minutes: z.int().min(1).max(maxHandoffMinutes),
  /** Hours of silence of the people after which the agent takes over again; null: never. */
  handoff_return_hours: z.int().min(1).max(maxReturnHours).nullable(),
  /** The stage that whoever books is moved to; null: none. */
  booking_stage_id: recordId.nullable(),
  /** Hours before an appointment at which its customer is reminded of it; null: never. */
  reminder_hours_before: z.int().min(1).max(maxReminderHours).nullable(),
  /** What a reminder says, with `{name}`, `{date}` and `{time}`; null: our words. */
  reminder_text: reminderText.nullable(),
  /** What WhatsApp is sent outside its window, with name, date and time as parameters; null: nothing. */
  reminder_template: templateInput.omit({ params: true }).nullable(),
};

/** The settings as stored, with what holds where one is not. */
export const accountSettings = z.object({
  pause_on_human_reply: fields.pause_on_human_reply.default(true),
  handoff_remind_minutes: fields.handoff_remind_minutes.default(10),
  handoff_escalate_minutes: fields.handoff_escalate_minutes.default(60),
  handoff_return_hours: fields.handoff_return_hours.default(null),
  booking_stage_id: fields.booking_stage_id.default(null),
  reminder_hours_before: fields.reminder_hours_before.default(null),
  reminder_text: fields.reminder_text.default(null),
  reminder_template: fields.reminder_template.default(null),
});
export type AccountSettings = z.output<typeof accountSettings>;

/** All settings as they are read. */
export const accountSettingsView = z.strictObject(fields);

/** The settings that are to change; those left out stay. */
export const accountSettingsPatch = accountSettingsView.partial();
