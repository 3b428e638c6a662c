import { readFileSync } from "node:fs";
import type { Frame } from "playwright-core";
import { expect, test } from "vitest";
import { createRateLimiter } from "../../api/http/rate-limit.ts";
import { createWidgetLimits } from "../../api/widget/limits.ts";
import { widgetSettings } from "../../core/model/widget.ts";
import { createTestLink } from "../api/booking/booking-fixture.ts";
import { createTestWidget } from "../api/widget/widget-fixture.ts";
import { expectFocus, keepApart } from "../support/browser.ts";
import { samples, tinyPng } from "../support/media.ts";
import { useFixture } from "../support/use-fixture.ts";
import {
  command,
  findPanel,
  openPanel,
  openShadow,
  startWidgetPages,
  write,
} from "./widget-pages-fixture.ts";

const fixture = useFixture(startWidgetPages);

/** Waits for the first row of a query. */
async function expectRow(sql: string, values: unknown[], row: object): Promise<void> {
  await expect.poll(async () => (await fixture.query(sql, values))[0]).toMatchObject(row);
}

const menuItem = async (panel: Frame, name: string) => {
  await panel.getByRole("button", { name: "Options" }).click();
  return panel.getByRole("menuitem", { name });
};

test("replies to a closed panel count on the launcher and in the title, until it opens", async () => {
  const { page, widget } = await fixture.visit({ host: { head: openShadow } });
  const panel = await openPanel(page);
  await write(panel, "Anybody there?");
  await command(page, "close");
  await fixture.reply(widget, { content: "Yes" });
  await fixture.reply(widget, { content: "How can we help?" });
  await page.getByRole("button", { name: "Open chat, 2 unread" }).waitFor();
  await expect.poll(async () => await page.title()).toBe("(2) Shop");
  // A site that moves on, and counts in its title as well.
  await page.evaluate(`history.pushState(null, "", "/cart"); document.title = "(3) Cart"`);
  await expectRow(
    "SELECT page->>'$.title' AS title FROM widget_sessions WHERE widget_id = ?",
    [widget.widgetId],
    {
      title: "(3) Cart",
    },
  );
  await expect.poll(async () => await page.title()).toBe("(2) (3) Cart");
  await page.getByRole("button", { name: "Open chat, 2 unread" }).click();
  await page.getByRole("button", { name: "Close chat", exact: true }).waitFor();
  await expect.poll(async () => await page.title()).toBe("(3) Cart");
  const status = "SELECT status FROM messages WHERE account_id = ? ORDER BY id DESC";
  await expectRow(status, [widget.account.accountId], { status: "read" });
});

test("a greeting comes on its page, opens the chat, and is dismissed for good", async () => {
  const { page } = await fixture.visit({
    host: { head: openShadow },
    settings: {
      greeting: { is_on: true, delay_seconds: 0, pages: ["/pricing", "/page-*"] },
      texts: widgetSettings.parse({ texts: { en: { greeting: "Need help choosing?" } } }).texts,
    },
  });
  const greeting = page.getByRole("button", { name: "Need help choosing?" });
  await greeting.waitFor();
  await page.evaluate(`history.pushState(null, "", "/about")`);
  await greeting.waitFor({ state: "hidden" });
  await page.evaluate(`history.pushState(null, "", "/pricing")`);
  await greeting.click();
  await (await findPanel(page)).getByText("Need help choosing?").waitFor();
  await page.evaluate("localStorage.clear()");
  await page.goBack();
  await page.goBack();
  await page.reload();
  await page.getByRole("button", { name: "Dismiss greeting" }).click();
  await greeting.waitFor({ state: "hidden" });
  await page.reload();
  // The greeting's timer would have come before the answer of the panel.
  await openPanel(page);
  expect(await greeting.count()).toBe(0);
});

