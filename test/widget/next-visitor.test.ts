import type { Frame, Page } from "playwright-core";
import { expect, test } from "vitest";
import { createRateLimiter } from "../../api/http/rate-limit.ts";
import { createWidgetLimits } from "../../api/widget/limits.ts";
import type { TestWidget } from "../api/widget/widget-fixture.ts";
import { keepApart } from "../support/browser.ts";
import { tinyPng } from "../support/media.ts";
import { useFixture } from "../support/use-fixture.ts";
import {
  command,
  createKnownWidget,
  findPanel,
  holdCall,
  openPanel,
  openTab,
  shownTexts,
  startWidgetPages,
  write,
} from "./widget-pages-fixture.ts";

const fixture = useFixture(startWidgetPages);

const messages = "**/widget/api/messages";
const fieldOf = (panel: Frame) => panel.getByRole("textbox", { name: "Write a message…" });

/** Messages that the API has, with the names of their writers. */
async function listWritten({ account }: TestWidget): Promise<string[]> {
  const rows = await fixture.query<{ name: string | null; content: string }>(
    `SELECT c.name, m.content FROM messages m JOIN contacts c ON c.id = m.contact_id
      WHERE m.account_id = ? ORDER BY m.id`,
    [account.accountId],
  );
  return rows.map(({ name, content }) => `${name}: ${content}`);
}

/**
 * The API takes no message, and says so as under load. Reading goes on.
 * @returns a function that lets messages pass. The route stays: its removal may hold a call back.
 */
async function refuseMessages(page: Page): Promise<() => void> {
  keepApart(page);
  let isRefused = true;
  await page.context().route(messages, async (route) => {
    if (!isRefused) return await route.continue();
    const json = { error: { code: "rate_limited" } };
    await route.fulfill({ status: 429, headers: { "retry-after": "1" }, json });
  });
  return () => void (isRefused = false);
}

/** Writes a message that cannot be sent for now. */
async function writeInVain(panel: Frame, text: string): Promise<void> {
  await fieldOf(panel).fill(text);
  await fieldOf(panel).press("Enter");
  await panel.locator(".unsent").filter({ hasText: text }).getByText("Waiting").waitFor();
}

/** Gives the panel a picture that cannot be uploaded. */
async function uploadInVain(panel: Frame, page: Page, name: string): Promise<void> {
  await page.route("**/widget/api/uploads?name=*", async (route) => await route.abort());
  const input = panel.locator("input[type=file]");
  await input.setInputFiles({ name, mimeType: "image/png", buffer: tinyPng });
  await panel.getByRole("button", { name: "Try again" }).waitFor();
  await page.unroute("**/widget/api/uploads?name=*");
}

/** The next page of the site knows this visitor from its first moment, as after a login. */
async function knowFromStart(page: Page, identity: string): Promise<void> {
  keepApart(page);
  await page.context().addInitScript(`if (self === top) {
    window.Parley ||= (...call) =>
      new Promise((done, fail) => (window.Parley.q ||= []).push([call, done, fail]));
    Parley("identify", ${JSON.stringify(identity)});
  }`);
}

async function expectEmpty(panel: Frame): Promise<void> {
  await expect.poll(async () => await shownTexts(panel)).toEqual([]);
  await expect.poll(async () => await fieldOf(panel).inputValue()).toBe("");
  expect(await panel.locator(".picture, .file, .unsent").count()).toBe(0);
}

async function openAs(page: Page, identity: string): Promise<Frame> {
  await command(page, "identify", identity);
  return await openPanel(page);
}

test("a page that loads for the next person sends and shows nothing that the person before left", async () => {
  const { widget, identityOf } = await createKnownWidget(fixture);
  const { page } = await fixture.visit({ widget });
  const panel = await openAs(page, identityOf("ana", "Ana"));
  await write(panel, "Hello");
  const acceptMessages = await refuseMessages(page);
  await writeInVain(panel, "Only for Ana");
  await knowFromStart(page, identityOf("luis", "Luis"));
  await page.reload();
  acceptMessages();
  const next = await openPanel(page);
  await write(next, "I am Luis");
  expect(await shownTexts(next)).toEqual(["I am Luis"]);
  expect(await listWritten(widget)).toEqual(["Ana: Hello", "Luis: I am Luis"]);
});

