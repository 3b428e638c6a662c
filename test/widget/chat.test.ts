import { expect, test } from "vitest";
import { installClock, keepApart } from "../support/browser.ts";
import { useFixture } from "../support/use-fixture.ts";
import {
  command,
  findPanel,
  findPanelBarriers,
  openPanel,
  startWidgetPages,
  write,
} from "./widget-pages-fixture.ts";

const fixture = useFixture(startWidgetPages);

/** Texts of the visitor's messages that the API has, oldest first. */
async function storedTexts(widgetId: number): Promise<string[]> {
  const rows = await fixture.query<{ content: string }>(
    `SELECT m.content FROM messages m
       JOIN widget_sessions s ON s.conversation_id = m.conversation_id
      WHERE s.widget_id = ? AND m.direction = 'inbound' GROUP BY m.id, m.content ORDER BY m.id`,
    [widgetId],
  );
  return rows.map(({ content }) => content);
}

test("messages written offline wait, and arrive once each and in order", async () => {
  const { page, widget } = await fixture.visit();
  const panel = await openPanel(page);
  await write(panel, "before");
  await page.context().setOffline(true);
  for (const text of ["one", "two", "three"]) {
    await panel.getByRole("textbox").fill(text);
    await panel.getByRole("textbox").press("Enter");
  }
  await panel.getByText("You are offline").waitFor();
  await page.context().setOffline(false);
  await panel.getByRole("listitem").filter({ hasText: "three" }).waitFor();
  expect(await storedTexts(widget.widgetId)).toEqual(["before", "one", "two", "three"]);
});

test("a message that is sent ends the wait for the next try of the stream", async () => {
  const { page, widget, url } = await fixture.visit();
  keepApart(page);
  // A failed try waits for a minute.
  await page.addInitScript(() => void (Math.random = () => 30));
  await page.route("**/widget/api/stream", async (route) => await route.abort());
  await page.goto(url);
  const panel = await openPanel(page);
  const isBroken = page.waitForEvent("requestfailed");
  await write(panel, "anybody there?");
  await isBroken;
  await page.unroute("**/widget/api/stream");
  await fixture.reply(widget, { type: "text", content: "yes" });
  await write(panel, "hello?");
  await expect.poll(async () => await panel.getByText("yes", { exact: true }).count()).toBe(1);
});

test("no message and no look ends the pause that a full server asked for", async () => {
  const { page, url } = await fixture.visit();
  await installClock(page);
  let tries = 0;
  await page.route("**/widget/api/stream", async (route) => {
    tries += 1;
    await route.fulfill({ status: 503, json: { error: { code: "too_many_streams" } } });
  });
  await page.goto(url);
  const panel = await openPanel(page);
  await write(panel, "hello");
  await expect.poll(() => tries).toBe(1);
  await write(panel, "anybody there?");
  await panel.evaluate(`void document.dispatchEvent(new Event("visibilitychange"))`);
  await page.waitForTimeout(500);
  expect(tries).toBe(1);
  await page.clock.runFor(20_000);
  await expect.poll(() => tries).toBe(2);
});

test("typing is told once, and shows for as long as it goes on", async () => {
  const { page, url } = await fixture.visit();
  await installClock(page);
  await page.route("**/widget/api/stream", async (route) => {
    await route.fulfill({
      contentType: "text/event-stream",
      body: 'event: typing\ndata: {"is_typing":true}\n\n',
    });
  });
  await page.goto(url);
  const panel = await openPanel(page);
  await write(panel, "hello");
  const dots = panel.locator(".typing");
  await dots.waitFor();
  await page.unroute("**/widget/api/stream");
  await page.route("**/widget/api/stream", async (route) => await route.abort());
  await page.clock.runFor(20_000);
  expect(await dots.count()).toBe(1);
  await page.clock.runFor(90_000);
  expect(await dots.count()).toBe(0);
});

test("an answer that got lost stores no message twice", async () => {
  const { page, widget } = await fixture.visit();
  const panel = await openPanel(page);
  let lost = 0;
  await page.route("**/widget/api/messages", async (route) => {
    if (route.request().method() !== "POST" || lost > 0) return await route.continue();
    lost += 1;
    await route.fetch();
    await route.abort();
  });
  await write(panel, "once");
  expect([lost, await storedTexts(widget.widgetId)]).toEqual([1, ["once"]]);
});

test("two tabs show the same conversation, and have one session", async () => {
  const { page, widget, url } = await fixture.visit();
  const panel = await openPanel(page);
  const other = await page.context().newPage();
  await other.goto(url);
  const otherPanel = await openPanel(other);
  await write(panel, "from the first tab");
  await otherPanel.getByText("from the first tab").last().waitFor();
  await write(otherPanel, "from the second tab");
  await panel.getByText("from the second tab").last().waitFor();
  const [row] = await fixture.query<{ n: number }>(
    "SELECT COUNT(*) AS n FROM widget_sessions WHERE widget_id = ?",
    [widget.widgetId],
  );
  expect(Number(row?.n)).toBe(1);
});

