import i18next from "i18next";
import { initReactI18next } from "react-i18next";
import type { Locale } from "../../../core/model/user.ts";
import { first } from "../locales/en/first.ts";
import type { en } from "../locales/en/index.ts";

declare module "i18next" {
  interface CustomTypeOptions {
    resources: { translation: typeof en };
  }
}

const storageKey = "parley.language";

/** Starts in the language that was chosen last in this browser, else in the browser's own. */
export async function startI18n(): Promise<void> {
  await i18next.use(initReactI18next).init({
    resources: { en: { translation: first } },
    lng: "en",
    fallbackLng: "en",
    interpolation: { escapeValue: false },
  });
  await switchLanguage(languageOf(localStorage.getItem(storageKey) ?? navigator.language));
}

/** Loaders of the texts: those of the first page, and all of them. Each file is fetched once. */
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

/** Texts that the open pages need. Most people open the inbox, which needs only the first part. */
let needed: "first" | "all" = "first";
/** The language of the last switch. Its texts may still be loading. */
let wanted: Locale = "en";

/**
 * Fetches the texts of every page, in the present language and in each language of a later switch.
 */
export async function fetchAllTexts(): Promise<void> {
  needed = "all";
  // The router loads its first page before i18next is initialized. Then `startI18n` fetches all
  // texts.
  if (!i18next.isInitialized) return;
  const languages = new Set([languageOf(i18next.language), wanted]);
  await Promise.all([...languages].map(addTexts));
}

/** Merges deeply: the texts of the first page may arrive after all texts. */
async function addTexts(language: Locale): Promise<void> {
  const texts: object = await sources[language][needed]();
  i18next.addResourceBundle(language, "translation", texts, true, true);
}

/**
 * Switches the language once its texts have arrived. Where the fetch fails the language stays, and
 * the next switch tries again. Of several switches the last one wins.
 */
export async function switchLanguage(language: Locale): Promise<void> {
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

/** Our language for a tag such as `es-MX`; English where none fits. */
export function languageOf(tag: string): Locale {
  return tag.toLowerCase().startsWith("es") ? "es" : "en";
}

/** The language codes that WhatsApp templates of an account most likely have. */
export const templateLanguages = { en: "en_US", es: "es_MX" } as const;