test("a reload by the same person sends what waits, also where an anonymous visitor wrote it", async () => {
  const { widget, identityOf } = await createKnownWidget(fixture);
  const { page } = await fixture.visit({ widget });
  const panel = await openPanel(page);
  const acceptMessages = await refuseMessages(page);
  await writeInVain(panel, "Before the login");
  await knowFromStart(page, identityOf("ana", "Ana"));
  await page.reload();
  const known = await openPanel(page);
  await fieldOf(known).fill("After the login");
  await fieldOf(known).press("Enter");
  await known.locator(".unsent").nth(1).waitFor();
  await page.reload();
  acceptMessages();
  await expect
    .poll(async () => await listWritten(widget))
    .toEqual(["Ana: Before the login", "Ana: After the login"]);
});

test("a tab that opens for the next person takes over no session of the person before", async () => {
  const { widget, identityOf } = await createKnownWidget(fixture);
  const { page, url } = await fixture.visit({ widget });
  const panel = await openAs(page, identityOf("ana", "Ana"));
  await write(panel, "Only for Ana");
  await fieldOf(panel).fill("A draft of Ana");
  await knowFromStart(page, identityOf("luis", "Luis"));
  const other = await openTab(page, url);
  await write(other.panel, "I am Luis");
  expect(await shownTexts(other.panel)).toEqual(["I am Luis"]);
  expect(await listWritten(widget)).toEqual(["Ana: Only for Ana", "Luis: I am Luis"]);
  await expect.poll(async () => await shownTexts(panel)).toEqual(["I am Luis"]);
  expect(await fieldOf(panel).inputValue()).toBe("");
});

test("another identity on the same page drops message, file and draft, in every tab", async () => {
  const { widget, identityOf } = await createKnownWidget(fixture);
  const { page, url } = await fixture.visit({ widget });
  const panel = await openAs(page, identityOf("ana", "Ana"));
  await write(panel, "Hello");
  const other = await openTab(page, url);
  await fieldOf(other.panel).fill("Draft of the other tab");
  const acceptMessages = await refuseMessages(page);
  await writeInVain(panel, "Only for Ana");
  await uploadInVain(panel, page, "ana.png");
  await fieldOf(panel).fill("Draft");
  acceptMessages();
  await command(page, "identify", identityOf("luis", "Luis"));
  await expectEmpty(panel);
  await expectEmpty(other.panel);
  await write(panel, "I am Luis");
  expect(await listWritten(widget)).toEqual(["Ana: Hello", "Luis: I am Luis"]);
});

test("an anonymous visitor who logs in keeps message, file and draft", async () => {
  const { widget, identityOf } = await createKnownWidget(fixture);
  const { page } = await fixture.visit({ widget });
  const panel = await openPanel(page);
  const acceptMessages = await refuseMessages(page);
  await writeInVain(panel, "I log in");
  await uploadInVain(panel, page, "mine.png");
  await fieldOf(panel).fill("Draft");
  acceptMessages();
  await command(page, "identify", identityOf("ana", "Ana"));
  await expect.poll(async () => await listWritten(widget)).toEqual(["Ana: I log in"]);
  await panel.getByRole("button", { name: "Try again" }).click();
  await panel.getByRole("listitem").getByRole("img", { name: "mine.png" }).waitFor();
  expect(await fieldOf(panel).inputValue()).toBe("Draft");
});

test.each([
  ["before", ["Ana: Hello", "Ana: Only for Ana", "Luis: I am Luis"]],
  ["after", ["Ana: Hello", "Luis: I am Luis"]],
])("a logout drops file, draft and a message that reaches the API %s it", async (order, stored) => {
  const { widget, identityOf } = await createKnownWidget(fixture);
  const { page } = await fixture.visit({ widget });
  const panel = await openAs(page, identityOf("ana", "Ana"));
  await write(panel, "Hello");
  await uploadInVain(panel, page, "ana.png");
  const held = await holdCall(page, messages, order === "before");
  await fieldOf(panel).fill("Only for Ana");
  await fieldOf(panel).press("Enter");
  await held.isHeld;
  await fieldOf(panel).fill("Draft");
  // A site need not wait for the logout.
  const left = command(page, "reset");
  await command(page, "identify", identityOf("luis", "Luis"));
  await left;
  await expectEmpty(panel);
  held.release();
  await write(panel, "I am Luis");
  expect(await shownTexts(panel)).toEqual(["I am Luis"]);
  expect(await listWritten(widget)).toEqual(stored);
});

