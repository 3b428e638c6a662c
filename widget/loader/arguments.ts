import type { ContactFacts, ContextFacts, ThemeChoice } from "../shared/protocol.ts";
import { widgetLocales, type WidgetLocale } from "./locales.ts";

/** Longest argument of a command, in characters of its JSON. */
const maxLength = 4_096;

/** @throws TypeError where the value is no text of 1 to 4,096 characters */
export function readText(value: unknown, name: string): string {
  if (typeof value !== "string" || value === "" || value.length > maxLength)
    throw new TypeError(`Parley: ${name} must be a text of 1 to ${maxLength} characters.`);
  return value;
}

/** @throws TypeError where the value is no language of the widget */
export function readLocale(value: unknown): WidgetLocale {
  const found = widgetLocales.find((locale) => locale === value);
  if (found === undefined)
    throw new TypeError(`Parley: locale must be one of ${widgetLocales.join(", ")}.`);
  return found;
}

/** @throws TypeError where the value is no theme */
export function readTheme(value: unknown): ThemeChoice {
  if (value === "auto" || value === "light" || value === "dark") return value;
  throw new TypeError("Parley: theme must be auto, light or dark.");
}

/** @throws TypeError where the value has other fields than texts under name, email and phone */
export function readContact(value: unknown): ContactFacts {
  const contact: ContactFacts = {};
  if (typeof value !== "object" || value === null)
    throw new TypeError("Parley: contact must be an object with name, email or phone.");
  for (const key of Object.keys(value)) {
    if (key !== "name" && key !== "email" && key !== "phone")
      throw new TypeError(`Parley: contact has no field "${key}".`);
    const text = (value as Record<string, unknown>)[key];
    if (text !== undefined) contact[key] = readText(text, `contact.${key}`);
  }
  return contact;
}

/** @throws TypeError where the value holds anything but up to 20 texts, numbers and booleans */
export function readContext(value: unknown): ContextFacts {
  const facts = Object.entries(Object(value) as ContextFacts);
  const isFine =
    typeof value === "object" &&
    value !== null &&
    facts.length <= 20 &&
    JSON.stringify(facts).length <= maxLength &&
    facts.every(([, fact]) => /^(string|number|boolean)$/.test(typeof fact));
  if (!isFine)
    throw new TypeError(
      "Parley: context must be an object of up to 20 texts, numbers or booleans.",
    );
  return Object.fromEntries(facts);
}

/** @throws TypeError where the value is no http or https address */
export function readUrl(value: unknown): string {
  const text = readText(value, "page.url");
  const url = new URL(text, location.href);
  if (!/^https?:$/u.test(url.protocol)) throw new TypeError("Parley: page.url must be http(s).");
  return url.href.slice(0, 2_048);
}
