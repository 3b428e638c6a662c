import { lazy, type ComponentType, type LazyExoticComponent } from "react";
import { fetchAllTexts } from "./i18n.ts";

/** A part of a first page that is fetched when it is first shown, and its texts with it. */
export function lazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): LazyExoticComponent<ComponentType<Props>> {
  return lazy(async () => {
    const [part] = await Promise.all([load(), fetchAllTexts()]);
    return { default: part };
  });
}
