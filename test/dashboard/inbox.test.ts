import type { Page } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { createTestAccount, type TestAccount } from "../support/accounts.ts";
import { startDashboard } from "../support/dashboard-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(startDashboard);
/** One account per test, so that each starts with an empty inbox. */
let account: TestAccount;
let nextPhone = 5_215_500_000_000;

beforeEach(async () => {
  account = await createTestAccount(fixture.database.dataSource);
});

async function call(method: string, path: string, body?: unknown) {
  const answer = await fixture.api.call(method, `/dashboard/api${path}`, {
    cookie: account.cookie,
    body,
  });
  expect([path, answer.status < 300]).toEqual([path, true]);
  return answer.json.data;
}

/** A customer writes. @returns the conversation's id. */
async function write(text: string, name = "Ana Ruiz", from = String((nextPhone += 1))) {
  const message = await call("POST", "/sandbox/messages", {
    channel: "whatsapp",
    from,
    name,
    text,
  });
  return Number(message.conversation_id);
}

async function open(
  path: string,
  options: { width?: number; height?: number } = {},
): Promise<Page> {
  return (await fixture.open(path, { as: account.cookie, ...options })).page;
}

const thread = (page: Page) => page.getByRole("log", { name: "Messages" });

test("what a customer writes appears by itself, in the list and in the open conversation", async () => {
  const page = await open("/inbox");
  await page.getByText("Everybody has an answer").waitFor();
  const from = "5215511112222";
  const id = await write("Do you have a table for two?", "Ana Ruiz", from);
  await page.getByRole("link", { name: /Ana Ruiz/ }).click();
  await page.waitForURL(`**/inbox/${id}`);
  await thread(page).getByText("Do you have a table for two?").waitFor();
  await write("At eight, please.", "Ana Ruiz", from);
  await thread(page).getByText("At eight, please.").waitFor();
  await expect.poll(async () => (await call("GET", `/conversations/${id}`)).unread_count).toBe(0);
});

test("a reply stands in the thread at once, goes out under the person's name and pauses the agent", async () => {
  const id = await write("Hello");
  const page = await open(`/inbox/${id}`);
  await thread(page).getByText("Hello").waitFor();
  await page.keyboard.press("r");
  await page.keyboard.type("Good evening!\u00A0😀");
  await page.keyboard.press("Enter");
  await thread(page).getByText("Good evening!").waitFor();
  await thread(page).getByText("Admin replied and took over").waitFor();
  const [newest] = await call("GET", `/conversations/${id}/messages`);
  expect(newest).toMatchObject({
    content: "Good evening!\u00A0😀",
    direction: "outbound",
    sender_type: "user",
    sender_user_id: account.userId,
  });
  expect(await thread(page).getByText("Good evening!").count()).toBe(1);
  expect(await call("GET", `/conversations/${id}`)).toMatchObject({ status: "handed_off" });
});

test("a reply that is refused goes from the thread, and its text comes back with the reason", async () => {
  const id = await write("Hello");
  const page = await open(`/inbox/${id}`);
  await thread(page).getByText("Hello").waitFor();
  await page.route("**/messages", async (route) => {
    if (route.request().method() === "POST") await route.abort();
    else await route.continue();
  });
  await page.getByRole("textbox", { name: "Reply" }).fill("Are you there?");
  await page.getByRole("textbox", { name: "Reply" }).press("Enter");
  await page.getByText("The reply was not sent; its text is kept").waitFor();
  expect(await page.getByRole("textbox", { name: "Reply" }).inputValue()).toBe("Are you there?");
  expect(await thread(page).getByText("Are you there?").count()).toBe(0);
  expect(await call("GET", `/conversations/${id}/messages`)).toHaveLength(1);
});

test("a note is for colleagues: it stands in the thread and is no message", async () => {
  const id = await write("Hello");
  const page = await open(`/inbox/${id}`);
  await thread(page).getByText("Hello").waitFor();
  await page.keyboard.press("n");
  await page.keyboard.type("Prefers the terrace");
  await page.keyboard.press("Enter");
  await thread(page).getByText("Prefers the terrace").waitFor();
  const [note] = await call("GET", `/conversations/${id}/notes`);
  expect(note).toMatchObject({
    kind: "note",
    text: "Prefers the terrace",
    user_id: account.userId,
  });
  expect(await call("GET", `/conversations/${id}/messages`)).toHaveLength(1);
});

