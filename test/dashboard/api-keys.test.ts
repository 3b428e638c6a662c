import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestAccount } from "../support/accounts.ts";
import { startDashboard, type DashboardScene } from "../support/dashboard.ts";

let scene: DashboardScene;

beforeAll(async () => {
  scene = await startDashboard();
});

afterAll(async () => await scene.stop());

/** How API v1 answers a key that reads contacts. */
async function statusWith(apiKey: string): Promise<number> {
  return (await scene.api.call("GET", "/api/v1/contacts", { apiKey })).status;
}

test("a key is made with what it may, shown once, and works; it is revoked after asking", async () => {
  const { page } = await scene.open("/api-keys");
  await page.getByRole("button", { name: "Make a key" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("CRM");
  await dialog.getByRole("button", { name: "Make", exact: true }).click();
  await dialog.getByText("Choose at least one.").waitFor();
  await dialog.getByLabel("List, search and read contacts").check();
  await dialog.getByRole("button", { name: "Make", exact: true }).click();
  const key = await page.getByLabel("Key", { exact: true }).innerText();
  await page.getByRole("dialog").getByRole("button", { name: "Done" }).click();
  expect(await statusWith(key)).toBe(200);
  const refused = await scene.api.call("GET", "/api/v1/conversations", { apiKey: key });
  expect(refused.json.error.code).toBe("insufficient_scope");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  expect(await page.content()).not.toContain(key);

  await page.getByRole("button", { name: "Actions for CRM" }).click();
  await page.getByRole("menuitem", { name: "Revoke" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await page.getByText("Revoked", { exact: true }).waitFor();
  await expect.poll(async () => await statusWith(key)).toBe(401);
});

test("a successor is shown once; the old key goes on for a while", async () => {
  const { page } = await scene.open("/api-keys");
  await page.getByRole("button", { name: "Actions for test" }).click();
  await page.getByRole("menuitem", { name: "Make a successor" }).click();
  const key = await page.getByLabel("Key", { exact: true }).innerText();
  expect([await statusWith(key), await statusWith(scene.account.apiKey)]).toEqual([200, 200]);
});

test("who is no admin reads why there is nothing, and the API is not asked", async () => {
  const agent = await createTestAccount(scene.database.dataSource, { role: "agent" });
  const { page, faults } = await scene.open("/api-keys", { as: agent.cookie });
  await page.getByText("API keys are for admins").waitFor();
  expect(faults).toEqual([]);
});
