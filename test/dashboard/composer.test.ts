import type { Locator, Page, Route } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { createTestAccount, type TestAccount } from "../support/accounts.ts";
import { findBarriers, installClock, pauseClock, styleOf } from "../support/browser.ts";
import { connectWhatsApp, receive } from "../support/conversations.ts";
import { startDashboard } from "../support/dashboard-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(startDashboard);
/** With a WhatsApp number and an Instagram account that have a window of 24 hours. */
let account: TestAccount;

beforeEach(async () => {
  const { dataSource } = fixture.database;
  account = await createTestAccount(dataSource);
  await connectWhatsApp(dataSource, account.accountId);
  await dataSource.query(
    "UPDATE channel_accounts SET driver = 'instagram' WHERE account_id = ? AND channel = 'instagram'",
    [account.accountId],
  );
});

async function call(path: string) {
  const { cookie } = account;
  return (await fixture.api.call("GET", `/dashboard/api${path}`, { cookie })).json.data;
}

async function endWindowIn(seconds: number, conversationId: number): Promise<void> {
  await fixture.database.dataSource.query(
    `UPDATE conversations
        SET last_customer_message_at = UTC_TIMESTAMP(3) - INTERVAL 24 HOUR + INTERVAL ? SECOND
      WHERE id = ?`,
    [seconds, conversationId],
  );
}

/** The window ends in some seconds, as the page sees once it reads the conversation again. */
async function endWindowSoon(id: number): Promise<void> {
  await endWindowIn(3, id);
  const { cookie } = account;
  const body = { text: "The page reads the conversation again, and its new end" };
  await fixture.api.call("POST", `/dashboard/api/conversations/${id}/notes`, { cookie, body });
}

/** A customer wrote so many seconds before the window ends. @returns the conversation's id. */
async function wrote(channel: "whatsapp" | "instagram", secondsLeft: number): Promise<number> {
  const { dataSource } = fixture.database;
  const from = channel === "whatsapp" ? "5215512345678" : "ana.ruiz";
  const { row } = await receive(dataSource, account.accountId, { channel, from, name: "Ana" });
  await endWindowIn(secondsLeft, row.conversationId);
  return row.conversationId;
}

async function open(id: number): Promise<Page> {
  const { page } = await fixture.open(`/inbox/${id}?view=all`, { as: account.cookie });
  await page.getByRole("log", { name: "Messages" }).getByText("Hola").waitFor();
  return page;
}

test("where the window is closed the reason stands there, and a template goes", async () => {
  const id = await wrote("whatsapp", -60);
  const page = await open(id);
  await page.getByText("The 24-hour window is closed").waitFor();
  expect(await findBarriers(page)).toEqual([]);
  expect(await page.getByRole("textbox", { name: "Reply" }).count()).toBe(0);
  expect(await page.getByRole("textbox", { name: "Language code" }).inputValue()).toBe("en_US");
  const tops = async () =>
    await page
      .getByRole("textbox", { name: /^Template name$|^Language code$/ })
      .evaluateAll((all) => new Set(all.map((one) => one.getBoundingClientRect().top)).size);
  await page.setViewportSize({ width: 390, height: 900 });
  await page.getByRole("button", { name: "Send" }).scrollIntoViewIfNeeded();
  expect(await tops()).toBe(1);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByText("Its approved name in WhatsApp Manager").waitFor();
  await page.getByRole("textbox", { name: "Template name" }).fill("table_ready");
  await page.getByRole("textbox", { name: "Language code" }).fill("Spanish");
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByText("Use a code such as es_MX.").first().waitFor();
  expect(await call(`/conversations/${id}/messages`)).toHaveLength(1);
  await page.getByRole("textbox", { name: "Language code" }).fill("es_MX");
  await page.getByRole("textbox", { name: "Values, one a line" }).fill("Ana\n20:00");
  // By keyboard: why it was refused still stands over the button.
  await page.getByRole("textbox", { name: "Language code" }).press("Enter");
  await page.getByRole("log").getByText("[Template]").waitFor();
  await expect
    .poll(async () => await page.getByRole("textbox", { name: "Template name" }).inputValue())
    .toBe("");
  const [sent] = await call(`/conversations/${id}/messages`);
  expect(sent).toMatchObject({ type: "template", sender_user_id: account.userId });
  const [row] = await fixture.database.dataSource.query<{ template: unknown }[]>(
    "SELECT template FROM messages WHERE id = ?",
    [sent.id],
  );
  expect(row?.template).toEqual({
    name: "table_ready",
    language: "es_MX",
    params: ["Ana", "20:00"],
  });
  await page.getByText("Note", { exact: true }).click();
  await page.getByRole("textbox", { name: "Note" }).waitFor();
});

