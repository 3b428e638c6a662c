import type { Page } from "playwright-core";

/** What a page did with texts that look like markup. */
export interface Witness {
  /** Scripts of a text that ran, and what the policy had to refuse. */
  faults: string[];
  /** Elements and attributes that only such a text can have made. */
  markup: string[];
}

/** Watches every page that is opened from here on: a script of a text calls `alert`, which counts. */
export async function watchScripts(page: Page): Promise<void> {
  await page.context().addInitScript(`
    globalThis.parleyFaults = [];
    for (const name of ["alert", "confirm", "prompt"]) {
      globalThis[name] = () => globalThis.parleyFaults.push("ran " + name);
    }
    document.addEventListener("securitypolicyviolation", (event) => {
      globalThis.parleyFaults.push("refused " + event.violatedDirective + " " + event.blockedURI);
    });
  `);
}

/** Elements and attributes that no page of ours has. */
const foreign = [
  "iframe",
  "object",
  "embed",
  "base",
  "marquee",
  "math",
  "audio",
  "video",
  "script:not([src])",
  "meta[http-equiv='refresh' i]",
  "[href^='javascript:' i]",
  "[src^='javascript:' i]",
  "[formaction]",
  "[srcdoc]",
].join(", ");

/** What happened on the page that is open. */
export async function witness(page: Page): Promise<Witness> {
  return await page.evaluate<Witness>(`({
    faults: globalThis.parleyFaults,
    markup: [
      ...[...document.querySelectorAll(${JSON.stringify(foreign)})].map((one) => one.outerHTML.slice(0, 200)),
      ...[...document.querySelectorAll("*")].flatMap((one) =>
        one.getAttributeNames().filter((name) => name.startsWith("on"))),
    ],
  })`);
}

/** All that a page shows as text, in its elements and in its inputs. */
export async function shownText(page: Page): Promise<string> {
  return await page.evaluate<string>(
    `[document.body.textContent, ...[...document.querySelectorAll("input, textarea")].map((one) => one.value)].join("\\n")`,
  );
}
