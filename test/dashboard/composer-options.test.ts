import type { Page, Route } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { createTestAccount, type TestAccount } from "../support/accounts.ts";
import { expectFocus, expectFocusIn, findBarriers } from "../support/browser.ts";
import { receive } from "../support/conversations.ts";
import { startDashboard, type OpenOptions } from "../support/dashboard-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

// A person sends a message with options, within the limits of the channel.
const fixture = useFixture(startDashboard);
let account: TestAccount;
/** Conversation with Ana on WhatsApp, who wrote just now. */
let id: number;

beforeEach(async () => {
  const { dataSource } = fixture.database;
  account = await createTestAccount(dataSource);
  const given = { channel: "whatsapp", from: "5215512345678", name: "Ana Ruiz" } as const;
  const { row } = await receive(dataSource, account.accountId, given);
  id = row.conversationId;
});

/** The conversation's channel is carried by this driver from now on. */
async function setDriver(driver: string): Promise<void> {
  await fixture.database.dataSource.query(
    `UPDATE channel_accounts SET driver = ?
      WHERE id = (SELECT channel_account_id FROM conversations WHERE id = ?)`,
    [driver, id],
  );
}

async function open(options: OpenOptions = {}) {
  const { page } = await fixture.open(`/inbox/${id}?view=all`, { as: account.cookie, ...options });
  await page.getByRole("log").getByText("Hola").waitFor();
  return { page, dialog: page.getByRole("dialog", { name: "Message with options" }) };
}

const menu = (page: Page) => page.getByRole("button", { name: "More kinds of messages" });

/** Opens the dialog by keyboard alone. */
async function openDialog(page: Page): Promise<void> {
  await menu(page).press("Enter");
  await page.getByRole("menuitem", { name: "Message with options" }).press("Enter");
  await expectFocus(page.getByRole("textbox", { name: "Message", exact: true }));
}

interface Sent {
  direction: string;
  type: string;
  content: string | null;
  interactive: object | null;
}

async function listSent(): Promise<Sent[]> {
  const path = `/dashboard/api/conversations/${id}/messages`;
  const { json } = await fixture.api.call("GET", path, { cookie: account.cookie });
  return (json.data as Sent[]).filter(({ direction }) => direction === "outbound");
}

test("options are written, previewed and sent by keyboard, as the channel shows them", async () => {
  await setDriver("whatsapp_cloud");
  const { page, dialog } = await open();
  await openDialog(page);
  await dialog.getByText("Buttons: up to 3 options with titles of 20 characters").waitFor();
  await dialog.getByText("A list: up to 10 options with titles of 24 characters").waitFor();
  const send = dialog.getByRole("button", { name: "Send" });
  expect(await send.isDisabled()).toBe(true);
  await page.keyboard.type("When can you come?");
  await page.keyboard.press("Tab");
  await page.keyboard.type("Monday");
  await page.keyboard.press("Enter");
  await page.keyboard.type("Tuesday");
  await page.keyboard.press("Enter");
  await page.keyboard.type("Friday");
  const preview = dialog.getByRole("group", { name: "Preview" });
  await preview.getByText("Goes as buttons.").waitFor();
  await preview.getByText("When can you come?").waitFor();
  expect(await preview.getByRole("listitem").allInnerTexts()).toEqual([
    "Monday",
    "Tuesday",
    "Friday",
  ]);
  expect(await findBarriers(page)).toEqual([]);
  await page.keyboard.press("Control+Enter");
  await dialog.waitFor({ state: "detached" });
  await expectFocus(menu(page));
  const options = page.getByRole("log").getByRole("list", { name: "Options" });
  expect(await options.getByRole("listitem").allInnerTexts()).toEqual([
    "Monday",
    "Tuesday",
    "Friday",
  ]);
  await expect.poll(listSent).toMatchObject([
    {
      type: "interactive",
      content: "When can you come?",
      interactive: {
        kind: "buttons",
        sent_as: "buttons",
        options: [
          { id: "1", title: "Monday" },
          { id: "2", title: "Tuesday" },
          { id: "3", title: "Friday" },
        ],
      },
    },
  ]);
});

