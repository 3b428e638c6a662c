import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { installClock, pauseClock, styleOf } from "../support/browser.ts";
import { setUpOwnAccounts } from "../support/own-accounts.ts";

const own = setUpOwnAccounts();
const { call, open } = own;
const longName = `Maximiliana ${"Hernández ".repeat(8)}`.trim();

async function write(name: string): Promise<{ conversation_id: number }> {
  const body = { channel: "web", from: "visitor", name, text: "Hello" };
  return await call("POST", "/sandbox/messages", body);
}

/** A board with one customer, whose card goes on to the next stage. @returns the toast */
async function moveCard(page: Page, name: string): Promise<Locator> {
  await page.getByRole("button", { name: `Actions for ${name}` }).click();
  await page.getByRole("menuitem", { name: "Won", exact: true }).click();
  const toast = page.getByRole("alert").filter({ hasText: "is now in Won" });
  await toast.waitFor();
  return toast;
}

async function board(name: string, options: { width?: number; language?: string } = {}) {
  const pipeline = await call("POST", "/pipelines", { name: "Sales", stages: ["New", "Won"] });
  const { conversation_id: id } = await write(name);
  await call("POST", `/conversations/${id}/stage`, { stage_id: pipeline.stages[0].id });
  return await open("/pipelines", options);
}

async function boxOf(on: Locator) {
  const box = await on.boundingBox();
  if (box === null) throw new Error("It is not on the screen.");
  return { ...box, right: box.x + box.width, bottom: box.y + box.height };
}

/** Whether two things on the screen share a place. */
async function overlap(one: Locator, other: Locator): Promise<boolean> {
  const [a, b] = [await boxOf(one), await boxOf(other)];
  return a.x < b.right && b.x < a.right && a.y < b.bottom && b.y < a.bottom;
}

test.each([1280, 390])(
  "a toast stands at the bottom, with a border and its whole button, at %d px",
  async (width) => {
    const page = await board(longName, { width });
    const toast = await moveCard(page, longName);
    const undo = toast.getByRole("button", { name: "Undo" });
    const label = undo
      .locator("span")
      .filter({ hasText: /^Undo$/ })
      .last();
    const cut = await label.evaluate((it) => it.scrollWidth - it.clientWidth);
    expect(cut).toBeLessThanOrEqual(0);
    const [inner, outer, around] = [await boxOf(label), await boxOf(undo), await boxOf(toast)];
    expect(inner.x).toBeGreaterThan(outer.x);
    expect(inner.right).toBeLessThan(outer.right);
    expect(outer.right).toBeLessThan(around.right);
    const height = page.viewportSize()?.height ?? 0;
    expect(height - around.bottom).toBeLessThan(24);
    expect(await styleOf(toast, "border-top-width")).toBe("1px");
  },
);

/** Lets the page's clock stand: a slow machine then takes nothing from the time of a toast. */
async function stopClock(page: Page): Promise<void> {
  await installClock(page);
  await pauseClock(page);
}

/** Waits for a toast. @returns if it is there one second before it has to go, and just after that time */
async function lookAround(page: Page, toast: Locator, seconds: number): Promise<boolean[]> {
  const isThere = async (afterMs: number) => {
    await page.clock.runFor(afterMs);
    return (await toast.count()) === 1;
  };
  await expect.poll(() => isThere(20)).toBe(true);
  const before = await isThere((seconds - 1) * 1_000);
  // It takes a moment to fade.
  await page.clock.runFor(1_000);
  return [before, await isThere(1_000)];
}

test("a toast that offers something stays for 8 s", async () => {
  const page = await board("Ana");
  const card = page.getByRole("link", { name: "Ana" });
  await card.focus();
  await stopClock(page);
  await page.keyboard.press("Shift+ArrowRight");
  const toast = page.getByRole("alert").filter({ hasText: "is now in Won" });
  expect(await lookAround(page, toast, 8)).toEqual([true, false]);
});

test.each([
  { toast: "Saved", seconds: 4 },
  { toast: "Nothing was changed", seconds: 8 },
])("the toast $toast stays for $seconds s", async ({ toast, seconds }) => {
  const page = await open("/settings/profile");
  const save = page.getByRole("button", { name: "Save", exact: true }).first();
  await save.waitFor();
  await page.route("**/me", async (route) =>
    toast === "Saved" ? await route.continue() : await route.abort(),
  );
  await stopClock(page);
  await save.click();
  const shown = page.getByRole("alert").filter({ hasText: toast });
  expect(await lookAround(page, shown, seconds)).toEqual([true, false]);
});

test.each([820, 390])("a toast leaves Send to the finger, at %d px", async (width) => {
  const { conversation_id: id } = await write("Ana");
  const page = await open(`/inbox/${id}`, { width });
  const send = page.getByRole("button", { name: "Send" });
  const text = page.getByRole("textbox", { name: "Reply", exact: true });
  // The composer grows with its text.
  await text.fill("One\nTwo\nThree\nFour");
  await page.route("**/messages", async (route) => await route.abort());
  await send.click();
  const toast = page.getByRole("alert");
  await toast.waitFor();
  await text.fill("One\nTwo\nThree\nFour\nFive\nSix");
  await expect.poll(async () => await overlap(toast, send)).toBe(false);
  expect(await overlap(toast, text)).toBe(false);
});
