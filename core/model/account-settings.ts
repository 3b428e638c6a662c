import { z } from "zod";
import { recordId } from "./wire.ts";

/** What an account can set for itself. Our choice. */
const fields = {
  /** Whether a person's reply pauses the AI agent in that conversation. */
  pause_on_human_reply: z.boolean(),
  /** Minutes without a reply after which a handoff is brought to mind. */
  handoff_remind_minutes: z.int().min(1).max(10_080),
  /** Minutes without a reply after which the admins hear of it. */
  handoff_escalate_minutes: z.int().min(1).max(10_080),
  /** Hours of silence of the people after which the agent takes over again; null: never. */
  handoff_return_hours: z.int().min(1).max(720).nullable(),
  /** The stage that whoever books is moved to; null: none. */
  booking_stage_id: recordId.nullable(),
};

/** The settings as stored, with what holds where one is not. */
export const accountSettings = z.object({
  pause_on_human_reply: fields.pause_on_human_reply.default(true),
  handoff_remind_minutes: fields.handoff_remind_minutes.default(10),
  handoff_escalate_minutes: fields.handoff_escalate_minutes.default(60),
  handoff_return_hours: fields.handoff_return_hours.default(null),
  booking_stage_id: fields.booking_stage_id.default(null),
});
export type AccountSettings = z.output<typeof accountSettings>;

/** All settings as they are read. */
export const accountSettingsView = z.strictObject(fields);

/** The settings that are to change; those left out stay. */
export const accountSettingsPatch = accountSettingsView.partial();
