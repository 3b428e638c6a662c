import { z } from "zod";
import { toWellFormed } from "./wire.ts";

/** Languages of the Dashboard. */
export const locales = ["en", "es"] as const;
export type Locale = (typeof locales)[number];

/** A stored language; English for one that we do not know. */
export function asLocale(text: string): Locale {
  return locales.find((locale) => locale === text) ?? "en";
}

/** What a one-time link is for. */
export const userLinkKinds = ["invitation", "password_reset"] as const;
export type UserLinkKind = (typeof userLinkKinds)[number];

/** Whether a link asks its reader to choose a password, or to prove theirs. */
export const passwordNeeds = ["new", "existing"] as const;
export type PasswordNeed = (typeof passwordNeeds)[number];

/** A new password has at least this many characters. Our choice. */
export const minPasswordLength = 10;
const maxPasswordLength = 1_000;

/** A password to be checked, at most as long as one may be. */
export const passwordInput = z.string().min(1).max(maxPasswordLength);

/** A password to be set. */
export const newPasswordInput = z
  .string()
  .min(minPasswordLength, `Use at least ${minPasswordLength} characters.`)
  .max(maxPasswordLength);

/** The name of a person. */
export const personNameInput = z.string().trim().min(1).max(200).overwrite(toWellFormed);
