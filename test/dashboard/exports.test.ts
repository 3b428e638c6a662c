import { readFile } from "node:fs/promises";
import type { Locator, Page } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { createExportFile } from "../../activities/export-file.ts";
import { createLog } from "../../core/log.ts";
import { beginExport, failExport, noteExportRows } from "../../core/services/exports/exports.ts";
import {
  addColleague,
  asSystem,
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

const lines = (page: Page): Locator =>
  page.getByRole("region", { name: "Exports" }).getByRole("row");

test("the list of exports follows an export live, and gives the file by keyboard", async () => {
  await call("POST", "/contacts", { name: "Ana Ruiz", phone: "525511110001" });
  const page = await open("/settings/exports");
  await page.getByText("Nothing exported yet").waitFor();
  const made = await call("POST", "/exports", { kind: "contacts" });
  await lines(page).getByText("Starting").waitFor();
  const { accountId } = account;
  await asSystem(fixture.database.dataSource, accountId, async (tx) => {
    await beginExport(tx, made.id);
    await noteExportRows(tx, made.id, 12_000);
  });
  await lines(page).getByText("Writing").waitFor();
  await lines(page).getByText("12,000").waitFor();
  await write();
  await lines(page).getByText("Ready").waitFor();
  await lines(page).getByText("The link works for 2").waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await page.getByRole("link", { name: `Download ${made.name}` }).focus();
  const loading = page.waitForEvent("download");
  await page.keyboard.press("Enter");
  expect(await readFile(await (await loading).path(), "utf8")).toContain("Ana Ruiz");
});

test("a failed or expired export says why and begins again, and a colleague's has no link", async () => {
  const { dataSource } = fixture.database;
  const { id } = await call("POST", "/exports", { kind: "contacts", filters: { search: "ana" } });
  await write();
  const page = await open("/settings/exports");
  await lines(page).getByText("Ready").waitFor();
  await dataSource.query("UPDATE exports SET expires_at = '2026-01-01' WHERE id = ?", [id]);
  const large = await call("POST", "/exports", { kind: "deliveries" });
  await asSystem(dataSource, account.accountId, async (tx) => {
    await failExport(tx, large.id, "export_too_large");
  });
  await lines(page).getByText("A file may have 4 GB at most.").waitFor();
  await page.getByRole("link", { name: "Open webhooks" }).waitFor();
  await lines(page).getByText("Expired").waitFor();
  await page.getByRole("button", { name: /^Export again: contacts-/u }).click();
  await page.getByText("The export starts again").waitFor();
  await lines(page).getByText("Starting").waitFor();
  await write();
  await lines(page).getByText("Ready").waitFor();
  const colleague = await addColleague(dataSource, account.accountId, "Luis Soto");
  await dataSource.query("UPDATE memberships SET role = 'admin' WHERE user_id = ?", [
    colleague.userId,
  ]);
  const { page: theirs } = await fixture.open("/settings/exports", { as: colleague.cookie });
  await lines(theirs).getByText("Only the person who exported it can download it").waitFor();
  expect(await theirs.getByRole("link", { name: /^Download/u }).count()).toBe(0);
});