test("whoever chooses Note or Reply writes there at once: no letter is taken for a shortcut", async () => {
  const id = await write("Hello");
  const page = await open(`/inbox/${id}`);
  await thread(page).getByText("Hello").waitFor();
  const modes = page.getByRole("radiogroup", { name: "What to write" });
  const { status, bot_enabled } = await call("GET", `/conversations/${id}`);
  for (const mode of ["Note", "Reply"]) {
    await modes.getByText(mode, { exact: true }).click();
    await page.keyboard.type("Please pay");
    expect(await page.getByRole("textbox", { name: mode }).inputValue()).toBe("Please pay");
  }
  expect(await page.getByRole("dialog").count()).toBe(0);
  expect(await call("GET", `/conversations/${id}`)).toMatchObject({ status, bot_enabled });
});

test("by keyboard alone: the agent is paused with a reason and resumed, the conversation resolved", async () => {
  const id = await write("I want my money back");
  const page = await open("/inbox");
  await page.getByRole("link", { name: /Ana Ruiz/ }).waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await thread(page).getByText("I want my money back").waitFor();
  await page.keyboard.press("p");
  await page.getByRole("textbox", { name: "Reason" }).fill("asks for a refund");
  await page.getByRole("textbox", { name: "Reason" }).press("Enter");
  await thread(page).getByText("Admin took over: “asks for a refund”").waitFor();
  expect(await call("GET", `/conversations/${id}`)).toMatchObject({
    bot_enabled: false,
    status: "handed_off",
    handoff: { reason: "asks for a refund", source: "panel" },
  });
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.keyboard.press("p");
  await page.getByRole("switch", { name: "AI on" }).waitFor({ state: "attached" });
  await thread(page)
    .getByText(/The AI agent answers again/)
    .waitFor();
  await page.keyboard.press("e");
  await page.getByRole("button", { name: "Reopen" }).waitFor();
  await expect
    .poll(async () => await call("GET", `/conversations/${id}`))
    .toMatchObject({ bot_enabled: true, status: "resolved" });
});

test("a conversation is assigned to a colleague and found again under Mine", async () => {
  const id = await write("Hello");
  await write("Me too", "Benito");
  const page = await open(`/inbox/${id}`);
  await thread(page).getByText("Hello").waitFor();
  await page.getByRole("combobox", { name: "Assigned to" }).click();
  await page.getByRole("option", { name: "Admin" }).click();
  await thread(page)
    .getByText(/Assigned to Admin/)
    .waitFor();
  expect(await call("GET", `/conversations/${id}`)).toMatchObject({
    assigned_to_user_id: account.userId,
  });
  await page.getByRole("link", { name: "Mine" }).click();
  await page.waitForURL("**/inbox?view=mine");
  await page.getByRole("link", { name: /Benito/ }).waitFor({ state: "detached" });
  await page.getByRole("link", { name: /Ana Ruiz/ }).waitFor();
});

test("the list is searched, and the search can be shared by its URL", async () => {
  await write("a", "Ana Ruiz");
  await write("b", "José Núñez");
  const page = await open("/inbox");
  await page.getByRole("link", { name: /Ana Ruiz/ }).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("núñ");
  await page.getByRole("link", { name: /Ana Ruiz/ }).waitFor({ state: "detached" });
  await page.getByRole("link", { name: /José Núñez/ }).waitFor();
  const shared = await open(new URL(page.url()).pathname + new URL(page.url()).search);
  await shared.getByRole("link", { name: /José Núñez/ }).waitFor();
  expect(await shared.getByRole("link", { name: /Ana Ruiz/ }).count()).toBe(0);
  await page.keyboard.press("Escape");
  await page.getByRole("link", { name: /Ana Ruiz/ }).waitFor();
});

