import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { createExportFile } from "../../activities/export-file.ts";
import { createLog } from "../../core/log.ts";
import {
  createTestAccount,
  createTestSubscription,
  type TestAccount,
} from "../support/accounts.ts";
import { runActivity } from "../support/activity.ts";
import { createTestResource } from "../support/appointments.ts";
import { findBarriers } from "../support/browser.ts";
import { startDashboard } from "../support/dashboard-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(startDashboard);
/** One account per test, so that each begins without exports. */
let account: TestAccount;

beforeEach(async () => {
  account = await createTestAccount(fixture.database.dataSource);
});

async function call(method: string, path: string, body?: unknown) {
  const { cookie } = account;
  const answer = await fixture.api.call(method, `/dashboard/api${path}`, { cookie, body });
  expect([path, answer.status < 300]).toEqual([path, true]);
  return answer.json.data;
}

const open = async (path: string): Promise<Page> =>
  (await fixture.open(path, { as: account.cookie })).page;

/** Writes the file of the account's export, as a worker does. @returns the kind of the export */
async function write(): Promise<string> {
  const { dataSource } = fixture.database;
  const [row] = await dataSource.query<{ id: string; kind: string }[]>(
    "SELECT id, kind FROM exports WHERE account_id = ? ORDER BY id DESC LIMIT 1",
    [account.accountId],
  );
  const exportId = Number(row?.id);
  const deps = {
    dataSource,
    media: fixture.api.deps.media,
    log: createLog("test", "silent"),
    stopping: new AbortController().signal,
  };
  const { accountId } = account;
  await runActivity(() => createExportFile(deps).writeExport({ accountId, exportId }));
  return row?.kind ?? "";
}

test("the contacts of the list are exported with its filters, and the link gives the file", async () => {
  await call("POST", "/contacts", { name: "Ana Ruiz", phone: "525511110001" });
  await call("POST", "/contacts", { name: "Luis Soto", phone: "525511110002" });
  const page = await open("/contacts?search=ana");
  await page.getByRole("button", { name: "Export" }).click();
  const dialog = page.getByRole("dialog", { name: "Export contacts" });
  await dialog.getByText("The file is being written").waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await write();
  await dialog.getByText("It has 1 row.").waitFor();
  const loading = page.waitForEvent("download");
  await dialog.getByRole("link", { name: "Download" }).click();
  const download = await loading;
  expect(download.suggestedFilename()).toMatch(/^contacts-.*\.csv$/u);
  const text = await readFile(await download.path(), "utf8");
  expect(text).toContain("Ana Ruiz");
  expect(text).not.toContain("Luis Soto");
});

test("one contact, the appointments and the delivery log have an export of their own", async () => {
  const { dataSource } = fixture.database;
  const { id } = await call("POST", "/contacts", { name: "Ana Ruiz", phone: "525511110001" });
  await createTestResource(dataSource, account.accountId);
  const url = "https://hooks.example.com/parley";
  const webhook = await createTestSubscription(dataSource, account.accountId, { url });
  const page = await open(`/contacts/${id}`);
  const kinds: string[] = [];
  const follow = async (title: string, words: string): Promise<void> => {
    const dialog = page.getByRole("dialog", { name: title });
    await dialog.getByText("The file is being written").waitFor();
    kinds.push(await write());
    await dialog.getByText(words).waitFor();
  };
  await page.getByRole("button", { name: "Actions for Ana Ruiz" }).click();
  await page.getByRole("menuitem", { name: "Export data" }).click();
  await follow("Export this contact", "It has the contact's data and media.");
  await page.goto(`${fixture.api.url}/appointments`);
  await page.getByRole("button", { name: "Export appointments" }).click();
  await follow("Export appointments", "It has 0 rows.");
  await page.goto(`${fixture.api.url}/webhooks/${webhook.id}`);
  await page.getByRole("button", { name: "Export" }).click();
  await follow("Export deliveries", "It has 0 rows.");
  expect(kinds).toEqual(["contact", "appointments", "deliveries"]);
});

test("an agent sees no button that exports", async () => {
  account = await createTestAccount(fixture.database.dataSource, { role: "agent" });
  await call("POST", "/contacts", { name: "Ana Ruiz", phone: "525511110001" });
  const page = await open("/contacts");
  await page.getByRole("link", { name: "Ana Ruiz" }).waitFor();
  expect(await page.getByRole("button", { name: "Export" }).count()).toBe(0);
});
