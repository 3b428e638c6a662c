import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { createTestAccount } from "../support/accounts.ts";
import { installClock } from "../support/browser.ts";
import { startDashboard } from "../support/dashboard-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

const run = promisify(execFile);
const fixture = useFixture(startDashboard);

/** How API v1 answers a key that reads contacts. */
async function statusWith(apiKey: string): Promise<number> {
  return (await fixture.api.call("GET", "/api/v1/contacts", { apiKey })).status;
}

test("a key is made with what it may, shown once, and works; it is revoked after asking", async () => {
  const { page } = await fixture.open("/api-keys");
  await page.getByRole("button", { name: "Create key" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("CRM");
  await dialog.getByRole("button", { name: "Create", exact: true }).click();
  await dialog.getByText("Choose at least one.").waitFor();
  await dialog.getByLabel("List, search and read contacts").check();
  await dialog.getByRole("button", { name: "Create", exact: true }).click();
  const key = await page.getByLabel("Key", { exact: true }).innerText();
  const curl = await page.getByRole("group", { name: "curl" }).innerText();
  const { stdout } = await run("sh", ["-c", curl]);
  expect(JSON.parse(stdout)).toMatchObject({ success: true, data: [] });
  await page.getByRole("dialog").getByRole("button", { name: "Done" }).click();
  expect(await statusWith(key)).toBe(200);
  const refused = await fixture.api.call("GET", "/api/v1/conversations", { apiKey: key });
  expect(refused.json.error.code).toBe("insufficient_scope");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  expect(await page.content()).not.toContain(key);

  await page.getByRole("button", { name: "Actions for CRM" }).click();
  await page.getByRole("menuitem", { name: "Revoke" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await page.getByText("Revoked", { exact: true }).waitFor();
  await expect.poll(async () => await statusWith(key)).toBe(401);
});

test("a successor is shown once; the old key goes on for as long as was chosen", async () => {
  const { page } = await fixture.open("/api-keys");
  await installClock(page);
  const rotate = async (name: string): Promise<void> => {
    await page.getByRole("button", { name: `Actions for ${name}` }).click();
    await page.getByRole("menuitem", { name: "Rotate key" }).click();
  };
  await rotate("test");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Rotate key" }).click();
  const key = await page.getByLabel("Key", { exact: true }).innerText();
  expect([await statusWith(key), await statusWith(fixture.account.apiKey)]).toEqual([200, 200]);
  await dialog.getByRole("button", { name: "Done" }).click();
  await dialog.waitFor({ state: "detached" });

  const made = await fixture.call("POST", "/api-keys", {
    name: "Leaked",
    scopes: ["contacts:read"],
  });
  await page.reload();
  await rotate("Leaked");
  await dialog.getByRole("combobox", { name: "The old key works for" }).click();
  await page.getByRole("option", { name: /ends at once/ }).click();
  await dialog.getByRole("button", { name: "Rotate key" }).click();
  const next = await page.getByLabel("Key", { exact: true }).innerText();
  expect(await statusWith(next)).toBe(200);
  await expect.poll(async () => await statusWith(made.json.data.key)).toBe(401);
  // The row of the old key says that it is over, and the new key stays in sight.
  await page.clock.runFor(60_000);
  await page.getByRole("row", { name: /Leaked.*Expired/ }).waitFor({ state: "attached" });
  expect(await page.getByLabel("Key", { exact: true }).innerText()).toBe(next);
});

test("a key that nobody has used for a day stands out, and one that has a successor gets no second", async () => {
  const account = await createTestAccount(fixture.database.dataSource);
  await fixture.database.dataSource.query(
    "UPDATE api_keys SET created_at = created_at - INTERVAL 50 HOUR WHERE account_id = ?",
    [account.accountId],
  );
  const { page } = await fixture.open("/api-keys", { as: account.cookie });
  await page.getByText("Created 2 days ago. Revoke it if no program needs it.").waitFor();
  const [row] = (
    await fixture.api.call("GET", "/dashboard/api/api-keys", { cookie: account.cookie })
  ).json.data;
  const path = `/dashboard/api/api-keys/${row.id}/rotate`;
  await fixture.api.call("POST", path, { cookie: account.cookie, body: {} });
  await page.reload();
  await page.getByRole("button", { name: "Actions for test" }).last().click();
  await page.getByRole("menuitem", { name: "Revoke" }).waitFor();
  expect(await page.getByRole("menuitem", { name: "Rotate key" }).count()).toBe(0);
});

test("who is no admin reads why there is nothing, and the API is not asked", async () => {
  const agent = await createTestAccount(fixture.database.dataSource, { role: "agent" });
  const { page, faults } = await fixture.open("/api-keys", { as: agent.cookie });
  await page.getByText("API keys are for admins").waitFor();
  expect(faults).toEqual([]);
});
