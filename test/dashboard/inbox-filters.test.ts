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

const tab = (page: Page, name: string) =>
  page.getByRole("radiogroup", { name: "Which conversations" }).getByText(name, { exact: true });
const chosenTab = async (page: Page) =>
  await page.locator("[role=radiogroup] input:checked").first().inputValue();
const searchOf = (page: Page) => new URL(page.url()).search;

test("the list is narrowed to a channel; the choice stands in the URL and is cleared again", async () => {
  await write("Ana", "whatsapp");
  await write("Benito", "instagram");
  await write("Carla", "web");
  const page = await open("/inbox");
  await expectNames(page, ["Carla", "Benito", "Ana"]);
  await page.getByRole("combobox", { name: "Channel" }).click();
  await page.getByRole("option", { name: "Instagram" }).click();
  await expectNames(page, ["Benito"]);
  await page.getByText("1 conversation", { exact: true }).waitFor();
  expect(searchOf(page)).toBe("?channel=instagram");

  const shared = await open(`/inbox${searchOf(page)}`);
  await expectNames(shared, ["Benito"]);
  expect(await shared.getByRole("combobox", { name: "Channel" }).inputValue()).toBe("Instagram");

  await page.getByRole("combobox", { name: "Channel" }).click();
  await page.getByRole("option", { name: "Messenger" }).click();
  await page.getByText("No conversation fits").waitFor();
  await page.getByRole("combobox", { name: "Channel" }).click();
  await page.getByRole("option", { name: "Messenger" }).click();
  await expectNames(page, ["Carla", "Benito", "Ana"]);
  expect(searchOf(page)).toBe("");
});

test("Handed off and Waiting show what stands so, and each has its URL", async () => {
  const handedOff = await write("Ana");
  await call("POST", `/conversations/${handedOff}/bot`, { enabled: false });
  await call("PATCH", `/conversations/${await write("Benito")}`, { status: "waiting" });
  await call("PATCH", `/conversations/${await write("Carla")}`, { status: "resolved" });
  await write("Dora");
  const page = await open("/inbox");
  await expectNames(page, ["Dora", "Benito", "Ana"]);
  await tab(page, "Handed off").click();
  await expectNames(page, ["Ana"]);
  expect(searchOf(page)).toBe("?view=handed_off");
  await tab(page, "Waiting").click();
  await expectNames(page, ["Benito"]);
  expect(searchOf(page)).toBe("?view=waiting");
  await tab(page, "All").click();
  await expectNames(page, ["Dora", "Carla", "Benito", "Ana"]);

  for (const [view, name] of [
    ["handed_off", "Ana"],
    ["waiting", "Benito"],
  ] as const) {
    const shared = await open(`/inbox?view=${view}`);
    await expectNames(shared, [name]);
    expect(await chosenTab(shared)).toBe(view);
  }
});

test("a conversation comes to a tab and goes from it by itself; an empty tab says what it is for", async () => {
  const id = await write("Ana");
  const waiting = await open("/inbox?view=waiting");
  await waiting.getByText("No customer's reply is awaited").waitFor();
  const handedOff = await open("/inbox?view=handed_off");
  await handedOff.getByText("Nobody waits for a person").waitFor();
  await call("PATCH", `/conversations/${id}`, { status: "waiting" });
  await expectNames(waiting, ["Ana"]);
  await call("POST", `/conversations/${id}/bot`, { enabled: false });
  await expectNames(handedOff, ["Ana"]);
  await waiting.getByText("No customer's reply is awaited").waitFor();
  expect(await namesIn(waiting)).toEqual([]);
});

test("Open and Mine keep what is answered, handed off or waiting, until it is resolved", async () => {
  await write("Ana");
  const id = await write("Benito");
  await call("POST", `/conversations/${id}/assign`, { user_id: own.account.userId });
  const page = await open(`/inbox/${id}`);
  const mine = await open("/inbox?view=mine");
  const row = (where: Page) => where.getByRole("link", { name: /Benito/ });
  await page.getByRole("textbox", { name: "Reply" }).fill("Gladly");
  await page.getByRole("textbox", { name: "Reply" }).press("Enter");
  for (const where of [page, mine]) {
    await row(where).getByText("Gladly").waitFor();
    await row(where).getByText("With Admin", { exact: true }).waitFor();
  }
  await call("PATCH", `/conversations/${id}`, { status: "waiting" });
  for (const where of [page, mine])
    await row(where).getByText("Waiting", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Resolve", exact: true }).click();
  await expectNames(page, ["Ana"]);
  await mine.getByText("Nothing open is assigned to you").waitFor();
  await page.getByRole("button", { name: "Reopen" }).click();
  await expect.poll(async () => await namesIn(page)).toEqual(["Benito", "Ana"]);
});

test("a tab and a channel hold together, and stay as one opens what they show", async () => {
  await write("Ana", "instagram");
  const id = await write("Benito", "instagram");
  const other = await write("Carla", "web");
  for (const one of [id, other])
    await call("PATCH", `/conversations/${one}`, { status: "waiting" });
  const page = await open("/inbox?view=waiting&channel=instagram");
  await expectNames(page, ["Benito"]);
  await page.getByRole("link", { name: /Benito/ }).click();
  await page.waitForURL(`**/inbox/${id}?view=waiting&channel=instagram`);
  await expectNames(page, ["Benito"]);
  await tab(page, "Open").click();
  await expectNames(page, ["Benito", "Ana"]);
  expect(searchOf(page)).toBe("?channel=instagram");
});