test("a file goes by button, paste and drop; one that fails is sent again or removed", async () => {
  const { page, widget } = await fixture.visit();
  const panel = await openPanel(page);
  const sent = (name: string) =>
    panel.getByRole("listitem").filter({ has: panel.getByRole("img", { name }) });
  const input = panel.locator("input[type=file]");
  await input.setInputFiles({ name: "Mañana.png", mimeType: "image/png", buffer: tinyPng });
  await sent("Mañana.png").getByText("Sent").waitFor();
  const width = async () =>
    await panel
      .getByRole("img", { name: "Mañana.png" })
      .evaluate((it) => (it as unknown as { naturalWidth: number }).naturalWidth);
  await expect.poll(width).toBe(1);

  await giveFile(panel, "paste", "pasted.png");
  await sent("pasted.png").getByText("Sent").waitFor();
  await giveFile(panel, "drop", "dropped.png");
  await sent("dropped.png").getByText("Sent").waitFor();

  await page.route("**/widget/api/uploads?name=*", async (route) => await route.abort());
  await input.setInputFiles({ name: "plan.pdf", mimeType: "application/pdf", buffer: samples.pdf });
  await panel.getByText("No connection. Please try again.").waitFor();
  await page.unroute("**/widget/api/uploads?name=*");
  await panel.getByRole("button", { name: "Try again" }).click();
  await panel.getByRole("link", { name: /plan\.pdf/ }).waitFor();

  // The cut at 200 characters would halve the emoji.
  const long = `${"a".repeat(199)}😀.pdf`;
  await input.setInputFiles({ name: long, mimeType: "application/pdf", buffer: samples.pdf });
  await panel.getByRole("link", { name: "a".repeat(199) }).waitFor();

  const large = Buffer.alloc(10 * 1_048_576 + 1);
  await input.setInputFiles({ name: "film.mp4", mimeType: "video/mp4", buffer: large });
  await panel.getByText("That file is too large. The limit is 10 MB.").waitFor();
  await panel.getByRole("button", { name: "Remove film.mp4" }).click();
  await panel.getByText("film.mp4").waitFor({ state: "detached" });
  const [row] = await fixture.query<{ n: number }>(
    "SELECT COUNT(*) AS n FROM message_media WHERE account_id = ? AND filename LIKE '%.mp4'",
    [widget.account.accountId],
  );
  expect(Number(row?.n)).toBe(0);
});

/** Pastes a picture into the field, or drops it on the conversation. */
async function giveFile(panel: Frame, by: "paste" | "drop", name: string): Promise<void> {
  await panel.evaluate(
    `(({ by, name, base64 }) => {
      const bytes = Uint8Array.from(atob(base64), (one) => one.charCodeAt(0));
      const data = new DataTransfer();
      data.items.add(new File([bytes], name, { type: "image/png" }));
      const rules = { bubbles: true, cancelable: true };
      const event = by === "paste"
        ? new ClipboardEvent("paste", { ...rules, clipboardData: data })
        : new DragEvent("drop", { ...rules, dataTransfer: data });
      document.querySelector(by === "paste" ? "textarea" : ".messages").dispatchEvent(event);
    })(${JSON.stringify({ by, name, base64: tinyPng.toString("base64") })})`,
  );
}

test("a visitor books in the panel, in the zone that it shows, and a taken time says so", async () => {
  const link = await createTestLink(fixture, { timeZone: "Pacific/Auckland" });
  const { account, slug } = link;
  const widget = await createTestWidget(fixture, { account, settings: { booking_slug: slug } });
  const { page } = await fixture.visit({ widget });
  const panel = await openPanel(page);
  await panel.getByRole("button", { name: "Book an appointment" }).click();
  await panel.getByRole("button", { name: "First visit 30 min" }).click();
  await panel.getByText("Times in Pacific/Auckland").waitFor();
  const slots = panel.locator(".slots button");
  const [taken = "", free = ""] = await slots.allInnerTexts();
  await link.book();
  await slots.filter({ hasText: taken }).first().click();
  await expectFocus(panel.getByRole("heading", { name: "Book an appointment" }));
  const submit = panel.getByRole("button", { name: "Book", exact: true });
  await panel.getByLabel("Name").fill("Ana");
  await submit.click();
  // A reply needs a conversation or an address.
  await panel.getByText("Please fill this in.").waitFor();
  await expectFocus(panel.getByLabel("Email"));
  await panel.getByLabel("Email").fill("ana@example.com");
  await submit.click();
  await panel.getByText("That time was just taken. Please choose another one.").waitFor();
  await slots.filter({ hasText: free }).first().click();
  await panel.locator(".card").filter({ hasText: free }).waitFor();
  expect(await panel.getByLabel("Name").inputValue()).toBe("Ana");
  expect(await panel.getByLabel("Email").inputValue()).toBe("ana@example.com");
  await submit.click();
  await panel.getByRole("heading", { name: "Booked" }).waitFor();
  await panel.getByRole("status").filter({ hasText: free }).waitFor();
  const path = await panel.getByRole("link", { name: "Change or cancel" }).getAttribute("href");
  expect(new URL(path ?? "").pathname).toMatch(new RegExp(`^/book/${slug}/a/`));
  await panel.getByRole("button", { name: "Back" }).click();
  await expectFocus(panel.getByRole("textbox"));
  expect((await link.appointments()).map(({ source }) => source)).toEqual(["enlace", "enlace"]);
});

test("another service begins with its first free times", async () => {
  const { account, slug } = await createTestLink(fixture);
  const widget = await createTestWidget(fixture, { account, settings: { booking_slug: slug } });
  const { page } = await fixture.visit({ widget });
  const panel = await openPanel(page);
  await panel.getByRole("button", { name: "Book an appointment" }).click();
  const service = panel.getByRole("button", { name: "First visit 30 min" });
  const earlier = panel.getByRole("button", { name: "Earlier" });
  await service.click();
  await panel.getByRole("button", { name: "Later" }).click();
  await expect.poll(async () => await earlier.isEnabled()).toBe(true);
  await panel.getByRole("button", { name: "Back" }).click();
  await service.click();
  await earlier.waitFor();
  expect(await earlier.isEnabled()).toBe(false);
});

