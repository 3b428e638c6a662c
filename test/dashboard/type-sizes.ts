import type { Page } from "playwright-core";

/** The type scale in px. The login may use 28 px once. */
const sizes = [11, 12, 13, 14, 16, 22];

/** Sizes of shown text that are not in the scale, with the text. Initials are no text of the page. */
export async function oddSizes(page: Page): Promise<string[]> {
  return await page.evaluate((known) => {
    interface Node {
      parentElement: Shown;
      textContent: string;
    }
    interface Shown {
      checkVisibility: () => boolean;
      closest: (selector: string) => unknown;
    }
    const { document, getComputedStyle } = globalThis as unknown as {
      document: {
        createTreeWalker: (of: unknown, what: number) => { nextNode: () => Node | null };
      } & {
        body: unknown;
      };
      getComputedStyle: (of: unknown) => { fontSize: string };
    };
    const walker = document.createTreeWalker(document.body, 4);
    const odd: string[] = [];
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const on = node.parentElement;
      const text = node.textContent.trim();
      if (text === "" || !on.checkVisibility() || on.closest("noscript") !== null) continue;
      const size = parseFloat(getComputedStyle(on).fontSize);
      if (!known.includes(size)) odd.push(`${size} px: ${text}`);
    }
    return odd;
  }, sizes);
}