test("a logout without a network rejects, and leaves nothing in any tab or in the storage", async () => {
  const { widget, identityOf } = await createKnownWidget(fixture);
  const { page, url } = await fixture.visit({ widget });
  const panel = await openAs(page, identityOf("ana", "Ana"));
  await write(panel, "Hello");
  const other = await openTab(page, url);
  await page.context().setOffline(true);
  await writeInVain(panel, "Only for Ana");
  await fieldOf(panel).fill("Draft");
  await expect(command(page, "reset")).rejects.toThrow("network");
  await expectEmpty(panel);
  await expectEmpty(other.panel);
  expect(await panel.evaluate("JSON.stringify(localStorage)")).not.toContain("Only for Ana");
  await page.context().setOffline(false);
  await command(page, "identify", identityOf("luis", "Luis"));
  await write(panel, "I am Luis");
  expect(await listWritten(widget)).toEqual(["Ana: Hello", "Luis: I am Luis"]);
});

test("a logout that failed is made up for by another one on that page", async () => {
  const { widget, identityOf } = await createKnownWidget(fixture);
  const { page } = await fixture.visit({ widget });
  const panel = await openAs(page, identityOf("ana", "Ana"));
  await write(panel, "Hello");
  await page.context().setOffline(true);
  await expect(command(page, "reset")).rejects.toThrow("network");
  await page.context().setOffline(false);
  await command(page, "reset");
  await expectEmpty(panel);
  const sql =
    "SELECT verified_sub AS sub FROM widget_sessions WHERE widget_id = ? AND ended_at IS NULL";
  expect(await fixture.query(sql, [widget.widgetId])).toEqual([{ sub: null }]);
});

test("after a logout that was refused, an open chat asks for consent before a text leaves", async () => {
  const settings = { consent: "required" as const };
  const { page, widget } = await fixture.visit({ settings });
  await command(page, "open");
  const panel = await findPanel(page);
  await panel.getByRole("button", { name: "Agree and start" }).click();
  await write(panel, "Hello");
  const json = { error: { code: "rate_limited" } };
  await page.route("**/widget/api/reset", async (route) => {
    await route.fetch();
    await route.fulfill({ status: 429, json });
  });
  await expect(command(page, "reset")).rejects.toThrow("rate_limited");
  await expectEmpty(panel);
  await fieldOf(panel).fill("I am new");
  await fieldOf(panel).press("Enter");
  await panel.getByRole("button", { name: "Agree and start" }).click();
  await expect.poll(async () => await fieldOf(panel).inputValue()).toBe("I am new");
  await fieldOf(panel).press("Enter");
  await expect
    .poll(async () => await listWritten(widget))
    .toEqual(["null: Hello", "null: I am new"]);
});

test("a login while the chat begins is the visitor's", async () => {
  const { widget, identityOf } = await createKnownWidget(fixture);
  const { page } = await fixture.visit({ widget });
  const held = await holdCall(page, "**/widget/api/sessions", true);
  const opened = openPanel(page);
  await held.isHeld;
  const known = command(page, "identify", identityOf("ana", "Ana"));
  held.release();
  await known;
  await write(await opened, "It is me");
  expect(await listWritten(widget)).toEqual(["Ana: It is me"]);
});