test("the dialog says why the channel shows another form, and what it does not take", async () => {
  await setDriver("whatsapp_cloud");
  const { page, dialog } = await open();
  await openDialog(page);
  await page.keyboard.type("Which one?");
  const status = dialog.getByRole("group", { name: "Preview" }).getByRole("status");
  const first = dialog.getByRole("textbox", { name: "Option 1", exact: true });
  await first.fill("Cleaning");
  await dialog.getByRole("textbox", { name: "Description of option 1" }).fill("45 minutes");
  await expect
    .poll(async () => await status.textContent())
    .toBe("Goes as a list: an option has a description.");
  await first.fill("A cleaning of all your teeth");
  await expect
    .poll(async () => await status.textContent())
    .toBe("Goes as numbered lines: a title is longer than 24 characters.");
  await dialog.getByText("1. A cleaning of all your teeth: 45 minutes").waitFor();
  const second = dialog.getByRole("textbox", { name: "Option 2", exact: true });
  await second.fill("A cleaning of all your teeth");
  await dialog.getByText("Another option has this title.").waitFor();
  expect(await dialog.getByRole("alert").count()).toBe(0);
  const send = dialog.getByRole("button", { name: "Send" });
  expect(await send.isDisabled()).toBe(true);
  await second.fill("");
  await dialog.getByRole("textbox", { name: "Description of option 2" }).fill("30 minutes");
  await dialog.getByText("Give the option a title.").waitFor();
  expect(await send.isDisabled()).toBe(true);
  await dialog.getByRole("button", { name: "Remove option 2" }).click();
  await expectFocus(first);
  expect(await send.isEnabled()).toBe(true);
});

test("a text that Instagram does not take is told of before it is sent", async () => {
  await setDriver("instagram_page");
  await fixture.database.dataSource.query(
    "UPDATE conversations SET channel = 'instagram' WHERE id = ?",
    [id],
  );
  const { page, dialog } = await open();
  await openDialog(page);
  await dialog.getByText("Quick replies: up to 13 options").waitFor();
  await dialog.getByRole("textbox", { name: "Message", exact: true }).fill("é".repeat(500));
  await dialog.getByRole("textbox", { name: "Option 1", exact: true }).fill("Yes");
  await dialog.getByText("The channel takes 999 bytes at most, with all options.").waitFor();
  expect(await dialog.getByRole("button", { name: "Send" }).isDisabled()).toBe(true);
});

test("on a phone, what was begun waits for its conversation, and a refusal keeps the dialog", async () => {
  const { page, dialog } = await open({ width: 390, height: 844 });
  await menu(page).click();
  await page.getByRole("menuitem", { name: "Take a picture" }).waitFor();
  await page.getByRole("menuitem", { name: "Message with options" }).click();
  await expectFocusIn(dialog);
  await dialog.getByText("Numbered lines. The customer answers with a number.").waitFor();
  await dialog.getByRole("textbox", { name: "Message", exact: true }).fill("Shall we?");
  await dialog.getByRole("textbox", { name: "Option 1", exact: true }).fill("Yes");
  await dialog.getByText("Cards", { exact: true }).click();
  const width = await page.evaluate<number>("document.documentElement.scrollWidth");
  expect(width).toBe(390);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await page.reload();
  await menu(page).click();
  await page.getByRole("menuitem", { name: "Message with options" }).click();
  await expect
    .poll(async () => await dialog.getByRole("textbox", { name: "Option 1" }).first().inputValue())
    .toBe("Yes");
  await expect.poll(async () => await findBarriers(page)).toEqual([]);
  await page.route("**/conversations/*/messages", async (route) => {
    await (route.request().method() === "POST" ? route.abort() : route.continue());
  });
  const send = dialog.getByRole("button", { name: "Send" });
  await send.click();
  await dialog.getByRole("alert").waitFor();
  await page.unrouteAll();
  await send.click();
  await dialog.waitFor({ state: "detached" });
  await expect.poll(listSent).toMatchObject([
    {
      content: "Shall we?\n\n1. Yes",
      interactive: { kind: "cards", sent_as: "text", options: [{ id: "1", title: "Yes" }] },
    },
  ]);
  await menu(page).click();
  await page.getByRole("menuitem", { name: "Message with options" }).click();
  expect(await dialog.getByRole("textbox", { name: "Option 1" }).first().inputValue()).toBe("");
});

