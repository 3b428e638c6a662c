import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { setUpOwnAccounts } from "../support/own-accounts.ts";

const own = setUpOwnAccounts();
const { call, open } = own;

/** A customer writes over a channel. @returns the conversation's id. */
async function write(name: string, channel = "web"): Promise<number> {
  const from = channel === "whatsapp" ? "5215512345678" : name;
  const body = { channel, from, name, text: "Hello" };
  return Number((await call("POST", "/sandbox/messages", body)).conversation_id);
}

/** The names in the list, from the top. */
async function namesIn(page: Page): Promise<string[]> {
  const rows = page.getByRole("region", { name: "Conversations" });
  // The links of the first steps are no rows.
  const texts = await rows.locator("a[href^='/inbox/']").allInnerTexts();
  return texts.map((text) => text.split("\n")[0] ?? "");
}

async function expectNames(page: Page, names: string[]): Promise<void> {
  await expect.poll(async () => await namesIn(page)).toEqual(names);
}

const view = (page: Page, name: string) =>
  page.getByRole("list", { name: "Views" }).getByRole("link", { name, exact: false });
const searchOf = (page: Page) => new URL(page.url()).search;

/** Chooses a value of a filter. */
async function filterBy(page: Page, field: string, value: string): Promise<void> {
  await page.getByRole("button", { name: "Filters", exact: true }).click();
  await page.getByRole("combobox", { name: field }).click();
  await page.getByRole("option", { name: value, exact: true }).click();
  await page.keyboard.press("Escape");
  await page.getByRole("combobox", { name: field }).waitFor({ state: "detached" });
}

test("the list is narrowed to a channel; the choice stands in the URL and is cleared again", async () => {
  await write("Ana", "whatsapp");
  await write("Benito", "instagram");
  await write("Carla", "web");
  const page = await open("/inbox");
  await expectNames(page, ["Ana", "Benito", "Carla"]);
  await filterBy(page, "Channel", "Instagram");
  await expectNames(page, ["Benito"]);
  expect(searchOf(page)).toBe("?channel=instagram");

  const shared = await open(`/inbox${searchOf(page)}`);
  await expectNames(shared, ["Benito"]);
  await shared.getByRole("button", { name: "Filters", exact: true }).click();
  expect(await shared.getByRole("combobox", { name: "Channel" }).inputValue()).toBe("Instagram");

  await filterBy(page, "Channel", "Messenger");
  await page.getByText("No conversation fits").waitFor();
  await page.getByRole("button", { name: "Remove the filter Messenger" }).click();
  await expectNames(page, ["Ana", "Benito", "Carla"]);
  expect(searchOf(page)).toBe("");
});

test("each view holds its conversations, in its order, and has its URL and its count", async () => {
  const { userId } = own.account;
  await write("Ana");
  await call("POST", `/conversations/${await write("Benito")}/assign`, { user_id: userId });
  // A reply assigns the conversation to its writer.
  await call("POST", `/conversations/${await write("Carla")}/messages`, { content: "Hi" });
  await call("PATCH", `/conversations/${await write("Dora")}`, { status: "resolved" });
  const until = new Date(Date.now() + 3_600_000).toISOString();
  await call("POST", `/conversations/${await write("Elena")}/snooze`, { until });
  const page = await open("/inbox");
  const views = [
    ["Needs answer", "needs_answer", ["Ana", "Benito"]],
    ["Mine", "mine", ["Benito", "Carla"]],
    ["Unassigned", "unassigned", ["Ana", "Elena"]],
    ["Waiting", "waiting", ["Elena", "Carla"]],
    ["Resolved", "resolved", ["Dora"]],
    ["All", "all", ["Elena", "Dora", "Carla", "Benito", "Ana"]],
  ] as const;
  for (const [name, id, names] of views) {
    await view(page, `${name} ${names.length}`).click();
    await expectNames(page, [...names]);
    expect(searchOf(page)).toBe(`?view=${id}`);
    await page.getByRole("heading", { name, level: 2 }).waitFor();
    expect(await view(page, name).getAttribute("aria-current")).toBe("page");
    const shared = await open(`/inbox?view=${id}`);
    await expectNames(shared, [...names]);
  }
});

