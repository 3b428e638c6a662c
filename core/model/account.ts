import { z } from "zod";
import { accountSettingsPatch, accountSettingsView } from "./account-settings.ts";
import { locales } from "./user.ts";
import { recordId, timestamp, toWellFormed } from "./wire.ts";

const timeZoneInput = z
  .string()
  .max(64, { error: "Use at most 64 characters.", abort: true })
  .refine(isTimeZone, "Use an IANA name such as America/Mexico_City.");

/** Whether `Intl` knows a time zone by this name. Offsets such as `+05:00` know no summer time. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** What an admin may change of the account; what is left out stays. */
export const accountPatchBody = z.strictObject({
  name: z.string().trim().min(1).max(200).overwrite(toWellFormed).optional(),
  time_zone: timeZoneInput.optional(),
  locale: z.enum(locales).optional(),
  settings: accountSettingsPatch.optional(),
});
export type AccountPatchBody = z.output<typeof accountPatchBody>;

/** The account as its people read it. */
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
