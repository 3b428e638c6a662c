import { expect, test } from "vitest";
import { createTestAccount, testPassword } from "../support/accounts.ts";
import { startDashboard } from "../support/dashboard-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(startDashboard);

test("a person changes their language, and the whole page follows", async () => {
  const { page } = await fixture.open("/settings/profile");
  await page.getByRole("combobox", { name: "Language" }).click();
  await page.getByRole("option", { name: "Español" }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { name: "Tu perfil" }).waitFor();
  expect(await page.locator("html").getAttribute("lang")).toBe("es");
  expect((await fixture.call("GET", "/me")).json.data.locale).toBe("es");
  await fixture.call("PATCH", "/me", { locale: "en" });
});

test("a wrong current password is told beside its field; the right one changes it and ends other logins", async () => {
  const other = await createTestAccount(fixture.database.dataSource);
  const { page } = await fixture.open("/settings/profile", { as: other.cookie });
  const fill = async (current: string): Promise<void> => {
    await page.getByRole("textbox", { name: "Current password" }).fill(current);
    await page.getByRole("textbox", { name: "New password" }).fill("a better password");
    await page.getByRole("button", { name: "Change password" }).click();
  };
  await fill("no password of mine");
  await page.getByText("This is not your current password.").waitFor();
  await fill(testPassword);
  await page.getByText("Your password is changed; every other login has ended.").waitFor();
  const login = async (password: string): Promise<number> => {
    const body = { email: other.email, password };
    return (await fixture.api.call("POST", "/dashboard/api/session", { body })).status;
  };
  expect([await login(testPassword), await login("a better password")]).toEqual([401, 200]);
  expect(
    (await fixture.api.call("GET", "/dashboard/api/session", { cookie: other.cookie })).status,
  ).toBe(401);
});

test("ending another login logs its browser out at the next look, and it keeps its URL", async () => {
  const other = await createTestAccount(fixture.database.dataSource);
  const { page } = await fixture.open("/settings/users", { as: other.cookie });
  await page.getByRole("heading", { name: "People" }).waitFor();
  const body = { email: other.email, password: testPassword };
  const login = await fixture.api.call("POST", "/dashboard/api/session", { body });
  const cookie = String(login.headers.get("set-cookie")).split(";")[0] ?? "";
  const mine = await fixture.open("/settings/profile", { as: cookie });
  await mine.page.getByRole("button", { name: "End all others" }).click();
  await mine.page.getByText("1 login has ended.").waitFor();

  // A look in the background may have led to the login page already, where there is no menu.
  await page.goto(new URL("/settings/profile", page.url()).href);
  await page.waitForURL("**/login?next=%2Fsettings%2Fprofile");
  expect((await fixture.api.call("GET", "/dashboard/api/session", { cookie })).status).toBe(200);
});

test("a login is ended from another one; where that is refused, it stays and the page says why", async () => {
  const other = await createTestAccount(fixture.database.dataSource);
  const { page } = await fixture.open("/settings/profile", { as: other.cookie });
  const body = { email: other.email, password: testPassword };
  const login = await fixture.api.call("POST", "/dashboard/api/session", { body });
  const cookie = String(login.headers.get("set-cookie")).split(";")[0] ?? "";
  const status = async () =>
    (await fixture.api.call("GET", "/dashboard/api/session", { cookie })).status;
  await page.reload();
  const end = page.getByRole("button", { name: /^End the login of/ });
  await page.route("**/me/sessions/*", async (route) => await route.abort());
  await end.click();
  await page.getByText("The login goes on").waitFor();
  await page.getByText("The server did not answer.").waitFor();
  expect(await status()).toBe(200);
  await page.unroute("**/me/sessions/*");
  await end.click();
  await end.waitFor({ state: "detached" });
  expect(await status()).toBe(401);
});

test("logging out ends the login and forgets drafts", async () => {
  const other = await createTestAccount(fixture.database.dataSource);
  const { page } = await fixture.open("/settings/profile", { as: other.cookie });
  await page.evaluate("localStorage.setItem('parley.draft.1', 'Dear Ana')");
  await page.getByRole("button", { name: /Your menu/ }).click();
  await page.getByRole("menuitem", { name: "Log out" }).click();
  await page.waitForURL("**/login");
  expect(await page.evaluate("localStorage.getItem('parley.draft.1')")).toBeNull();
  expect(
    (await fixture.api.call("GET", "/dashboard/api/session", { cookie: other.cookie })).status,
  ).toBe(401);
});

test("a login that ends elsewhere forgets drafts, and so does another person's login", async () => {
  const first = await createTestAccount(fixture.database.dataSource);
  const { page } = await fixture.open("/settings/profile", { as: first.cookie });
  await page.getByRole("heading", { name: "Your profile" }).waitFor();
  const draft = async () => await page.evaluate("localStorage.getItem('parley.draft.1')");
  await page.evaluate("localStorage.setItem('parley.draft.1', 'Dear Ana')");
  await page.reload();
  await page.getByRole("heading", { name: "Your profile" }).waitFor();
  expect(await draft()).toBe("Dear Ana");
  await fixture.database.dataSource.query("DELETE FROM sessions WHERE user_id = ?", [first.userId]);
  // The page may have gone to the login by itself.
  const contacts = page.getByRole("link", { name: "Contacts" });
  await contacts.click({ timeout: 5_000 }).catch(() => undefined);
  await page.waitForURL("**/login*");
  expect(await draft()).toBeNull();

  // The login of the first person ended while no page was open.
  await page.evaluate("localStorage.setItem('parley.draft.1', 'Dear Ana')");
  const second = await createTestAccount(fixture.database.dataSource);
  const [name = "", value = ""] = second.cookie.split("=");
  await page.context().addCookies([{ name, value, url: fixture.api.url }]);
  await page.goto(`${fixture.api.url}/settings/profile`);
  await page.getByRole("heading", { name: "Your profile" }).waitFor();
  expect(await draft()).toBeNull();
});

test("every page is reached by keyboard from the command palette, and the theme can be chosen", async () => {
  const { page } = await fixture.open("/settings/profile");
  await page.getByRole("heading", { name: "Your profile" }).waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("textbox", { name: "Search or jump to…" }).fill("People");
  await page.getByRole("textbox", { name: "Search or jump to…" }).press("Enter");
  await page.waitForURL("**/settings/users");
  await page.keyboard.press("Control+k");
  await page.getByRole("textbox", { name: "Search or jump to…" }).fill("dark");
  await page.getByRole("textbox", { name: "Search or jump to…" }).press("Enter");
  await page.locator("html[data-mantine-color-scheme=dark]").waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "People" }).waitFor();
  expect(await page.locator("html").getAttribute("data-mantine-color-scheme")).toBe("dark");
});

test("without a mail server no mail can be chosen, and the page says what to set", async () => {
  const { page } = await fixture.open("/settings/profile");
  await page
    .getByText("No mail server is set up. Ask whoever runs Parley to set SMTP_URL.")
    .waitFor();
  const mail = page.getByRole("checkbox", { name: "A conversation needs a person: Email" });
  expect(await mail.isDisabled()).toBe(true);
});