test("what is being written is kept per conversation until it is sent", async () => {
  const ana = await write("a", "Ana");
  const benito = await write("b", "Benito");
  const page = await open(`/inbox/${ana}`);
  await page.getByRole("textbox", { name: "Reply" }).fill("Dear Ana");
  await page.getByRole("link", { name: /Benito/ }).click();
  await page.waitForURL(`**/inbox/${benito}`);
  const box = page.getByRole("textbox", { name: "Reply" });
  await expect.poll(async () => await box.inputValue()).toBe("");
  await page.goto(`${fixture.api.url}/inbox/${ana}`);
  await expect.poll(async () => await box.inputValue()).toBe("Dear Ana");
  await box.press("Enter");
  // It is on the page before it is sent, and a page that has not heard of its arrival keeps it.
  const kept = async () => await page.evaluate<string>("Object.keys(localStorage).join()");
  await expect.poll(kept).not.toContain("parley.draft.");
  await page.reload();
  await thread(page).getByText("Dear Ana").waitFor();
  expect(await box.inputValue()).toBe("");
});

test("a contact is changed beside the conversation; a phone of another one is refused with the reason", async () => {
  await write("Hello", "Benito", "5215599998888");
  const id = await write("Hi");
  const page = await open(`/inbox/${id}`);
  const card = page.getByRole("region", { name: "Contact" });
  await card.getByRole("button", { name: "Add an email" }).click();
  await card.getByRole("textbox", { name: "Email" }).fill("ANA@example.com");
  await card.getByRole("textbox", { name: "Email" }).press("Enter");
  await card.getByRole("link", { name: "ana@example.com" }).waitFor();
  const { contact_id } = await call("GET", `/conversations/${id}`);
  const stored = async () => await call("GET", `/contacts/${contact_id}`);
  await expect.poll(stored).toMatchObject({ email: "ana@example.com" });
  await card.getByRole("button", { name: "Edit Phone" }).click();
  await card.getByRole("textbox", { name: "Phone" }).fill("5215599998888");
  await card.getByRole("textbox", { name: "Phone" }).press("Enter");
  await card.getByText("Another contact has this phone or email.").waitFor();
  await card.getByRole("textbox", { name: "Phone" }).press("Escape");

  await card.getByRole("button", { name: "Edit tags" }).click();
  // The field is fetched with the first edit; until then the button alone speaks of tags.
  const tags = card.getByLabel("Tags", { exact: true });
  await tags.fill("vip");
  await tags.press("Enter");
  await expect
    .poll(async () => (await call("GET", `/contacts/${contact_id}`)).tags)
    .toEqual(["vip"]);
});

test("on a phone one pane is shown at a time, with a way back", async () => {
  const id = await write("Hello from a small screen");
  const page = await open("/inbox", { width: 390, height: 844 });
  await page.getByRole("link", { name: /Ana Ruiz/ }).click();
  await page.waitForURL(`**/inbox/${id}`);
  await thread(page).getByText("Hello from a small screen").waitFor();
  expect(await page.getByRole("region", { name: "Conversations" }).isVisible()).toBe(false);
  await page.getByRole("button", { name: "Contact" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Edit Phone" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("link", { name: "Back to the list" }).click();
  await page.getByRole("region", { name: "Conversations" }).waitFor();
});

test("a person writes as a customer from an empty inbox", async () => {
  const page = await open("/inbox");
  await page.getByRole("button", { name: "Test as a customer" }).last().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "From" }).fill("12");
  await dialog.getByRole("textbox", { name: "Message" }).fill("Is anybody there?");
  await dialog.getByRole("button", { name: "Write" }).click();
  await dialog.getByText("Use 8 to 15 digits with the country code.").first().waitFor();
  await dialog.getByRole("textbox", { name: "From" }).fill("52 1 55 1234 5678");
  await dialog.getByRole("button", { name: "Write" }).click();
  await thread(page).getByText("Is anybody there?").waitFor();
  const [row] = await call("GET", "/conversations");
  expect(row).toMatchObject({ channel: "whatsapp", contact: { name: "Ana" } });
});
