import i18next from "i18next";
import { initReactI18next } from "react-i18next";
import { en } from "../locales/en/index.ts";

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
    resources: { en: { translation: en } },
    lng: "en",
    fallbackLng: "en",
    interpolation: { escapeValue: false },
  });
  await switchLanguage(languageOf(localStorage.getItem(storageKey) ?? navigator.language));
}

let wanted: Language = "en";

/**
 * Switches the language; the Spanish texts are fetched at their first use. Where they cannot be, it
 * stays as it is and the next switch tries again; of several switches the last one holds.
 */
export async function switchLanguage(language: Language): Promise<void> {
  wanted = language;
  if (language === "es" && !i18next.hasResourceBundle("es", "translation")) {
    const texts = await import("../locales/es/index.ts").catch(() => null);
    if (texts === null) return;
    i18next.addResourceBundle("es", "translation", texts.es);
  }
  if (wanted !== language) return;
  localStorage.setItem(storageKey, language);
  document.documentElement.lang = language;
  await i18next.changeLanguage(language);
}

/** The language of ours that fits a tag such as `es-MX`; English where none does. */
export function languageOf(tag: string): Language {
  return tag.toLowerCase().startsWith("es") ? "es" : "en";
}