test("a channel without templates says to wait for the customer, whose next message opens it by itself", async () => {
  const id = await wrote("instagram", -60);
  const page = await open(id);
  await page.getByText("wait until the customer writes").waitFor();
  expect(await page.getByRole("textbox", { name: "Template name" }).count()).toBe(0);
  expect(await page.getByRole("button", { name: "Send" }).count()).toBe(0);
  const again = { channel: "instagram", from: "ana.ruiz", content: "Still there?" } as const;
  await receive(fixture.database.dataSource, account.accountId, again);
  await page.getByRole("textbox", { name: "Reply" }).waitFor();
  const left = page.getByText(/^Replies open for 2[34] h \d+ min$/);
  const { messaging_window: window } = await call(`/conversations/${id}`);
  const [, hour, minute] = /T(\d\d):(\d\d)/.exec(window.expires_at) ?? [];
  await left.hover();
  const end = new RegExp(`until \\w+ \\d+ \\w+, ${Number(hour)}:${minute}`);
  await page.getByRole("tooltip").getByText(end).waitFor();
  await page.getByRole("button", { name: "More kinds of messages" }).click();
  await page.getByRole("menuitem", { name: "Message with options" }).waitFor();
  expect(await page.getByRole("menuitem", { name: "Template" }).count()).toBe(0);
});

test("in its last hour the window counts the seconds, and its end is announced", async () => {
  const id = await wrote("whatsapp", 1_800);
  const page = await open(id);
  const left = page.getByText(/^Replies open for 29:\d\d$/);
  const first = await left.innerText();
  await expect.poll(async () => await left.innerText()).not.toBe(first);
  await endWindowSoon(id);
  await page.getByRole("alert").getByText("The 24-hour window is closed").waitFor();
  expect(await page.getByText(/^Replies open/).count()).toBe(0);
});

test("a template is previewed as it will be sent: its name, its language and each value", async () => {
  const id = await wrote("whatsapp", -60);
  const page = await open(id);
  const preview = page.getByRole("group", { name: "Preview" });
  expect(await preview.count()).toBe(0);
  await page.getByRole("textbox", { name: "Template name" }).fill("table_ready");
  await page.getByRole("textbox", { name: "Values, one a line" }).fill("Ana\n\n20:00");
  await preview.getByText("table_ready").waitFor();
  await preview.getByText("{{2}} 20:00").waitFor();
  expect(await preview.innerText()).toMatch(/\{\{1\}\}\s+Ana/);
  expect(await findBarriers(page)).toEqual([]);
});

