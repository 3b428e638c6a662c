import type { Page, Route } from "playwright-core";
import { expect, test } from "vitest";
import { expectFocus } from "../support/browser.ts";
import type { OpenOptions } from "../support/dashboard-fixture.ts";
import { setUpOwnAccounts } from "../support/own-accounts.ts";

const own = setUpOwnAccounts();
const { call, open } = own;

/** A customer writes. @returns the conversation's id. */
async function write(name = "Ana"): Promise<number> {
  const body = { channel: "web", from: name, name, text: `${name} wrote` };
  return Number((await call("POST", "/sandbox/messages", body)).conversation_id);
}

/** A conversation as somebody has it open. */
async function openConversation(options?: OpenOptions): Promise<{ id: number; page: Page }> {
  const id = await write();
  const page = await open(`/inbox/${id}`, options);
  await page.getByRole("log", { name: "Messages" }).getByText("Ana wrote").waitFor();
  return { id, page };
}

const selectedText = async (page: Page): Promise<string> =>
  await page.evaluate<string>("getSelection().toString()");

const focusedText = async (page: Page): Promise<string> =>
  await page.evaluate<string>("document.activeElement.textContent");

test("k goes back up the list, and at its top stays there", async () => {
  for (const name of ["Ana", "Benito", "Carla"]) await write(name);
  const page = await open("/inbox");
  await page.getByRole("link", { name: /Carla/ }).waitFor();
  const press = async (key: string, name: RegExp) => {
    await page.keyboard.press(key);
    await expect.poll(async () => await focusedText(page)).toMatch(name);
  };
  await press("j", /Ana/);
  await press("j", /Benito/);
  await press("j", /Carla/);
  await press("j", /Carla/);
  await press("k", /Benito/);
  await press("k", /Ana/);
  await press("k", /Ana/);
  await page.keyboard.press("Enter");
  await page.getByRole("log", { name: "Messages" }).getByText("Ana wrote").waitFor();
});

/** Types into an open list and takes the only option that is left, by keys. */
async function chooseByKeys(page: Page, typed: string, name: string): Promise<void> {
  await page.keyboard.type(typed);
  // A key before the list is narrowed would choose in the list of before.
  await expect.poll(async () => await page.getByRole("option").count()).toBe(1);
  const option = page.getByRole("option", { name });
  const isChosen = async (): Promise<boolean> => {
    await page.keyboard.press("ArrowDown");
    return (await option.getAttribute("data-combobox-selected")) === "true";
  };
  await expect.poll(isChosen).toBe(true);
  await page.keyboard.press("Enter");
}

test("by keyboard alone: a assigns the conversation, and takes it away from everybody again", async () => {
  const { id, page } = await openConversation();
  const field = page.getByRole("combobox", { name: "Assigned to" });
  const assign = async (typed: string, name: string) => {
    await page.keyboard.press("a");
    await page.getByRole("option", { name }).waitFor();
    await chooseByKeys(page, typed, name);
    await expect.poll(async () => await field.inputValue()).toBe(name);
    // Out of the field, where a letter is a key again.
    await page.keyboard.press("Tab");
  };
  const assignee = async () => (await call("GET", `/conversations/${id}`)).assigned_to_user_id;
  await assign("adm", "Admin");
  await expect.poll(assignee).toBe(own.account.userId);
  await assign("una", "Unassigned");
  await expect.poll(assignee).toBeNull();
});

test("whom a conversation is assigned to stays as chosen while it changes otherwise", async () => {
  const { id, page } = await openConversation();
  const held: Route[] = [];
  await page.route("**/assign", async (route) => void (await Promise.resolve(held.push(route))));
  const field = page.getByRole("combobox", { name: "Assigned to" });
  await page.keyboard.press("a");
  await page.getByRole("option", { name: "Admin" }).click();
  await expect.poll(() => held.length).toBe(1);
  const seen: string[] = [];
  const look = async () => seen.push(await field.inputValue());
  await call("POST", "/sandbox/messages", { channel: "web", from: "Ana", text: "And then?" });
  await page.getByRole("log", { name: "Messages" }).getByText("And then?").waitFor();
  for (let looks = 0; looks < 20; looks += 1) {
    await page.waitForTimeout(25);
    await look();
  }
  await held[0]?.continue();
  await expect
    .poll(async () => (await call("GET", `/conversations/${id}`)).assigned_to_user_id)
    .toBe(own.account.userId);
  await look();
  expect(new Set(seen)).toEqual(new Set(["Admin"]));
});

test("? shows every key of the inbox with what it does", async () => {
  const { page } = await openConversation();
  await page.keyboard.press("?");
  const dialog = page.getByRole("dialog", { name: "Keys" });
  await dialog.waitFor();
  const keys = await dialog.locator("kbd").allInnerTexts();
  const rows = await dialog.locator("kbd").locator("..").allInnerTexts();
  expect(rows.map((text, at) => [keys[at], text.split("\n")[0]])).toEqual([
    ["j", "Next conversation"],
    ["k", "Previous conversation"],
    ["Enter", "Open the conversation"],
    ["x", "Select"],
    ["Shift x", "Select up to here"],
    ["r", "Reply"],
    ["n", "Write a note"],
    ["e", "Resolve and open the next, or reopen"],
    ["z", "Snooze"],
    ["u", "Mark as unread"],
    ["i", "Assign to me"],
    ["p", "Pause or resume the AI agent"],
    ["a", "Assign"],
    ["s", "Choose the stage"],
    ["g", "Suggest a reply, or go to the draft"],
    ["b", "Book an appointment"],
    ["f", "Search this conversation"],
    ["d", "Go to a day"],
    ["/", "Search"],
    ["?", "Show these keys"],
    ["Ctrl K", "Jump to a page or a command"],
  ]);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "List options" }).click();
  await page.getByRole("menuitem", { name: "Keys" }).click();
  await dialog.waitFor();
});

