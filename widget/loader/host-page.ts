import { widgetLocales, type WidgetLocale } from "./locales.ts";
import type { VisitedPage } from "../../core/model/widget-visit.ts";

/** The page that the visitor is on, as the panel may know it. */
export function readPage(): VisitedPage {
  return {
    url: location.href.slice(0, 2_048),
    title: plainTitle().slice(0, 300),
    referrer: document.referrer.slice(0, 2_048),
  };
}

/** The language of the site, else of the browser, else the widget's own. */
export function chooseLocale(fallback: WidgetLocale): WidgetLocale {
  const wanted = [document.documentElement.lang, ...navigator.languages];
  for (const one of wanted) {
    const found = widgetLocales.find((locale) => one.toLowerCase().split("-")[0] === locale);
    if (found !== undefined) return found;
  }
  return fallback;
}

/** Calls back when a single-page site has moved on. @returns a function that stops it */
export function watchRoutes(onMove: () => void): () => void {
  let last = location.href;
  const look = (): void => {
    if (location.href === last) return;
    last = location.href;
    onMove();
  };
  const { navigation } = globalThis as { navigation?: EventTarget };
  const [target, events]: [EventTarget, string[]] = navigation
    ? [navigation, ["currententrychange"]]
    : [globalThis, ["popstate", "hashchange"]];
  for (const event of events) target.addEventListener(event, look);
  return () => {
    for (const event of events) target.removeEventListener(event, look);
  };
}

/** The number that stands before the title of the page. The site may count there as well. */
let counted = "";

/** Title of the page, as the site has set it. */
function plainTitle(): string {
  const { title } = document;
  return title.startsWith(counted) ? title.slice(counted.length) : title;
}

/** Shows the number of unread messages before the title of the page, and takes it away again. */
export function countInTitle(count: number): void {
  const plain = plainTitle();
  counted = count === 0 ? "" : `(${count > 99 ? "99+" : count}) `;
  if (document.title !== counted + plain) document.title = counted + plain;
}

/** Keeps the site from scrolling behind a full panel. @returns a function that restores it */
export function lockScroll(): () => void {
  const { style } = document.documentElement;
  const [value, priority] = [
    style.getPropertyValue("overflow"),
    style.getPropertyPriority("overflow"),
  ];
  const [x, y] = [scrollX, scrollY];
  style.setProperty("overflow", "hidden", "important");
  return () => {
    style.setProperty("overflow", value, priority);
    scrollTo({ left: x, top: y, behavior: "instant" });
  };
}

/** Keeps an element as high as the part of the window that a screen keyboard leaves. */
export function followViewport(element: HTMLElement): () => void {
  const viewport = globalThis.visualViewport;
  if (!viewport) return () => undefined;
  const fit = (): void => {
    element.style.setProperty("--height", `${viewport.height}px`);
    element.style.setProperty("--top", `${viewport.offsetTop}px`);
  };
  fit();
  viewport.addEventListener("resize", fit);
  viewport.addEventListener("scroll", fit);
  return () => {
    viewport.removeEventListener("resize", fit);
    viewport.removeEventListener("scroll", fit);
  };
}