test("on a phone the text and its buttons are one row, and a note is amber as a whole", async () => {
  const id = await wrote("whatsapp", 3_600 * 5);
  const page = await open(id);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByText("4 h 59 min left").waitFor();
  const middle = async (on: Locator) => {
    const box = await on.boundingBox();
    return box === null ? 0 : Math.round(box.y + box.height / 2);
  };
  const row = [
    page.getByRole("button", { name: "More kinds of messages" }),
    page.getByRole("textbox", { name: "Reply" }),
    page.getByRole("button", { name: "Send" }),
  ];
  // The text takes its height after the new width.
  const middles = async () => new Set(await Promise.all(row.map(middle))).size;
  await expect.poll(middles).toBe(1);
  // Letters that come late measure the text once more.
  await page.evaluate('document.fonts.dispatchEvent(new Event("loadingdone"))');
  expect(await middles()).toBe(1);
  await page.getByText("Note", { exact: true }).click();
  const note = page.getByRole("textbox", { name: "Note" });
  await note.fill("Only for us");
  const amber = "rgb(255, 245, 217)";
  expect(await styleOf(note, "background-color")).toBe(amber);
  const frame = note.locator("xpath=ancestor::form/..");
  expect(await styleOf(frame, "background-color")).toBe(amber);
  expect(await findBarriers(page)).toEqual([]);
});

test("a window that ends while one looks at it closes by itself", async () => {
  const id = await wrote("whatsapp", 3_600);
  const page = await open(id);
  await page.getByRole("textbox", { name: "Reply" }).fill("One moment");
  await endWindowSoon(id);
  await page.getByText("The 24-hour window is closed").waitFor();
  const again = { channel: "whatsapp", from: "5215512345678", content: "Yes?" } as const;
  await receive(fixture.database.dataSource, account.accountId, again);
  const box = page.getByRole("textbox", { name: "Reply" });
  await box.waitFor();
  expect(await box.inputValue()).toBe("One moment");
});

test("where Meta lets people answer for 7 days, the composer stays open and counts them", async () => {
  await fixture.database.dataSource.query(
    "UPDATE channel_accounts SET human_agent = 1 WHERE account_id = ? AND channel = 'instagram'",
    [account.accountId],
  );
  const id = await wrote("instagram", -3_600);
  const page = await open(id);
  const left = page.getByText(/^Only people may answer: 14[23] h \d+ min$/);
  await left.hover();
  await page.getByRole("tooltip").getByText("the AI agent is silent").waitFor();
  await page.getByRole("textbox", { name: "Reply" }).waitFor();
  await endWindowIn(3 - 6 * 24 * 3_600, id);
  const body = { text: "The page reads the conversation again" };
  const { cookie } = account;
  await fixture.api.call("POST", `/dashboard/api/conversations/${id}/notes`, { cookie, body });
  await page.getByText("The 24-hour window is closed").waitFor();
  expect(await page.getByRole("textbox", { name: "Reply" }).count()).toBe(0);
});

test("a template goes also while the window is open, where the channel has templates", async () => {
  const id = await wrote("whatsapp", 3_600);
  const page = await open(id);
  await page.getByRole("button", { name: "More kinds of messages" }).click();
  await page.getByRole("menuitem", { name: "Template" }).click();
  await page.getByRole("textbox", { name: "Template name" }).fill("table_ready");
  await page.getByRole("textbox", { name: "Template name" }).press("Enter");
  await page.getByRole("log").getByText("[Template]").waitFor();
  const newest = async () => (await call(`/conversations/${id}/messages`))[0];
  await expect.poll(newest).toMatchObject({ type: "template", sender_user_id: account.userId });
  // What is typed next is a reply again.
  await page.getByRole("textbox", { name: "Reply" }).waitFor();
  await page.keyboard.type("Is eight fine?");
  expect(await page.getByRole("textbox", { name: "Reply" }).inputValue()).toBe("Is eight fine?");
});

