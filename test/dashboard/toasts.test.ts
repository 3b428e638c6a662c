import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { styleOf } from "../support/browser.ts";
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
  await page.getByRole("link", { name }).focus();
  await page.keyboard.press("Shift+ArrowRight");
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

test("a toast goes after 4 s, and after 8 s where it offers something", async () => {
  const page = await board("Ana");
  await page.clock.install();
  const offer = await moveCard(page, "Ana");
  await page.clock.runFor(7_000);
  expect(await offer.count()).toBe(1);
  await page.clock.runFor(2_000);
  await offer.waitFor({ state: "detached" });
  await page.goto(`${own.scene.api.url}/settings/profile`);
  await page.getByRole("button", { name: "Save", exact: true }).first().click();
  const done = page.getByRole("alert").filter({ hasText: "Saved" });
  await done.waitFor();
  await page.clock.runFor(3_000);
  expect(await done.count()).toBe(1);
  await page.clock.runFor(2_000);
  await done.waitFor({ state: "detached" });
});

test("a toast of an error stays for 8 s", async () => {
  const page = await open("/settings/profile");
  await page.clock.install();
  await page.route("**/me", async (route) => await route.abort());
  await page.getByRole("button", { name: "Save", exact: true }).first().click();
  const failed = page.getByRole("alert").filter({ hasText: "Nothing was changed" });
  await failed.waitFor();
  await page.clock.runFor(7_000);
  expect(await failed.count()).toBe(1);
  await page.clock.runFor(2_000);
  await failed.waitFor({ state: "detached" });
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
