import { z } from "zod";
import { toWellFormed } from "./wire.ts";

/** Languages of the Dashboard. */
export const locales = ["en", "es"] as const;
export type Locale = (typeof locales)[number];

/** A stored language. English for an unknown language. */
export function asLocale(text: string): Locale {
  return locales.find((locale) => locale === text) ?? "en";
}

/** Purposes of a one-time link. */
export const userLinkKinds = ["invitation", "password_reset"] as const;
export type UserLinkKind = (typeof userLinkKinds)[number];

/** Passwords that a link asks for: `new` to choose one, `existing` to prove the present one. */
export const passwordNeeds = ["new", "existing"] as const;
export type PasswordNeed = (typeof passwordNeeds)[number];

/** Minimum number of characters in a new password. */
export const minPasswordLength = 10;
const maxPasswordLength = 1_000;

/** A password to be checked, of at most the allowed length. */
export const passwordInput = z.string().min(1).max(maxPasswordLength);

/** A password to be set. */
export const newPasswordInput = z
  .string()
  .min(minPasswordLength, `Use at least ${minPasswordLength} characters.`)
  .max(maxPasswordLength);

/** The name of a person. */
export const personNameInput = z.string().trim().min(1).max(200).overwrite(toWellFormed);