test("a row shows its stage, tag, wait, assignee and the end of its snooze", async () => {
  const pipeline = await call("POST", "/pipelines", { name: "Sales", stages: ["New", "Won"] });
  const id = await write("Ana");
  const { contact_id: contactId } = await call("GET", `/conversations/${id}`);
  await call("POST", `/contacts/${contactId}/stage`, { stage_id: pipeline.stages[1].id });
  await call("PUT", `/contacts/${contactId}/tags`, { tags: ["vip"] });
  await own.fixture.database.dataSource.query(
    "UPDATE conversations SET customer_waits_since = customer_waits_since - INTERVAL 20 MINUTE WHERE id = ?",
    [id],
  );
  const page = await open("/inbox");
  const row = page.getByRole("link", { name: /Ana/ });
  for (const text of ["Won", "vip", "20 min", "Unassigned"]) {
    await row.getByText(text, { exact: true }).waitFor();
  }
  // 20 of 30 minutes are more than half of the target.
  const wait = row.locator("[data-wait]");
  expect(await wait.getAttribute("data-wait")).toBe("soon");
  await call("PATCH", "/account", { settings: { answer_target_minutes: 15 } });
  await expect.poll(async () => await wait.getAttribute("data-wait")).toBe("late");
  await call("POST", `/conversations/${id}/assign`, { user_id: own.account.userId });
  await row.getByText("Admin").waitFor({ state: "attached" });
  const until = new Date(Date.now() + 3_600_000).toISOString();
  await call("POST", `/conversations/${id}/snooze`, { until });
  await page.getByText("Everybody has an answer").waitFor();
  await view(page, "Waiting").click();
  await row.getByText(/^Snoozed until/).waitFor({ state: "attached" });
});

test("a conversation comes to a view and goes from it by itself; an empty view says what it is for", async () => {
  const id = await write("Ana");
  const needsAnswer = await open("/inbox");
  await expectNames(needsAnswer, ["Ana"]);
  const waiting = await open("/inbox?view=waiting");
  await waiting.getByText("No customer's reply is awaited").waitFor();
  await call("POST", `/conversations/${id}/messages`, { content: "Hi" });
  await expectNames(waiting, ["Ana"]);
  await needsAnswer.getByText("Everybody has an answer").waitFor();
  await write("Ana");
  await expectNames(needsAnswer, ["Ana"]);
  await waiting.getByText("No customer's reply is awaited").waitFor();
  expect(await namesIn(waiting)).toEqual([]);
});

test("a snoozed conversation comes back when the customer writes, on the page of everybody", async () => {
  const id = await write("Ana");
  const page = await open("/inbox");
  await expectNames(page, ["Ana"]);
  const until = new Date(Date.now() + 3_600_000).toISOString();
  await call("POST", `/conversations/${id}/snooze`, { until });
  await page.getByText("Everybody has an answer").waitFor();
  await write("Ana");
  await expectNames(page, ["Ana"]);
  expect((await call("GET", `/conversations/${id}`)).snoozed_until).toBeNull();
});

test("Mine keeps what is answered, handed off or snoozed, until it is resolved", async () => {
  const id = await write("Benito");
  await call("POST", `/conversations/${id}/assign`, { user_id: own.account.userId });
  const page = await open("/inbox?view=mine");
  const row = page.getByRole("link", { name: /Benito/ });
  await call("POST", `/conversations/${id}/messages`, { content: "Gladly" });
  await row.getByText("Gladly").waitFor();
  const until = new Date(Date.now() + 3_600_000).toISOString();
  await call("POST", `/conversations/${id}/snooze`, { until });
  await row.getByText(/^Snoozed until/).waitFor({ state: "attached" });
  await call("PATCH", `/conversations/${id}`, { status: "resolved" });
  await page.getByText("Nothing open is assigned to you").waitFor();
  await call("PATCH", `/conversations/${id}`, { status: "active" });
  await expectNames(page, ["Benito"]);
  // To resolve it has ended the snooze.
  expect(await row.getByText(/^Snoozed until/).count()).toBe(0);
});

test("a view and a channel hold together, and stay as one opens what they show", async () => {
  await write("Ana", "instagram");
  const id = await write("Benito", "instagram");
  const other = await write("Carla", "web");
  for (const one of [id, other])
    await call("POST", `/conversations/${one}/messages`, { content: "Hi" });
  const page = await open("/inbox?view=waiting&channel=instagram");
  await expectNames(page, ["Benito"]);
  await page.getByRole("link", { name: /Benito/ }).click();
  await page.waitForURL(`**/inbox/${id}?view=waiting&channel=instagram`);
  await expectNames(page, ["Benito"]);
  await view(page, "Needs answer").click();
  await expectNames(page, ["Ana"]);
  expect(searchOf(page)).toBe("?view=needs_answer");
});

test("where the sidebar has no space, the head of the list leads to the views", async () => {
  await call("POST", `/conversations/${await write("Ana")}/messages`, { content: "Hi" });
  const tablet = await open("/inbox", { width: 1_000, height: 800 });
  await tablet.getByRole("button", { name: "Needs answer" }).click();
  await tablet.getByRole("menuitem", { name: "Waiting 1" }).click();
  await expectNames(tablet, ["Ana"]);
  const phone = await open("/inbox", { width: 390, height: 844 });
  await phone
    .getByRole("navigation", { name: "Views" })
    .getByRole("link", { name: "Waiting 1" })
    .click();
  await expectNames(phone, ["Ana"]);
  expect(searchOf(phone)).toBe("?view=waiting");
});
