import { lazy, type ComponentType, type LazyExoticComponent } from "react";
import { fetchAllTexts } from "./i18n.ts";

/**
 * Component of a first page that is fetched, with its texts, when it is shown for the first time.
 */
export function lazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): LazyExoticComponent<ComponentType<Props>> {
  return lazy(async () => {
    const [part] = await Promise.all([load(), fetchAllTexts()]);
    return { default: part };
  });
}
