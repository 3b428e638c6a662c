import type { Locator, Page } from "playwright-core";

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
export async function witness(page: Pick<Page, "evaluate">): Promise<Witness> {
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
  return (await page.evaluate(readAndPressHere, [])).text;
}

/** `isBusy`: a button takes no click, because its list loads. */
interface Reading {
  text: string;
  isPressed: boolean;
  isBusy: boolean;
}

/**
 * Reads the page's text and clicks the first button that takes a click, both in one moment: what a list
 * loads between the two would be left unread, or would end the list.
 */
export async function readAndPress(buttons: Locator): Promise<Reading> {
  return await buttons.evaluateAll(readAndPressHere);
}

/** Runs in the page. */
function readAndPressHere(buttons: unknown[]): Reading {
  const { document } = globalThis as unknown as {
    document: {
      body: { textContent: string };
      querySelectorAll: (of: string) => Iterable<{ value: string }>;
    };
  };
  const inputs = [...document.querySelectorAll("input, textarea")].map(({ value }) => value);
  const text = [document.body.textContent, ...inputs].join("\n");
  const next = (buttons as { matches: (of: string) => boolean; click: () => void }[]).find(
    (one) => !one.matches(":disabled, [aria-disabled=true]"),
  );
  next?.click();
  const isPressed = next !== undefined;
  const loading = (buttons as { matches: (of: string) => boolean }[]).some((one) =>
    one.matches("[data-loading]"),
  );
  return { text, isPressed, isBusy: !isPressed && loading };
}
