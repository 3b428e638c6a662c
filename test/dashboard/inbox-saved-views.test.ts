import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { createTestAccount } from "../support/accounts.ts";
import { setUpOwnAccounts } from "../support/own-accounts.ts";

const own = setUpOwnAccounts();
const { call, open } = own;

/** A customer writes. @returns the conversation's id. */
async function write(name: string, channel: string): Promise<number> {
  const body = { channel, from: name, name, text: "Hello" };
  return Number((await call("POST", "/sandbox/messages", body)).conversation_id);
}

const views = (page: Page) => page.getByRole("list", { name: "Views" });

/** A click on an entry of the list's menu. */
async function choose(page: Page, entry: string): Promise<void> {
  await page.getByRole("button", { name: "List options" }).click();
  await page.getByRole("menuitem", { name: entry, exact: true }).click();
}

async function namesIn(page: Page): Promise<string[]> {
  const rows = page.getByRole("region", { name: "Conversations" }).locator("a[href^='/inbox/']");
  return (await rows.allInnerTexts()).map((text) => text.split("\n")[0] ?? "");
}

test("a view is saved with its filters, and is a link with a live count for whoever sees it", async () => {
  await write("Ana", "instagram");
  await write("Benito", "web");
  const page = await open("/inbox?channel=instagram&order=newest");
  await expect.poll(async () => await namesIn(page)).toEqual(["Ana"]);
  await choose(page, "Save as a view…");
  const dialog = page.getByRole("dialog", { name: "Save as a view" });
  await dialog.getByRole("textbox", { name: "Name" }).fill("Insta first");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.waitForURL(/\/inbox\?view=\d+$/);
  await page.getByRole("heading", { name: "Insta first", level: 2 }).waitFor();
  await views(page).getByRole("link", { name: "Insta first 1" }).waitFor();
  expect(await namesIn(page)).toEqual(["Ana"]);
  await write("Carla", "instagram");
  await views(page).getByRole("link", { name: "Insta first 2" }).waitFor();
  await expect.poll(async () => await namesIn(page)).toEqual(["Carla", "Ana"]);
  await page.reload();
  await expect.poll(async () => await namesIn(page)).toEqual(["Carla", "Ana"]);
});

test("a shared view appears, changes and goes on the pages of the others, as it happens", async () => {
  await write("Ana", "instagram");
  await write("Benito", "web");
  const admin = own.account;
  const colleague = await createTestAccount(own.fixture.database.dataSource);
  const { dataSource } = own.fixture.database;
  await dataSource.query(
    "INSERT INTO memberships (account_id, user_id, role) VALUES (?, ?, 'agent')",
    [admin.accountId, colleague.userId],
  );
  await dataSource.query("UPDATE sessions SET account_id = ? WHERE user_id = ?", [
    admin.accountId,
    colleague.userId,
  ]);
  const page = await open("/inbox?channel=instagram");
  const other = await open("/inbox", { as: colleague.cookie });
  await expect.poll(async () => await namesIn(other)).toEqual(["Ana", "Benito"]);
  await choose(page, "Save as a view…");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Name" }).fill("Social");
  await dialog.getByRole("checkbox", { name: "Share with everybody" }).check();
  await dialog.getByRole("button", { name: "Save" }).click();
  await views(other).getByRole("link", { name: "Social" }).click();
  await expect.poll(async () => await namesIn(other)).toEqual(["Ana"]);
  await other.getByRole("button", { name: "List options" }).click();
  await other.getByRole("menuitem", { name: "Keys" }).waitFor();
  // Somebody else's view: an agent neither renames nor deletes it.
  expect(await other.getByRole("menuitem", { name: "Rename or share…" }).count()).toBe(0);
  await other.keyboard.press("Escape");

  await choose(page, "Rename or share…");
  await dialog.getByRole("textbox", { name: "Name" }).fill("Instagram");
  await dialog.getByRole("button", { name: "Save" }).click();
  await other.getByRole("heading", { name: "Instagram", level: 2 }).waitFor();

  await page.getByRole("button", { name: "Remove the filter Instagram" }).click();
  await expect.poll(async () => await namesIn(page)).toEqual(["Ana", "Benito"]);
  await choose(page, "Update “Instagram”");
  await expect.poll(async () => await namesIn(other)).toEqual(["Ana", "Benito"]);

  await choose(page, "Delete this view…");
  await page.getByRole("dialog", { name: "Delete Instagram?" }).waitFor();
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await page.waitForURL("**/inbox");
  await other.getByText("This view is gone").first().waitFor();
  await views(other).getByRole("link", { name: "Needs answer" }).click();
  await expect.poll(async () => await namesIn(other)).toEqual(["Ana", "Benito"]);
});

test("the head of a view counts as its link does, also where a row of a later page comes first", async () => {
  const names = Array.from({ length: 60 }, (_, index) => `Customer ${String(index + 10)}`);
  for (const name of names) await write(name, "instagram");
  const filter = { channel: "instagram" };
  const { id } = await call("POST", "/inbox-views", {
    name: "Insta",
    view: "all",
    filter,
    order: "newest",
    shared: false,
  });
  const page = await open(`/inbox?view=${id}`);
  const head = page.getByRole("heading", { name: "Insta", level: 2 }).locator("..");
  await views(page).getByRole("link", { name: "Insta 60" }).waitFor();
  await head.getByText("60", { exact: true }).waitFor();
  // It is on the second page, which is not loaded.
  await write("Customer 10", "instagram");
  await expect.poll(async () => (await namesIn(page))[0]).toBe("Customer 10");
  expect(await head.getByText("60", { exact: true }).count()).toBe(1);
});
