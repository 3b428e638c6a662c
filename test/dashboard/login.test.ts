import { expect, test } from "vitest";
import { testPassword } from "../support/accounts.ts";
import { startDashboard } from "../support/dashboard-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(startDashboard);

test("whoever is not logged in comes to the login, and after it to where they wanted", async () => {
  const { page, faults } = await fixture.open("/settings/users?from=mail", { as: null });
  await page.waitForURL("**/login?next=%2Fsettings%2Fusers%3Ffrom%3Dmail");
  await page.getByLabel("Email").fill(fixture.account.email);
  await page.getByRole("textbox", { name: "Password" }).fill(testPassword);
  await page.getByRole("button", { name: "Log in" }).click();
  await page.waitForURL("**/settings/users?from=mail");
  await page.getByRole("heading", { name: "People" }).waitFor();
  // The look at who is logged in answers 401 before the login, which browsers write down.
  expect(faults).toEqual([expect.stringContaining("401")]);
});

test.each([
  "//evil.example/inbox",
  "/\\evil.example",
  "/\t/evil.example",
  "/.//evil.example",
  "https://evil.example",
  "javascript:alert(1)",
])("a login never leads to another site: next=%s", async (next) => {
  const { page, faults } = await fixture.open(`/login?next=${encodeURIComponent(next)}`);
  await page.waitForURL(`${fixture.api.url}/inbox`);
  expect(faults).toEqual([]);
});

test("a wrong password is told in words, and what was typed stays", async () => {
  const { page } = await fixture.open("/login", { as: null });
  await page.getByLabel("Email").fill(fixture.account.email);
  await page.getByRole("textbox", { name: "Password" }).fill("not this one");
  await page.getByRole("textbox", { name: "Password" }).press("Enter");
  await page.getByText("Email and password do not match.").waitFor();
  expect(await page.getByLabel("Email").inputValue()).toBe(fixture.account.email);
});
