import { z } from "zod";
import { maxHandoffMinutes, maxReturnHours } from "./workflow/handoff.ts";
import { maxAnswerTargetMinutes } from "./inbox-queue.ts";
import { hexColour } from "./accent.ts";
import { templateInput } from "./message.ts";
import { currencyInput } from "./money.ts";
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

/** A text on booking pages. An empty text is none. */
function pageText(maxLength: number) {
  return z
    .string()
    .trim()
    .max(maxLength, `Use at most ${maxLength} characters.`)
    .overwrite(toWellFormed)
    .transform((text) => (text === "" ? null : text));
}

/** Maximum lengths of the company's name and address on booking pages. */
export const maxCompanyName = 80;
export const maxCompanyAddress = 200;

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
  /** Currency that a new value of a card begins with. */
  currency: currencyInput,
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
  /** Name of the company on booking pages; null: the account's name. */
  booking_name: pageText(maxCompanyName).nullable(),
  /** Accent of booking pages, as `#0d6e68`; null: ours. Pages darken it until it is readable. */
  booking_accent: z
    .string()
    .toLowerCase()
    .regex(hexColour, "Use a colour such as #0d6e68.")
    .nullable(),
  /** Address of the company on booking pages; null: none. */
  booking_address: pageText(maxCompanyAddress).nullable(),
};

/** The settings as stored, with defaults for absent ones. */
export const accountSettings = z.object({
  pause_on_human_reply: fields.pause_on_human_reply.default(true),
  handoff_remind_minutes: fields.handoff_remind_minutes.default(10),
  handoff_escalate_minutes: fields.handoff_escalate_minutes.default(60),
  handoff_return_hours: fields.handoff_return_hours.default(null),
  answer_target_minutes: fields.answer_target_minutes.default(30),
  currency: fields.currency.default("USD"),
  booking_stage_id: fields.booking_stage_id.default(null),
  reminder_hours_before: fields.reminder_hours_before.default(null),
  reminder_text: fields.reminder_text.default(null),
  reminder_template: fields.reminder_template.default(null),
  booking_name: fields.booking_name.default(null),
  booking_accent: fields.booking_accent.default(null),
  booking_address: fields.booking_address.default(null),
});
export type AccountSettings = z.output<typeof accountSettings>;

/** All settings as they are read. */
export const accountSettingsView = z.strictObject(fields);

/** The settings to change. Absent settings stay as they are. */
export const accountSettingsPatch = accountSettingsView.partial();