test("a closed conversation is reopened by its button and by e, and is among the open ones again", async () => {
  const { id, page } = await openConversation();
  const status = async () => (await call("GET", `/conversations/${id}`)).status;
  await call("PATCH", `/conversations/${id}`, { status: "resolved" });
  const thread = page.getByRole("log", { name: "Messages" });
  await thread.getByText(/Now Resolved/).waitFor();
  await page.getByText("Everybody has an answer").waitFor();
  await page.getByRole("button", { name: "Reopen" }).click();
  await page.getByRole("button", { name: "Resolve" }).waitFor();
  await thread.getByText(/Now Active \(Admin\)/).waitFor();
  await page.getByRole("link", { name: /Ana/ }).waitFor();
  expect(await status()).toBe("active");
  await page.keyboard.press("e");
  const reopen = page.getByRole("button", { name: "Reopen" });
  await reopen.waitFor();
  await expect.poll(status).toBe("resolved");
  // A key is meant for the next conversation while that one is searched for, and does nothing.
  const isClosed = async (): Promise<boolean> => {
    if (await reopen.isVisible()) await page.keyboard.press("e");
    return await reopen.isVisible();
  };
  await expect.poll(isClosed).toBe(false);
  await page.getByRole("button", { name: "Resolve" }).waitFor();
  await expect.poll(status).toBe("active");
});

/** A pipeline with two stages. */
const makePipeline = async () =>
  await call("POST", "/pipelines", { name: "Sales", stages: ["New", "Won"] });

test("where there is no room for the contact, s opens it and is at the stage at once", async () => {
  const pipeline = await makePipeline();
  const { id, page } = await openConversation({ width: 1_000, height: 800 });
  const drawer = page.getByRole("dialog", { name: "Contact" });
  const stage = drawer.getByRole("combobox", { name: "Stage" });
  const { contact_id } = await call("GET", `/conversations/${id}`);
  await call("POST", `/contacts/${contact_id}/stage`, { stage_id: pipeline.stages[0].id });
  // Also where it is hidden: a stage that came while one types would take the place of the letters.
  await expect.poll(async () => await page.getByLabel("Stage").first().inputValue()).toBe("New");
  await page.keyboard.press("s");
  await page.getByRole("option", { name: "Won" }).waitFor();
  await expectFocus(stage);
  // What stands there goes as one types.
  await chooseByKeys(page, "Won", "Won");
  await expect.poll(async () => await stage.inputValue()).toBe("Won");
  await page.keyboard.press("Escape");
  await drawer.waitFor({ state: "detached" });
  await page.getByText("Now in Won (Sales)").waitFor();
  // At once or gliding in, the second time is like the first, and leaves the focus where it was.
  const before = page.getByRole("button", { name: "Resolve" });
  await before.focus();
  for (const reducedMotion of ["reduce", "no-preference"] as const) {
    await page.emulateMedia({ reducedMotion });
    await page.keyboard.press("s");
    await page.getByRole("option", { name: "New" }).waitFor();
    await expectFocus(stage);
    await expect.poll(async () => await selectedText(page)).toBe("Won");
    await page.keyboard.press("Escape");
    await page.getByRole("option", { name: "New" }).waitFor({ state: "detached" });
    await page.keyboard.press("Escape");
    await drawer.waitFor({ state: "detached" });
    await expectFocus(before);
  }
});

test("on a phone a opens the contact, and is at the assignee at once", async () => {
  const { id, page } = await openConversation({ width: 390, height: 844 });
  await page.keyboard.press("a");
  const drawer = page.getByRole("dialog", { name: "Contact" });
  const assignee = drawer.getByRole("combobox", { name: "Assigned to" });
  await page.getByRole("option", { name: "Admin" }).waitFor();
  await expectFocus(assignee);
  await page.keyboard.type("Adm");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect
    .poll(async () => (await call("GET", `/conversations/${id}`)).assigned_to_user_id)
    .toBe(own.account.userId);
});

test("the button of the contact opens it as before: nothing asks for a stage", async () => {
  await makePipeline();
  const { page } = await openConversation({ width: 1_000, height: 800 });
  await page.getByRole("button", { name: "Contact" }).click();
  const drawer = page.getByRole("dialog", { name: "Contact" });
  await drawer.getByRole("combobox", { name: "Stage" }).waitFor();
  await drawer.locator(":focus").waitFor();
  expect(await page.getByRole("option").count()).toBe(0);
});

test("without a pipeline s has nothing to choose, and opens nothing", async () => {
  const { page } = await openConversation({ width: 1_000, height: 800 });
  await page.keyboard.press("s");
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keys" }).waitFor();
  expect(await page.getByRole("dialog").count()).toBe(1);
});
