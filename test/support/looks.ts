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
const wide = { width: 1920, height: 1080 };

/**
 * Both languages, both themes, four widths: sixteen looks. Of two that follow one another language and
 * width differ, and nearly always the theme.
 */
const looks: Look[] = [
  { language: "en", theme: "light", ...desk },
  { language: "es", theme: "dark", ...phone },
  { language: "en", theme: "light", ...tablet },
  { language: "es", theme: "dark", ...wide },
  { language: "en", theme: "light", ...phone },
  { language: "es", theme: "dark", ...desk },
  { language: "en", theme: "light", ...wide },
  { language: "es", theme: "dark", ...tablet },
  { language: "en", theme: "dark", ...desk },
  { language: "es", theme: "light", ...phone },
  { language: "en", theme: "dark", ...tablet },
  { language: "es", theme: "light", ...wide },
  { language: "en", theme: "dark", ...phone },
  { language: "es", theme: "light", ...desk },
  { language: "en", theme: "dark", ...wide },
  { language: "es", theme: "light", ...tablet },
];

const narrower = looks.filter(({ width }) => width < wide.width);
const widest = looks.filter(({ width }) => width === wide.width);

/**
 * The looks of the page at a place of a list: the next `count`, so that sixteen pages in one cover all.
 * Or all of them, but for the widest, where pages have the most room: those take turns.
 */
export function looksAt(place: number, count: number): Look[] {
  if (inEveryLook) return [...narrower, ...widest.slice(place % 4, (place % 4) + 1)];
  return Array.from({ length: count }, (_, step) => (count * place + step) % looks.length).flatMap(
    (index) => looks[index] ?? [],
  );
}
