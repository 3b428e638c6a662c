import { setTimeout as sleep } from "node:timers/promises";
import type { Frame } from "playwright-core";
import { expect, test } from "vitest";
import { openVisit, type TestWidget } from "../api/widget/widget-fixture.ts";
import { keepApart } from "../support/browser.ts";
import { useFixture } from "../support/use-fixture.ts";
import {
  command,
  createKnownWidget,
  findPanel,
  openPanel,
  openShadow,
  openTab,
  shownTexts,
  startWidgetPages,
  write,
} from "./widget-pages-fixture.ts";

const fixture = useFixture(startWidgetPages);

async function expectTexts(panel: Frame, texts: string[]): Promise<void> {
  await expect.poll(async () => await shownTexts(panel)).toEqual(texts);
}

async function countSessions({ widgetId }: TestWidget): Promise<number> {
  const sql = "SELECT COUNT(*) AS n FROM widget_sessions WHERE widget_id = ?";
  const [row] = await fixture.query<{ n: number }>(sql, [widgetId]);
  return Number(row?.n);
}

test("when the tab that holds the stream closes, another one takes it over", async () => {
  const { page, widget, url } = await fixture.visit();
  await write(await openPanel(page), "Hello");
  // A notice that comes after some seconds comes at once in the other tab.
  keepApart(page);
  await page.context().addInitScript(`{
    const { setTimeout } = globalThis;
    globalThis.setTimeout = (act, ms) => setTimeout(act, ms === 4_000 ? 0 : ms);
  }`);
  const { tab, panel } = await openTab(page, url);
  let streams = 0;
  tab.on("request", (request) => {
    if (request.url().endsWith("/widget/api/stream")) streams += 1;
  });
  await expectTexts(panel, ["Hello"]);
  // A tab that only listens has no broken stream, though nothing has come yet.
  await expect.poll(async () => await panel.getByText("Reconnecting").count()).toBe(0);
  await fixture.reply(widget, { content: "One" });
  await expectTexts(panel, ["Hello", "One"]);
  expect(streams).toBe(0);
  await page.close({ runBeforeUnload: true });
  await expect.poll(() => streams).toBe(1);
  await fixture.reply(widget, { content: "Two" });
  await expectTexts(panel, ["Hello", "One", "Two"]);
});

test("a token that has expired is renewed, also where another tab still has it", async () => {
  const { page, widget, url } = await fixture.visit();
  const panel = await openPanel(page);
  await write(panel, "Before");
  const other = await openTab(page, url);
  await expectTexts(other.panel, ["Before"]);
  await fixture.query(
    "UPDATE widget_sessions SET expires_at = UTC_TIMESTAMP(3) - INTERVAL 1 SECOND WHERE widget_id = ?",
    [widget.widgetId],
  );
  await write(other.panel, "From the other tab");
  await write(panel, "From the first tab");
  await expectTexts(panel, ["Before", "From the other tab", "From the first tab"]);
  expect(await countSessions(widget)).toBe(1);
});

test("messages that came while a session was over count once", async () => {
  const { page, widget } = await fixture.visit({ host: { head: openShadow } });
  await write(await openPanel(page), "Before");
  await command(page, "close");
  await page.context().setOffline(true);
  await fixture.query(
    "UPDATE widget_sessions SET expires_at = UTC_TIMESTAMP(3) - INTERVAL 1 SECOND WHERE widget_id = ?",
    [widget.widgetId],
  );
  for (const content of ["First", "Second"]) await fixture.reply(widget, { content });
  const reads = page.waitForResponse(/\/messages\?limit/u);
  await page.context().setOffline(false);
  await reads;
  const shown = page.getByRole("button", { name: "Open chat, 2 unread" });
  await shown.waitFor();
  // Another count would follow at once.
  await sleep(300);
  expect(await shown.isVisible()).toBe(true);
});

test("messages of a conversation that began on another device are unread", async () => {
  const { widget, identityOf } = await createKnownWidget(fixture);
  const { page } = await fixture.visit({ widget, host: { head: openShadow } });
  const identity = identityOf("ana", "Ana");
  await command(page, "identify", identity);
  await openPanel(page);
  await command(page, "close");
  const phone = await openVisit(fixture, widget, { identity });
  await phone.write("From my phone");
  for (const content of ["First", "Second"]) await fixture.reply(widget, { content });
  await fixture.query(
    "UPDATE widget_sessions SET expires_at = UTC_TIMESTAMP(3) WHERE widget_id = ?",
    [widget.widgetId],
  );
  await command(page, "setContext", { plan: "Gold" });
  const shown = page.getByRole("button", { name: "Open chat, 2 unread" });
  await expect.poll(async () => await shown.isVisible()).toBe(true);
});

test("the chat works where the browser refuses the frame's storage, and where a site has no https", async () => {
  const { page, widget, url } = await fixture.visit();
  keepApart(page);
  await page.context().addInitScript(`
    if (self !== top) {
      const refuse = { get() { throw new DOMException("Refused", "SecurityError"); } };
      for (const name of ["localStorage", "sessionStorage", "indexedDB"])
        Object.defineProperty(self, name, refuse);
      Object.defineProperty(Crypto.prototype, "randomUUID", { value: undefined });
    }
  `);
  await page.reload();
  const panel = await openPanel(page);
  await write(panel, "Nothing is kept");
  // The cookie works, and tabs know each other, so both are one visitor.
  const other = await openTab(page, url);
  await expectTexts(other.panel, ["Nothing is kept"]);
  await fixture.reply(widget, { content: "Fine" });
  await expectTexts(panel, ["Nothing is kept", "Fine"]);
  await expectTexts(other.panel, ["Nothing is kept", "Fine"]);
  expect(await countSessions(widget)).toBe(1);
});