test("a template by its name is there again after a note and after a reload", async () => {
  const id = await wrote("whatsapp", -60);
  const page = await open(id);
  const name = page.getByRole("textbox", { name: "Template name" });
  const values = page.getByRole("textbox", { name: "Values, one a line" });
  await name.fill("table_ready");
  await page.getByText("Note", { exact: true }).click();
  await page.getByRole("textbox", { name: "Note" }).waitFor();
  await page.getByText("Reply", { exact: true }).click();
  expect(await name.inputValue()).toBe("table_ready");
  await values.fill("Ana");
  await page.reload();
  await expect.poll(async () => await values.inputValue()).toBe("Ana");
  await name.press("Enter");
  await page.getByRole("log").getByText("[Template]").waitFor();
  await expect.poll(async () => await name.inputValue()).toBe("");
  await page.reload();
  await name.waitFor();
  expect((await name.inputValue()) + (await values.inputValue())).toBe("");
});

test("a template by its name that is changed while it is under way stays", async () => {
  const id = await wrote("whatsapp", -60);
  const page = await open(id);
  const name = page.getByRole("textbox", { name: "Template name" });
  const values = page.getByRole("textbox", { name: "Values, one a line" });
  const held: Route[] = [];
  await page.route(`**/conversations/${id}/messages`, async (route) => {
    if (route.request().method() === "POST") held.push(route);
    else await route.continue();
  });
  await name.fill("table_ready");
  await name.press("Enter");
  await expect.poll(() => held.length).toBe(1);
  await values.fill("Ana");
  await held[0]?.continue();
  await page.getByRole("log").getByText("[Template]").waitFor();
  const send = page.getByRole("button", { name: "Send" });
  await expect.poll(async () => await send.getAttribute("aria-busy")).toBe("false");
  await page.reload();
  await expect.poll(async () => await values.inputValue()).toBe("Ana");
  expect(await name.inputValue()).toBe("table_ready");
});

test("a template stays under the hands of whoever fills it in, while the window opens and ends", async () => {
  const id = await wrote("whatsapp", -60);
  const page = await open(id);
  const name = page.getByRole("textbox", { name: "Template name" });
  await name.click();
  await page.keyboard.type("table_");
  const again = { channel: "whatsapp", from: "5215512345678", content: "Yes?" } as const;
  await receive(fixture.database.dataSource, account.accountId, again);
  const closed = page.getByText("The 24-hour window is closed");
  await closed.waitFor({ state: "detached" });
  await page.keyboard.type("rea");
  await endWindowSoon(id);
  await closed.waitFor();
  await page.keyboard.type("dy");
  expect(await name.inputValue()).toBe("table_ready");
  await page.keyboard.press("Enter");
  await page.getByRole("log").getByText("[Template]").waitFor();
});

test("where the window ends under a reply, the rest of the sentence is no shortcut", async () => {
  const id = await wrote("whatsapp", 3_600);
  const page = await open(id);
  const before = await call(`/conversations/${id}`);
  await page.getByRole("textbox", { name: "Reply" }).click();
  // A second without a key ends the sentence.
  await installClock(page);
  await pauseClock(page);
  const press = async (key: string, pauseMs: number): Promise<void> => {
    await page.keyboard.press(key);
    await page.clock.runFor(pauseMs);
  };
  await endWindowSoon(id);
  const closed = page.getByText("The 24-hour window is closed");
  while (!(await closed.isVisible())) await press("o", 20);
  for (const key of "pen, please") await press(key, 100);
  expect(await page.getByRole("dialog").count()).toBe(0);
  const { status, bot_enabled } = before;
  expect(await call(`/conversations/${id}`)).toMatchObject({ status, bot_enabled });
  // After a pause the keys are what they were.
  await page.clock.resume();
  const chooseNote = async () => {
    await page.keyboard.press("n");
    return await page.getByRole("textbox", { name: "Note" }).isVisible();
  };
  await expect.poll(chooseNote, { interval: 1_500, timeout: 10_000 }).toBe(true);
  await receive(fixture.database.dataSource, account.accountId, {
    channel: "whatsapp",
    from: "5215512345678",
    content: "Yes?",
  });
  await page.getByText("Reply", { exact: true }).click();
  expect(await page.getByRole("textbox", { name: "Reply" }).inputValue()).toMatch(/^o+$/);
});
