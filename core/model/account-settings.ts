import { z } from "zod";
import { maxHandoffMinutes, maxReturnHours } from "./workflow/handoff.ts";
import { maxAnswerTargetMinutes } from "./inbox-queue.ts";
import { templateInput } from "./message.ts";
import {
  findUnknownPlaceholder,
  maxReminderHours,
  maxReminderLength,
  reminderPlaceholders,
} from "./reminder.ts";
import { recordId, toWellFormed } from "./wire.ts";

/** The account's own text of a reminder. An empty text is none. */
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

/** Settings of an account. */
const fields = {
  /** True where a person's reply pauses the AI agent in that conversation. Rule C32. */
  pause_on_human_reply: z.boolean(),
  /** Minutes without a reply until people are reminded of a handoff. */
  handoff_remind_minutes: z.int().min(1).max(maxHandoffMinutes),
  /** Minutes without a reply until the admins are notified. */
  handoff_escalate_minutes: z.int().min(1).max(maxHandoffMinutes),
  /** Hours without a message of the people until the agent takes over again; null: never. */
  handoff_return_hours: z.int().min(1).max(maxReturnHours).nullable(),
  /** Minutes within which a customer gets an answer. The colour of a wait follows from it. */
  answer_target_minutes: z.int().min(1).max(maxAnswerTargetMinutes),
  /** Stage for a customer who books; null: none. */
  booking_stage_id: recordId.nullable(),
  /** Hours from a reminder to its appointment; null: no reminders. */
  reminder_hours_before: z.int().min(1).max(maxReminderHours).nullable(),
  /** Text of a reminder, with `{name}`, `{date}` and `{time}`; null: the default text. */
  reminder_text: reminderText.nullable(),
  /**
   * Template for WhatsApp outside its window, with name, date and time as parameters; null: nothing
   * is sent.
   */
  reminder_template: templateInput.omit({ params: true }).nullable(),
};

/** The settings as stored, with defaults for absent ones. */
export const accountSettings = z.object({
  pause_on_human_reply: fields.pause_on_human_reply.default(true),
  handoff_remind_minutes: fields.handoff_remind_minutes.default(10),
  handoff_escalate_minutes: fields.handoff_escalate_minutes.default(60),
  handoff_return_hours: fields.handoff_return_hours.default(null),
  answer_target_minutes: fields.answer_target_minutes.default(30),
  booking_stage_id: fields.booking_stage_id.default(null),
  reminder_hours_before: fields.reminder_hours_before.default(null),
  reminder_text: fields.reminder_text.default(null),
  reminder_template: fields.reminder_template.default(null),
});
export type AccountSettings = z.output<typeof accountSettings>;

/** All settings as they are read. */
export const accountSettingsView = z.strictObject(fields);

/** The settings to change. Absent settings stay as they are. */
export const accountSettingsPatch = accountSettingsView.partial();
