import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { createMember } from "../../core/services/accounts/users.ts";
import { asSystem } from "../support/accounts.ts";
import { contentOf, expectFocus, isFocused } from "../support/browser.ts";
import { setUpOwnAccounts } from "../support/own-accounts.ts";

/** From the sidebar through a page and back, by the keys alone: what Tab does not reach is not there. */
const own = setUpOwnAccounts();

/** Opens a page from the inbox by its link in the sidebar, or by the links that lead there. */
async function go(...names: string[]): Promise<Page> {
  const page = await own.open("/inbox");
  for (const name of names) {
    await tabTo(page, page.getByRole("link", { name, exact: true }));
    await page.keyboard.press("Enter");
  }
  const name = names.at(-1) ?? "";
  await page.getByRole("heading", { name, level: 1 }).waitFor();
  return page;
}

/** Whether the focus is in the dialog that is open, which takes it a moment after it is there. */
const dialogHasFocus = async (page: Page): Promise<boolean> =>
  await page.evaluate<boolean>(`(() => {
    const dialog = document.querySelector("[role=dialog]");
    return dialog === null || dialog.contains(document.activeElement);
  })()`);

/** Goes on by Tab until the focus is there. */
async function tabTo(page: Page, to: Locator): Promise<void> {
  await to.waitFor();
  await expect.poll(async () => await dialogHasFocus(page)).toBe(true);
  for (let presses = 0; presses < 60 && !(await isFocused(to)); presses += 1) {
    await page.keyboard.press("Tab");
  }
  await expectFocus(to);
}

async function press(page: Page, on: Locator, key = "Enter"): Promise<void> {
  await tabTo(page, on);
  await page.keyboard.press(key);
}

/** Takes an entry of the menu that a button opens. */
async function take(page: Page, from: Locator, entry: string): Promise<void> {
  await press(page, from);
  const item = page.getByRole("menuitem", { name: entry });
  await item.waitFor();
  for (let presses = 0; presses < 5 && !(await isFocused(item)); presses += 1) {
    await page.keyboard.press("ArrowDown");
  }
  await expectFocus(item);
  await page.keyboard.press("Enter");
}

/** Takes the option above the one that is chosen. */
async function chooseAbove(page: Page, from: Locator, option: string): Promise<void> {
  await press(page, from, "ArrowDown");
  await page.getByRole("option", { name: option }).waitFor();
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await expect.poll(async () => await from.inputValue()).toBe(option);
}

async function rows<Row>(sql: string): Promise<Row[]> {
  return await own.fixture.database.dataSource.query<Row[]>(sql, [own.account.accountId]);
}

/** The status that API v1 answers a key that reads contacts with. */
async function statusWith(apiKey: string): Promise<number> {
  return (await own.fixture.api.call("GET", "/api/v1/contacts", { apiKey })).status;
}

test("by keyboard alone a person is invited, and the invitation withdrawn", async () => {
  const page = await go("Settings", "People");
  const dialog = page.getByRole("dialog");
  const invite = page.getByRole("button", { name: "Invite a person" });
  await press(page, invite);
  await expectFocus(dialog.getByLabel("Email"));
  await page.keyboard.press("Escape");
  await expectFocus(invite);
  await page.keyboard.press("Enter");
  await expectFocus(dialog.getByLabel("Email"));
  await page.keyboard.type("luis@example.com");
  await chooseAbove(page, dialog.getByRole("combobox", { name: "Role" }), "Admin");
  await press(page, dialog.getByRole("button", { name: "Make the link" }));
  await press(page, dialog.getByRole("button", { name: "Done" }));
  await expectFocus(invite);

  const links = async () =>
    await rows<{ email: string; role: string; revoked: number }>(
      "SELECT email, role, revoked_at IS NOT NULL AS revoked FROM user_links WHERE account_id = ?",
    );
  const link = { email: "luis@example.com", role: "admin" };
  expect(await links()).toEqual([{ ...link, revoked: 0 }]);
  const actions = page.getByRole("button", { name: "Actions for luis@example.com" });
  await take(page, actions, "Withdraw");
  await dialog
    .getByRole("heading", { name: "Withdraw the invitation of luis@example.com?" })
    .waitFor();
  await press(page, dialog.getByRole("button", { name: "Withdraw" }));
  await actions.waitFor({ state: "detached" });
  await expectFocus(contentOf(page));
  expect(await page.getByRole("heading", { name: "Open invitations" }).count()).toBe(0);
  expect(await links()).toEqual([{ ...link, revoked: 1 }]);
});