test("above the soft limits the panel does a proof of work, for the session and the message", async () => {
  const { page, widget } = await fixture.visit();
  const refuse = createRateLimiter({ perMinute: 0.001, burst: 0 });
  fixture.api.deps.widgetLimits = Object.assign(createWidgetLimits(), {
    softSessions: refuse,
    softConversations: refuse,
  });
  const proofs: string[] = [];
  page.on("request", (request) => {
    if (request.postData()?.includes('"proof"')) proofs.push(new URL(request.url()).pathname);
  });
  await write(await openPanel(page), "I am no robot");
  expect(proofs).toEqual(["/widget/api/sessions", "/widget/api/messages"]);
  expect(await widget.events()).toContain("message.received");
});

test("the conversation is a text file, and sound is off until the visitor turns it on", async () => {
  const { page, widget } = await fixture.visit();
  keepApart(page);
  await page.context().addInitScript(`
    globalThis.tones = 0;
    globalThis.AudioContext = class {
      currentTime = 0;
      destination = {};
      resume() { return Promise.resolve(); }
      createOscillator() { return { frequency: {}, connect: (to) => to, start() { globalThis.tones += 1; }, stop() {} }; }
      createGain() { return { gain: { setValueAtTime() {}, exponentialRampToValueAtTime() {} }, connect: (to) => to }; }
    };
  `);
  await page.reload();
  const panel = await openPanel(page);
  await write(panel, "Hola");
  await fixture.reply(widget, { content: "Quiet" });
  await panel.getByRole("listitem").filter({ hasText: "Quiet" }).waitFor();
  const tones = async () => await panel.evaluate("globalThis.tones");
  expect(await tones()).toBe(0);
  await (await menuItem(panel, "Turn sound on")).click();
  await expect.poll(tones).toBe(2);
  await fixture.reply(widget, { content: "Loud" });
  await panel.getByRole("listitem").filter({ hasText: "Loud" }).waitFor();
  await expect.poll(tones).toBe(4);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    (await menuItem(panel, "Download conversation")).click(),
  ]);
  expect(download.suggestedFilename()).toBe("chat.txt");
  const lines = readFileSync(await download.path(), "utf8")
    .trimEnd()
    .split("\n");
  expect(lines.map((line) => line.replace(/^.*UTC {2}[^:]+: /u, ""))).toEqual([
    "Hola",
    "Quiet",
    "Loud",
  ]);
  await page.reload();
  await (await menuItem(await openPanel(page), "Turn sound off")).waitFor();
});

test("older messages come while one scrolls up, and what one reads stays in its place", async () => {
  const { page, widget } = await fixture.visit();
  await write(await openPanel(page), "number 1.");
  const copied =
    "account_id, conversation_id, contact_id, channel_account_id, channel, direction, type, sender_type, status";
  await fixture.query(
    `INSERT INTO messages (content, ${copied})
     WITH RECURSIVE n AS (SELECT 2 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 80)
     SELECT CONCAT('number ', i, '.'), ${copied} FROM n JOIN messages WHERE account_id = ?`,
    [widget.account.accountId],
  );
  await page.reload();
  const panel = await openPanel(page);
  const at = (number: number) => panel.getByText(`number ${number}.`, { exact: true });
  await at(80).waitFor();
  // The answers wait until the test has looked at the place before.
  const gates: (() => void)[] = [];
  await page.route("**/widget/api/messages?*before_id=*", async (route) => {
    await new Promise<void>((resolve) => gates.push(resolve));
    await route.continue();
  });
  const placeOf = async (number: number) => (await at(number).boundingBox())?.y ?? 0;
  for (const first of [51, 21]) {
    await panel
      .locator(".scroll")
      .evaluate((it) => ((it as unknown as { scrollTop: number }).scrollTop = 20));
    await expect.poll(() => gates.length).toBe(1);
    const before = await placeOf(first);
    gates.pop()?.();
    await at(Math.max(1, first - 30)).waitFor({ state: "attached" });
    // The button above goes with the last page, and the welcome comes in its place.
    await expect.poll(async () => Math.abs((await placeOf(first)) - before)).toBeLessThan(2);
  }
  await panel.getByRole("button", { name: "Show earlier messages" }).waitFor({ state: "detached" });
  const texts = await panel.locator(".bubble p").allInnerTexts();
  expect(texts.map((text) => text.trim())).toEqual(
    Array.from({ length: 80 }, (_, index) => `number ${index + 1}.`),
  );
});
