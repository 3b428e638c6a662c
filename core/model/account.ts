import { z } from "zod";
import { accountSettingsPatch, accountSettingsView } from "./account-settings.ts";
import { timeZone } from "./schedule.ts";
import { locales } from "./user.ts";
import { recordId, timestamp, toWellFormed } from "./wire.ts";

/** Body of a change of the account by an admin. Absent fields stay as they are. */
export const accountPatchBody = z.strictObject({
  name: z.string().trim().min(1).max(200).overwrite(toWellFormed).optional(),
  time_zone: timeZone.optional(),
  locale: z.enum(locales).optional(),
  settings: accountSettingsPatch.optional(),
});
export type AccountPatchBody = z.output<typeof accountPatchBody>;

/** The account as its members read it. */
export const accountView = z.strictObject({
  id: recordId,
  name: z.string(),
  time_zone: z.string(),
  locale: z.string(),
  settings: accountSettingsView,
  created_at: timestamp,
  updated_at: timestamp,
});
export type AccountView = z.output<typeof accountView>;