test("by keyboard alone a person is given another role, disabled after asking, and enabled again", async () => {
  const rosa = { email: "rosa@example.com", name: "Rosa", passwordHash: "none" };
  await asSystem(own.fixture.database.dataSource, own.account.accountId, async (tx) => {
    await createMember(tx, { ...rosa, role: "agent" });
  });
  const member = async () => {
    const [row] = await rows<{ role: string; disabled: number }>(
      `SELECT role, disabled_at IS NOT NULL AS disabled FROM memberships
        WHERE account_id = ? ORDER BY id DESC LIMIT 1`,
    );
    return row;
  };
  const page = await go("Settings", "People");
  const role = page.getByRole("combobox", { name: "Role of Rosa" });
  await press(page, role, "ArrowDown");
  await page.getByRole("option", { name: "Admin" }).waitFor();
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await expect.poll(member).toEqual({ role: "admin", disabled: 0 });
  await expectFocus(role);

  const actions = page.getByRole("button", { name: "Actions for Rosa" });
  const dialog = page.getByRole("dialog");
  await take(page, actions, "Disable");
  await press(page, dialog.getByRole("button", { name: "Cancel" }));
  await expectFocus(actions);
  expect(await member()).toEqual({ role: "admin", disabled: 0 });
  // The menu, which goes at once above, then goes bit by bit.
  await page.emulateMedia({ reducedMotion: "no-preference" });
  await take(page, actions, "Disable");
  await press(page, dialog.getByRole("button", { name: "Disable" }));
  await expectFocus(actions);
  expect(await member()).toEqual({ role: "admin", disabled: 1 });
  await take(page, actions, "Enable");
  await expect.poll(member).toEqual({ role: "admin", disabled: 0 });
});

test("by keyboard alone a key is made, given a successor, and revoked after asking", async () => {
  const page = await go("API keys");
  const dialog = page.getByRole("dialog");
  const make = page.getByRole("button", { name: "Create key" });
  await press(page, make);
  await expectFocus(dialog.getByLabel("Name"));
  await page.keyboard.type("CRM");
  await press(page, dialog.getByLabel("List, search and read contacts"), "Space");
  await press(page, dialog.getByRole("button", { name: "Create", exact: true }));
  const shown = page.getByLabel("Key", { exact: true });
  const first = await shown.innerText();
  await press(page, dialog.getByRole("button", { name: "Done" }));
  await expectFocus(make);
  expect(await statusWith(first)).toBe(200);

  const actions = page.getByRole("button", { name: "Actions for CRM" });
  await take(page, actions, "Rotate key");
  const overlap = dialog.getByRole("combobox", { name: "The old key works for" });
  await chooseAbove(page, overlap, "1 hour");
  await press(page, dialog.getByRole("button", { name: "Rotate key" }));
  const second = await shown.innerText();
  await press(page, dialog.getByRole("button", { name: "Done" }));
  await expectFocus(actions.last());
  expect([await statusWith(first), await statusWith(second)]).toEqual([200, 200]);

  // The successor stands above the old key.
  await take(page, actions.last(), "Revoke");
  await press(page, dialog.getByRole("button", { name: "Revoke" }));
  await page.getByText("Revoked", { exact: true }).waitFor();
  // What could be done with the key went with it.
  await expectFocus(page.getByRole("region", { name: "API keys" }));
  await expect.poll(async () => await statusWith(first)).toBe(401);
  expect(await statusWith(second)).toBe(200);
  const revoked = "SELECT id FROM api_keys WHERE account_id = ? AND revoked_at IS NOT NULL";
  expect(await rows(revoked)).toHaveLength(1);
});