test("a visitor who comes back finds the conversation", async () => {
  const { page } = await fixture.visit();
  await write(await openPanel(page), "I will be back");
  await page.reload();
  const panel = await findPanel(page);
  await expect.poll(async () => await panel.getByText("I will be back").count()).toBeGreaterThan(0);
});

test("the chat works where the storage of the site is off", async () => {
  const { page, widget } = await fixture.visit({
    host: {
      head: `<script>Object.defineProperty(window, "localStorage", { get() { throw new Error("off"); } })</script>`,
    },
  });
  await write(await openPanel(page), "no storage here");
  expect(await storedTexts(widget.widgetId)).toEqual(["no storage here"]);
});

test.each(["light", "dark"] as const)("axe finds no barrier in the panel, %s", async (theme) => {
  const { page } = await fixture.visit({ options: { theme } });
  const panel = await openPanel(page);
  await write(panel, "See https://example.com/a");
  expect(await findPanelBarriers(panel)).toEqual([]);
  await panel.getByRole("button", { name: "Options" }).click();
  expect(await findPanelBarriers(panel)).toEqual([]);
  await page.keyboard.press("Escape");
  await panel.getByRole("button", { name: "Insert emoji" }).click();
  expect(await findPanelBarriers(panel)).toEqual([]);
});

test("the keyboard alone chooses an emoji and sends", async () => {
  const { page } = await fixture.visit();
  const panel = await openPanel(page);
  await panel.getByRole("button", { name: "Insert emoji" }).focus();
  await page.keyboard.press("Enter");
  const first = panel.getByRole("button", { name: "😀" });
  await expect.poll(async () => await first.evaluate((it) => it.matches(":focus"))).toBe(true);
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  const field = panel.getByRole("textbox");
  await expect.poll(async () => await field.inputValue()).toBe("😂");
  await expect.poll(async () => await field.evaluate((it) => it.matches(":focus"))).toBe(true);
  await page.keyboard.press("Enter");
  await panel.getByRole("listitem").filter({ hasText: "😂" }).getByText("Sent").waitFor();
});

test.each([
  ["es", "Escribe un mensaje…"],
  ["pt-BR", "Escreva uma mensagem…"],
  ["de", "Write a message…"],
])("the panel speaks the site's language: %s", async (lang, placeholder) => {
  const { page } = await fixture.visit({ host: { html: `lang="${lang}"` } });
  keepApart(page);
  // No other language shows, not even for a moment.
  await page.context().addInitScript(`
    globalThis.seen = new Set();
    new MutationObserver(() => {
      for (const field of document.querySelectorAll("textarea")) seen.add(field.placeholder);
    }).observe(document, { childList: true, subtree: true, attributes: true });
  `);
  await page.reload();
  const panel = await openPanel(page);
  expect(await panel.evaluate("[...seen]")).toEqual([placeholder]);
});

test("on a site from right to left the panel is mirrored", async () => {
  const { page } = await fixture.visit({ host: { html: 'lang="ar" dir="rtl"' } });
  const panel = await openPanel(page);
  await write(panel, "مرحبا، هل لديكم موعد غدا؟");
  expect(await panel.evaluate("document.documentElement.dir")).toBe("rtl");
  // A message has its own direction, whatever the language of the words around it.
  const directions = `[...document.querySelectorAll(".bubble")].map((it) => getComputedStyle(it).direction)`;
  expect(await panel.evaluate(directions)).toEqual(["rtl"]);
});

test("no text of a visitor becomes markup", async () => {
  const { page, faults } = await fixture.visit();
  const panel = await openPanel(page);
  await write(panel, `<img src=x onerror="alert(1)"><b>bold</b>`);
  expect(await panel.locator(".bubble img, .bubble b").count()).toBe(0);
  expect(faults.filter((one) => one.startsWith("threw"))).toEqual([]);
});

test("consent comes first: nothing is stored until the visitor agrees", async () => {
  const { page, widget } = await fixture.visit({ settings: { consent: "required" } });
  await command(page, "hide");
  await command(page, "show");
  const opened = command(page, "open");
  const panel = await findPanel(page);
  const agree = panel.getByRole("button", { name: "Agree and start" });
  await agree.waitFor();
  await opened;
  const count = async () =>
    (await fixture.query("SELECT id FROM widget_sessions WHERE widget_id = ?", [widget.widgetId]))
      .length;
  expect(await count()).toBe(0);
  await agree.click();
  await write(panel, "I agree");
  expect(await count()).toBe(1);
});
