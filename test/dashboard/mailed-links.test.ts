import { expect, test } from "vitest";
import { createTestAccount } from "../support/accounts.ts";
import { expectFocus } from "../support/browser.ts";
import { startDashboard } from "../support/dashboard-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

// No worker sends mails: the page shows their state in MySQL.
const fixture = useFixture(async () => await startDashboard({ SMTP_URL: "smtp://127.0.0.1:9" }));

const setMails = async (state: string) =>
  await fixture.database.dataSource.query("UPDATE mails SET state = ?", [state]);

test("an invitation goes by mail; one that could not be sent is shown and sent again", async () => {
  const { page } = await fixture.open("/settings/users");
  await page.getByRole("button", { name: "Invite a person" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Email").fill("luis@example.com");
  await dialog.getByRole("button", { name: "Send the invitation" }).click();
  await page.getByText("A mail with the link is on its way to luis@example.com.").waitFor();
  await page.getByText("The mail is on its way", { exact: true }).waitFor();
  await setMails("failed");
  await page.getByText("The mail could not be sent").waitFor();
  await page.getByRole("button", { name: "Actions for luis@example.com" }).click();
  await page.getByRole("menuitem", { name: "Send again" }).click();
  await page.getByText("The mail is on its way", { exact: true }).waitFor();
  const rows = await fixture.database.dataSource.query("SELECT state FROM mails ORDER BY id");
  expect(rows).toEqual([{ state: "failed" }, { state: "queued" }]);
});

test("a link for a new password goes by mail, as its action says", async () => {
  const { page } = await fixture.open("/settings/users");
  const other = await createTestAccount(fixture.database.dataSource);
  await fixture.database.dataSource.query(
    "INSERT INTO memberships (account_id, user_id, role) VALUES (?, ?, 'agent')",
    [fixture.account.accountId, other.userId],
  );
  await page.reload();
  await page.getByRole("row", { name: other.email }).getByRole("button").click();
  await page.getByRole("menuitem", { name: "Mail a link for a new password" }).click();
  await page.getByText(`A mail with the link is on its way to ${other.email}.`).waitFor();
  expect(await page.getByRole("dialog").count()).toBe(0);
});

test("whoever forgot their password asks for a mail at the login", async () => {
  const { page } = await fixture.open("/login", { as: null });
  await page.getByRole("button", { name: "Forgot it?" }).click();
  await page.getByLabel("Email").fill(fixture.account.email);
  await page.getByRole("button", { name: "Mail me a link" }).click();
  await page.getByText("If this address has a login, a mail with a link is on its way.").waitFor();
  const rows = await fixture.database.dataSource.query(
    "SELECT kind, state FROM mails ORDER BY id DESC LIMIT 1",
  );
  expect(rows).toEqual([{ kind: "password_reset", state: "queued" }]);
  await page.getByRole("button", { name: "Go to the login" }).click();
  await page.getByRole("heading", { name: "Welcome back" }).waitFor();
});

test("a person turns on the mail about a conversation that needs them, with the keyboard", async () => {
  const { page } = await fixture.open("/settings/profile");
  const mail = page.getByRole("checkbox", { name: "A conversation needs a person: Email" });
  await page.getByText(`Emails go to ${fixture.account.email}`).waitFor();
  const stored = async () => {
    const { json } = await fixture.call("GET", "/me/notification-preferences");
    const all: { kind: string; email: boolean }[] = json.data;
    return all.find(({ kind }) => kind === "conversation_handed_off")?.email;
  };
  expect([await mail.isChecked(), await stored()]).toEqual([false, false]);
  await mail.focus();
  await page.keyboard.press("Space");
  await expect.poll(stored).toBe(true);
  expect(await mail.isChecked()).toBe(true);
  await expectFocus(mail);
  await page.reload();
  await mail.waitFor();
  expect(await mail.isChecked()).toBe(true);
  await mail.click();
  await expect.poll(async () => await mail.isChecked()).toBe(false);
  await expect.poll(stored).toBe(false);
});

test("a person whose address is not confirmed reads why there are no mails", async () => {
  const { dataSource } = fixture.database;
  const other = await createTestAccount(dataSource);
  const sql = "UPDATE users SET unconfirmed_account_id = ? WHERE id = ?";
  await dataSource.query(sql, [other.accountId, other.userId]);
  const { page } = await fixture.open("/settings/profile", { as: other.cookie });
  await page.getByText("Your address is not confirmed.").waitFor();
  const mail = page.getByRole("checkbox", { name: "A conversation needs a person: Email" });
  expect(await mail.isDisabled()).toBe(true);
});