/** Opens the dialog, and sends a message whose answer waits. */
async function sendHeld() {
  const held: Route[] = [];
  const { page, dialog } = await open();
  await page.route("**/conversations/*/messages", async (route) => {
    if (route.request().method() === "POST") held.push(route);
    else await route.continue();
  });
  const body = dialog.getByRole("textbox", { name: "Message", exact: true });
  await openDialog(page);
  await body.fill("Shall we?");
  await dialog.getByRole("textbox", { name: "Option 1", exact: true }).fill("Yes");
  await page.keyboard.press("Control+Enter");
  await expect.poll(() => held.length).toBe(1);
  return { page, dialog, body, held };
}

/** Closes the dialog while its message is under way. */
async function sendAndClose() {
  const sent = await sendHeld();
  await sent.page.keyboard.press("Escape");
  await sent.dialog.waitFor({ state: "detached" });
  return sent;
}

test("a message that arrives after its dialog was closed does not wait to be sent again", async () => {
  const { page, body, held } = await sendAndClose();
  await held[0]?.continue();
  await expect.poll(listSent).toHaveLength(1);
  await openDialog(page);
  await expect.poll(async () => await body.inputValue()).toBe("");
});

test("words that were changed while the message was under way stay", async () => {
  const { page, body, held } = await sendAndClose();
  await openDialog(page);
  await body.fill("And tomorrow?");
  await held[0]?.continue();
  await (await held[0]?.request().response())?.finished();
  await expect.poll(listSent).toHaveLength(1);
  expect(await body.inputValue()).toBe("And tomorrow?");
});

test("a dialog whose words were changed while the message was under way stays open, and sends another", async () => {
  const { page, dialog, body, held } = await sendHeld();
  await body.fill("And tomorrow?");
  await held[0]?.continue();
  await page.getByRole("log").getByText("Shall we?").waitFor();
  await expect.poll(listSent).toHaveLength(1);
  // The next press waits until the page has the answer.
  const send = dialog.getByRole("button", { name: "Send" });
  await expect.poll(async () => await send.getAttribute("aria-busy")).not.toBe("true");
  expect(await body.inputValue()).toBe("And tomorrow?");
  await page.keyboard.press("Control+Enter");
  await expect.poll(() => held.length).toBe(2);
  await held[1]?.continue();
  await dialog.waitFor({ state: "detached" });
  await expect
    .poll(async () => (await listSent()).map(({ content }) => content?.split("\n")[0]))
    .toEqual(["And tomorrow?", "Shall we?"]);
});

test("a message that is sent once more from a reopened dialog closes it, and is sent once", async () => {
  const { page, dialog, held } = await sendAndClose();
  await openDialog(page);
  await page.keyboard.press("Control+Enter");
  // Messages of a conversation leave one after the other.
  const send = dialog.getByRole("button", { name: "Send" });
  await expect.poll(async () => await send.getAttribute("aria-busy")).toBe("true");
  await held[0]?.continue();
  await expect.poll(() => held.length).toBe(2);
  await held[1]?.continue();
  await dialog.waitFor({ state: "detached" });
  expect(await listSent()).toHaveLength(1);
});

test("a message whose answer was lost after its dialog was closed is sent again as the same one", async () => {
  const { page, dialog, body, held } = await sendAndClose();
  // The server has the message, and the page hears nothing.
  const path = `/dashboard/api/conversations/${id}/messages`;
  const stored = held[0]?.request().postDataJSON() as unknown;
  await fixture.api.call("POST", path, { cookie: account.cookie, body: stored });
  await held[0]?.abort();
  await page.getByText("The reply was not sent; its text is kept").waitFor();
  await openDialog(page);
  expect(await body.inputValue()).toBe("Shall we?");
  await page.keyboard.press("Control+Enter");
  await expect.poll(() => held.length).toBe(2);
  await held[1]?.continue();
  await dialog.waitFor({ state: "detached" });
  expect(await listSent()).toHaveLength(1);
});
