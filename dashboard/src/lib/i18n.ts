import i18next from "i18next";
import { initReactI18next } from "react-i18next";
import { first } from "../locales/en/first.ts";
import type { en } from "../locales/en/index.ts";

declare module "i18next" {
  interface CustomTypeOptions {
    resources: { translation: typeof en };
  }
}

/** Languages of the Dashboard. */
export type Language = "en" | "es";

const storageKey = "parley.language";

/** Starts in the language chosen last in this browser, else the browser's own. */
export async function startI18n(): Promise<void> {
  await i18next.use(initReactI18next).init({
    resources: { en: { translation: first } },
    lng: "en",
    fallbackLng: "en",
    interpolation: { escapeValue: false },
  });
  await switchLanguage(languageOf(localStorage.getItem(storageKey) ?? navigator.language));
}

/** Where the texts are: those of the first page, and all of them. Each file is fetched once. */
const sources = {
  en: {
    first: async () => await Promise.resolve(first),
    all: async () => (await import("../locales/en/index.ts")).en,
  },
  es: {
    first: async () => (await import("../locales/es/first.ts")).first,
    all: async () => (await import("../locales/es/index.ts")).es,
  },
};

/** How much a page needs. Most people come for the inbox, which does without the rest. */
let needed: "first" | "all" = "first";
/** The language that was switched to last; it may be on its way yet. */
let wanted: Language = "en";

/** Fetches the texts of every page, in the present language and in any that is switched to. */
export async function fetchAllTexts(): Promise<void> {
  needed = "all";
  // The router asks for its first page before anything else has begun; the start then fetches them.
  if (!i18next.isInitialized) return;
  const languages = new Set([languageOf(i18next.language), wanted]);
  await Promise.all([...languages].map(addTexts));
}

/** Adds to what is there: the texts of the first page may come after all of them. */
async function addTexts(language: Language): Promise<void> {
  const texts: object = await sources[language][needed]();
  i18next.addResourceBundle(language, "translation", texts, true, true);
}

/**
 * Switches the language, once its texts are there. Where they cannot be fetched it stays as it is, and
 * the next switch tries again; of several switches the last one holds.
 */
export async function switchLanguage(language: Language): Promise<void> {
  wanted = language;
  const isThere = await addTexts(language).then(
    () => true,
    () => false,
  );
  if (!isThere || wanted !== language) return;
  localStorage.setItem(storageKey, language);
  document.documentElement.lang = language;
  await i18next.changeLanguage(language);
}

/** The language of ours that fits a tag such as `es-MX`; English where none does. */
export function languageOf(tag: string): Language {
  return tag.toLowerCase().startsWith("es") ? "es" : "en";
}

/** The codes under which WhatsApp most likely has the templates of an account that speaks a language. */
export const templateLanguages = { en: "en_US", es: "es_MX" } as const;