test("a stream that a logout ends begins no session of the person who leaves", async () => {
  const { widget, identityOf } = await createKnownWidget(fixture);
  const { page } = await fixture.visit({ widget });
  keepApart(page);
  // A stream that has ended is opened anew at once.
  await page.addInitScript(() => void (Math.random = () => 0));
  await page.reload();
  const follows = page.waitForResponse("**/widget/api/stream");
  await write(await openAs(page, identityOf("ana", "Ana")), "Hello");
  await follows;
  const reset = await holdCall(page, "**/widget/api/reset", true);
  const session = await holdCall(page, "**/widget/api/sessions", true);
  const left = command(page, "reset");
  await reset.isHeld;
  // The API has ended the session and its stream. The site has not heard of it yet.
  await page.waitForTimeout(500);
  reset.release();
  await session.isHeld;
  await page.waitForTimeout(200);
  session.release();
  await left;
  await write(await openPanel(page), "I am new");
  expect(await listWritten(widget)).toEqual(["Ana: Hello", "null: I am new"]);
});

test("a proof of work that outlasts a logout signs nobody in", async () => {
  const { widget, identityOf } = await createKnownWidget(fixture);
  const { page, url } = await fixture.visit({ widget });
  const ana = identityOf("ana", "Ana");
  await write(await openAs(page, ana), "Hello");
  await knowFromStart(page, ana);
  const softSessions = createRateLimiter({ perMinute: 0.001, burst: 0 });
  fixture.api.deps.widgetLimits = Object.assign(createWidgetLimits(), { softSessions });
  const other = await page.context().newPage();
  const refused = await holdCall(other, "**/widget/api/sessions", true);
  const calls: string[] = [];
  other.on("request", (request) => {
    if (request.postData()?.includes(ana) === true) calls.push(new URL(request.url()).pathname);
  });
  await other.goto(url);
  await refused.isHeld;
  fixture.api.deps.widgetLimits = createWidgetLimits();
  await command(page, "reset");
  refused.release();
  // The work of the person who left would have reached the API by then.
  await other.waitForTimeout(2_000);
  await write(await openPanel(page), "I am new");
  expect(calls).toEqual(["/widget/api/sessions"]);
  expect(await listWritten(widget)).toEqual(["Ana: Hello", "null: I am new"]);
});

test("two tabs that log out together both succeed", async () => {
  const { widget, identityOf } = await createKnownWidget(fixture);
  const { page, url } = await fixture.visit({ widget });
  const panel = await openAs(page, identityOf("ana", "Ana"));
  await write(panel, "Hello");
  const other = await openTab(page, url);
  await other.panel.getByText("Hello").first().waitFor();
  const held = await holdCall(page, "**/widget/api/reset", true);
  const first = command(page, "reset");
  await held.isHeld;
  const second = command(other.tab, "reset");
  await expect.poll(async () => await shownTexts(panel)).toEqual([]);
  held.release();
  await Promise.all([first, second]);
  await write(await openPanel(page), "I am new");
  expect(await listWritten(widget)).toEqual(["Ana: Hello", "null: I am new"]);
});

test("after a logout no tab tells the next visitor's chat of the person before", async () => {
  const { widget, identityOf } = await createKnownWidget(fixture);
  const { page, url } = await fixture.visit({ widget });
  const panel = await openAs(page, identityOf("ana", "Ana"));
  await write(panel, "Hello");
  const other = await openTab(page, url);
  await command(other.tab, "setContact", { name: "Ana of the site" });
  await command(other.tab, "setContext", { plan: "Ana's plan" });
  await command(page, "reset");
  await expectEmpty(other.panel);
  await write(await openPanel(other.tab), "I am new");
  expect(await listWritten(widget)).toEqual(["Ana of the site: Hello", "null: I am new"]);
  const sql =
    "SELECT context FROM widget_sessions WHERE widget_id = ? AND context IS NOT NULL AND ended_at IS NULL";
  expect(await fixture.query(sql, [widget.widgetId])).toEqual([]);
});

test("a new identity opens the chat that an ended one could not open", async () => {
  const { widget, identityOf } = await createKnownWidget(fixture);
  const { page } = await fixture.visit({ widget });
  await command(page, "identify", identityOf("ana", "Ana", -3_600));
  const refused = page.waitForResponse((response) => response.status() === 403);
  await command(page, "open");
  await refused;
  const panel = await findPanel(page);
  await command(page, "identify", identityOf("ana", "Ana"));
  await fieldOf(panel).waitFor();
  await write(panel, "It is me");
  expect(await listWritten(widget)).toEqual(["Ana: It is me"]);
});