test("an anonymous chat goes along when its visitor logs in, and a logout leaves nothing in any tab", async () => {
  const { widget, identityOf } = await createKnownWidget(fixture);
  const { page, url } = await fixture.visit({ widget });
  const panel = await openPanel(page);
  await write(panel, "Who am I?");
  await page.evaluate(`Parley("on", "identified", (detail) => (globalThis.identified = detail))`);
  await command(page, "identify", identityOf("ana", "Ana"));
  await expect
    .poll(async () => await page.evaluate("globalThis.identified"))
    .toEqual({
      verified: true,
    });
  await expectTexts(panel, ["Who am I?"]);
  await expect(command(page, "identify", "forged")).rejects.toThrow("identity_invalid");
  const other = await openTab(page, url);
  await expectTexts(other.panel, ["Who am I?"]);
  await command(page, "reset");
  await expectTexts(panel, []);
  await expectTexts(other.panel, []);
  await command(page, "identify", identityOf("luis", "Luis"));
  await write(panel, "I am Luis");
  const rows = await fixture.query(
    `SELECT c.name, m.content FROM messages m JOIN contacts c ON c.id = m.contact_id
      WHERE m.account_id = ? ORDER BY m.id`,
    [widget.account.accountId],
  );
  expect(rows).toEqual([
    { name: "Ana", content: "Who am I?" },
    { name: "Luis", content: "I am Luis" },
  ]);
});

async function askToErase(panel: Frame): Promise<void> {
  await panel.getByRole("button", { name: "Options" }).click();
  await panel.getByRole("menuitem", { name: "Delete my chat" }).click();
  const question = panel.getByRole("alertdialog", { name: "Delete my chat" });
  await question.getByRole("button", { name: "Delete", exact: true }).click();
}

const countContacts = async ({ account }: TestWidget) =>
  (await fixture.query("SELECT id FROM contacts WHERE account_id = ?", [account.accountId])).length;

test("a visitor deletes the chat: it is gone here, in the other tab and in the database", async () => {
  const { page, widget, url } = await fixture.visit({ settings: { lets_visitor_erase: true } });
  const panel = await openPanel(page);
  await write(panel, "My secret");
  const other = await openTab(page, url);
  await expectTexts(other.panel, ["My secret"]);
  await askToErase(panel);
  await expect.poll(async () => await (await panel.frameElement()).isVisible()).toBe(false);
  await expectTexts(panel, []);
  await expectTexts(other.panel, []);
  expect(await countContacts(widget)).toBe(0);
  expect(await countSessions(widget)).toBe(1);
  await openPanel(page);
  await write(panel, "A new beginning");
  await expectTexts(panel, ["A new beginning"]);
});

test("a visitor who is known asks an admin, is told so, and keeps the chat", async () => {
  const { widget, identityOf } = await createKnownWidget(fixture, { lets_visitor_erase: true });
  const { page } = await fixture.visit({ widget });
  await command(page, "identify", identityOf("ana", "Ana"));
  const panel = await openPanel(page);
  await write(panel, "My secret");
  await askToErase(panel);
  await panel.getByText("We have passed on that you want this chat deleted.").waitFor();
  await expectTexts(panel, ["My secret"]);
  expect(await countContacts(widget)).toBe(1);
});

test("a form before the chat is asked once, and its names stay texts", async () => {
  const { page, widget } = await fixture.visit({
    settings: { pre_chat: { is_on: true, name: "required", email: "optional", phone: "off" } },
  });
  await command(page, "open");
  const panel = await findPanel(page);
  await panel.getByRole("button", { name: "Start chat" }).click();
  await panel.getByText("Please fill this in.").waitFor();
  const name = panel.getByLabel("Name");
  await expect.poll(async () => await name.evaluate((it) => it.matches(":focus"))).toBe(true);
  await name.fill("<b>Ana</b>");
  await panel.getByRole("button", { name: "Start chat" }).click();
  await panel.getByRole("textbox", { name: "Write a message…" }).waitFor();
  await write(panel, "Hello");
  const sql = "SELECT name FROM contacts WHERE account_id = ?";
  expect(await fixture.query(sql, [widget.account.accountId])).toEqual([{ name: "<b>Ana</b>" }]);
  await page.reload();
  await expectTexts(await openPanel(page), ["Hello"]);
});

test("a text that is written while the chat starts waits for a form that must come first", async () => {
  const { page, widget } = await fixture.visit({
    settings: { pre_chat: { is_on: true, name: "required", email: "off", phone: "off" } },
  });
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route("**/widget/api/sessions", async (route) => {
    await released;
    await route.continue();
  });
  await command(page, "open");
  const panel = await findPanel(page);
  const field = panel.getByRole("textbox", { name: "Write a message…" });
  await field.fill("Are you open?");
  await field.press("Enter");
  release();
  await panel.getByLabel("Name").fill("Ana");
  await panel.getByRole("button", { name: "Start chat" }).click();
  await expect.poll(async () => await field.inputValue()).toBe("Are you open?");
  const sql = "SELECT id FROM messages WHERE account_id = ?";
  expect(await fixture.query(sql, [widget.account.accountId])).toEqual([]);
  await field.press("Enter");
  await expectTexts(panel, ["Are you open?"]);
});
