import { expect, test } from "vitest";
import { expectFocus, installClock } from "../support/browser.ts";
import { createTestAccount, testPassword } from "../support/accounts.ts";
import { startDashboard } from "../support/dashboard-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(startDashboard);

interface MemberRow {
  id: number;
  email: string;
  role: string;
  disabled_at: string | null;
}

async function memberOf(email: string): Promise<MemberRow | undefined> {
  const { json } = await fixture.call("GET", "/users");
  return json.data.find((row: MemberRow) => row.email === email);
}

test("an admin invites a person by a link that is shown once; it makes a login, a role and a name", async () => {
  const { page } = await fixture.open("/settings/users");
  await page.getByRole("button", { name: "Invite a person" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Email").fill("Luis@Example.com");
  await dialog.getByRole("button", { name: "Make the link" }).click();
  const link = await page.getByLabel("Link", { exact: true }).innerText();
  await page.getByRole("dialog").getByRole("button", { name: "Done" }).click();
  await page.getByText("luis@example.com").waitFor();
  expect(await page.content()).not.toContain(link);

  const fragment = new URL(link).hash;
  const guest = await fixture.open(`/link${fragment}`, { as: null });
  await guest.page.getByLabel("Your name").waitFor();
  expect(guest.page.url()).toBe(`${fixture.api.url}/link`);
  await guest.page.reload();
  await guest.page.getByLabel("Your name").fill("Luis Prado");
  await guest.page.getByRole("textbox", { name: "New password" }).fill("a long password of mine");
  await guest.page.getByRole("button", { name: "Join and log in" }).click();
  await guest.page.waitForURL("**/inbox");
  expect(await memberOf("luis@example.com")).toMatchObject({ role: "agent", disabled_at: null });

  const again = await fixture.open(`/link${fragment}`, { as: null });
  await again.page.getByRole("heading", { name: "This link opens nothing" }).waitFor();
});

test("a person with a login elsewhere joins with it, and the page of people marks unproved addresses", async () => {
  const known = await createTestAccount(fixture.database.dataSource);
  const body = { email: known.email, role: "agent", name: null };
  const { json } = await fixture.call("POST", "/invitations", body);
  const { page } = await fixture.open("/login", { as: null });
  await page.goto(fixture.api.url + "/link" + new URL(json.data.url).hash);
  await page.getByLabel("Your name").waitFor();
  await page.getByRole("button", { name: "I have a login with this address" }).click();
  await page.getByLabel("Your name").waitFor({ state: "detached" });
  const password = page.getByRole("textbox", { name: "Your password" });
  await password.fill("not mine");
  await page.getByRole("button", { name: "Join and log in" }).click();
  await page.getByRole("alert").waitFor();
  await password.fill(testPassword);
  await page.getByRole("button", { name: "Join and log in" }).click();
  await page.waitForURL("**/inbox");
  expect((await memberOf(known.email))?.id).toBe(known.userId);

  const people = await fixture.open("/settings/users");
  const row = (name: string) => people.page.getByRole("row", { name });
  await row("luis@example.com").getByText("Address not confirmed").waitFor();
  expect(await row(known.email).getByText("Address not confirmed").count()).toBe(0);
});

test("an invitation sent again without a mail server shows its link, although its row changes", async () => {
  const body = { email: "eva@example.com", role: "agent", name: null };
  const { json } = await fixture.call("POST", "/invitations", body);
  // As when the server sent mails once.
  await fixture.database.dataSource.query(
    `INSERT INTO mails (account_id, kind, state, user_link_id, due_at)
     VALUES (?, 'invitation', 'failed', ?, NOW(3))`,
    [fixture.account.accountId, json.data.id],
  );
  const { page } = await fixture.open("/settings/users");
  const actions = page.getByRole("button", { name: "Actions for eva@example.com" });
  await actions.click();
  await page.getByRole("menuitem", { name: "Send again" }).click();
  const link = await page.getByLabel("Link", { exact: true }).innerText();
  await page.getByText("The mail could not be sent").waitFor({ state: "detached" });
  expect(
    await page.getByRole("dialog").getByText("Send this link to eva@example.com").count(),
  ).toBe(1);
  expect(await page.getByText("A mail with the link is on its way").count()).toBe(0);
  const guest = await fixture.open(`/link${new URL(link).hash}`, { as: null });
  await guest.page.getByLabel("Your name").waitFor();
});

test("an admin gives a person another role, disables them after asking, and enables them again", async () => {
  const { page } = await fixture.open("/settings/users");
  const role = page.getByRole("combobox", { name: "Role of Luis Prado" });
  await role.click();
  const saved = page.waitForResponse((response) => response.request().method() === "PATCH");
  await page.getByRole("option", { name: "Admin" }).click();
  await saved;
  expect(await memberOf("luis@example.com")).toMatchObject({ role: "admin" });
  await expectFocus(role);

  await page.getByRole("button", { name: "Actions for Luis Prado" }).click();
  await page.getByRole("menuitem", { name: "Disable" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Disable" }).click();
  await page.getByText("Disabled", { exact: true }).waitFor();
  expect((await memberOf("luis@example.com"))?.disabled_at).not.toBeNull();

  await page.getByRole("button", { name: "Actions for Luis Prado" }).click();
  await page.getByRole("menuitem", { name: "Enable" }).click();
  await page.getByText("Disabled", { exact: true }).waitFor({ state: "detached" });
  expect((await memberOf("luis@example.com"))?.disabled_at).toBeNull();
});

test("a link for a new password is shown once and sets it", async () => {
  const { page } = await fixture.open("/settings/users");
  await page.getByRole("button", { name: "Actions for Luis Prado" }).click();
  await page.getByRole("menuitem", { name: "Make a link for a new password" }).click();
  const link = await page.getByLabel("Link", { exact: true }).innerText();
  const guest = await fixture.open(`/link${new URL(link).hash}`, { as: null });
  await guest.page.getByRole("textbox", { name: "New password" }).fill("another long password");
  await guest.page.getByRole("button", { name: "Save and log in" }).click();
  await guest.page.waitForURL("**/inbox");
  const login = await fixture.api.call("POST", "/dashboard/api/session", {
    body: { email: "luis@example.com", password: "another long password" },
  });
  expect(login.status).toBe(200);
});

test("a person who changed meanwhile stays as they are, and the page says why", async () => {
  const { page } = await fixture.open("/settings/users");
  const luis = await memberOf("luis@example.com");
  await page.getByRole("button", { name: "Actions for Luis Prado" }).waitFor();
  await fixture.call("PATCH", `/users/${luis?.id}`, { disabled: true });
  await page.getByRole("button", { name: "Actions for Luis Prado" }).click();
  await page.getByRole("menuitem", { name: "Make a link for a new password" }).click();
  await page.getByText("This person is disabled. Enable them first.").waitFor();
  expect(await page.getByRole("dialog").count()).toBe(0);
});

test("a link that cannot be read just now is read again on a click; its form stays through trouble", async () => {
  const body = { email: "rosa@example.com", role: "agent", name: null };
  const { json } = await fixture.call("POST", "/invitations", body);
  const { page } = await fixture.open("/login", { as: null });
  await installClock(page);
  const fail = { success: false, error: { code: "internal_error", message: "no", details: null } };
  await page.route(
    "**/links/read",
    async (route) => await route.fulfill({ status: 500, json: fail }),
  );
  const { pathname, hash } = new URL(json.data.url);
  await page.goto(fixture.api.url + pathname + hash);
  await page.getByRole("heading", { name: "This could not be loaded" }).waitFor();
  await page.unroute("**/links/read");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByLabel("Your name").fill("Rosa");

  await page.route(
    "**/links/**",
    async (route) => await route.fulfill({ status: 500, json: fail }),
  );
  await page.clock.runFor(60_000);
  await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
  await page.clock.runFor(1_000);
  await page.waitForLoadState("networkidle");
  expect(await page.getByLabel("Your name").inputValue()).toBe("Rosa");
  await page.unroute("**/links/**");
  await page.getByRole("textbox", { name: "New password" }).fill("a long password of hers");
  await page.getByRole("button", { name: "Join and log in" }).click();
  await page.waitForURL("**/inbox");
  expect(await memberOf("rosa@example.com")).toMatchObject({ role: "agent" });
});

test("a link that was cut off opens nothing", async () => {
  const { page } = await fixture.open("/link", { as: null });
  await page.getByRole("heading", { name: "This link opens nothing" }).waitFor();
  expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(0);
  await page.getByRole("link", { name: "Go to the login" }).click();
  await page.waitForURL("**/login");
});
