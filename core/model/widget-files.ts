import { contrastOf } from "./accent.ts";
import type { WidgetLocale, WidgetSettings } from "./widget.ts";
import type { WidgetConfig } from "./widget-visit.ts";

/** Ink on a light accent. */
const darkInk = "#000000";

/** Settings inside the loader's script: only those that the launcher needs. */
export interface LoaderConfig {
  key: string;
  /** Origin of the panel's frame. */
  origin: string;
  company: string;
  accent: string;
  /** Words and icons on the accent. */
  onAccent: string;
  look: WidgetSettings["look"];
  greeting: WidgetSettings["greeting"];
  defaultLocale: WidgetLocale;
  texts: Record<WidgetLocale, { launcher: string; greeting: string }>;
}

/** Settings inside the page of the panel. */
export interface FrameConfig extends WidgetConfig {
  /** Origins of the sites that may show the panel; empty: any. */
  allowed_origins: string[];
  /** Origin of the Dashboard, which shows a preview. */
  dashboard_origin: string;
}

/** The part of a widget's settings that its loader needs. */
export function loaderConfigOf({ key, origin, company, settings }: WidgetConfig): LoaderConfig {
  const { look, greeting, texts } = settings;
  const ofLocale = ({ launcher, greeting: words }: WidgetSettings["texts"]["en"]) => ({
    launcher,
    greeting: words,
  });
  return {
    key,
    origin,
    company,
    accent: look.accent,
    onAccent: inkOn(look.accent),
    look,
    greeting,
    defaultLocale: settings.default_locale,
    texts: { en: ofLocale(texts.en), es: ofLocale(texts.es), pt: ofLocale(texts.pt) },
  };
}

/** White where it holds AA on the colour, else black, which then does. */
export function inkOn(hex: string): string {
  return contrastOf(hex, "#ffffff") >= 4.5 ? "#ffffff" : darkInk;
}
