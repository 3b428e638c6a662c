import type { PageOptions } from "./browser.ts";

/** A way to look at a page. */
export interface Look extends Required<Pick<PageOptions, "width" | "height" | "theme">> {
  language: "en" | "es";
}

/** `npm run test:ui:all`: every page in every look, not a sample of them. */
export const inEveryLook = process.env["UI_ALL"] === "1";

const phone = { width: 390, height: 844 };
const tablet = { width: 820, height: 1180 };
const desk = { width: 1440, height: 900 };

/**
 * Both languages, both themes, three widths: twelve looks. Of two that follow one another language,
 * theme and width differ.
 */
export const looks: Look[] = [
  { language: "en", theme: "light", ...desk },
  { language: "es", theme: "dark", ...phone },
  { language: "en", theme: "light", ...tablet },
  { language: "es", theme: "dark", ...desk },
  { language: "en", theme: "light", ...phone },
  { language: "es", theme: "dark", ...tablet },
  { language: "en", theme: "dark", ...desk },
  { language: "es", theme: "light", ...phone },
  { language: "en", theme: "dark", ...tablet },
  { language: "es", theme: "light", ...desk },
  { language: "en", theme: "dark", ...phone },
  { language: "es", theme: "light", ...tablet },
];

/** The looks of the page at a place of a list: all of them, or the next `count`, so that twelve pages in one cover all. */
export function looksAt(place: number, count: number): Look[] {
  if (inEveryLook) return looks;
  return Array.from({ length: count }, (_, step) => (count * place + step) % looks.length).flatMap(
    (index) => looks[index] ?? [],
  );
}
