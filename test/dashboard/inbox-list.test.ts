import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { createTestAccount, type TestAccount } from "../support/accounts.ts";
import { expectFocus } from "../support/browser.ts";
import { startDashboard } from "../support/dashboard-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(startDashboard);

/**
 * An account with this many conversations whose customers wait. `Customer 1` has waited longest and
 * `Customer 2` a second less.
 */
async function accountWith(count: number): Promise<TestAccount> {
  const { dataSource } = fixture.database;
  const account = await createTestAccount(dataSource);
  const numbers = `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})`;
  await dataSource.query("SET SESSION cte_max_recursion_depth = 100000");
  await dataSource.query(
    `INSERT INTO contacts (account_id, name, phone, phone_key, source)
     ${numbers} SELECT ?, CONCAT('Customer ', n), 34700000000 + n, 34700000000 + n, 'api' FROM numbers`,
    [account.accountId],
  );
  await dataSource.query(
    `INSERT INTO conversations (account_id, contact_id, channel_account_id, channel, status, bot_enabled, sort_at, customer_waits_since)
     SELECT account_id, id, 1, 'whatsapp', 'active', 1, at, at
     FROM (SELECT account_id, id, UTC_TIMESTAMP(3) - INTERVAL 12 HOUR
              + INTERVAL CAST(SUBSTRING(name, 10) AS UNSIGNED) SECOND AS at
           FROM contacts WHERE account_id = ?) c`,
    [account.accountId],
  );
  return account;
}

const listOf = (page: Page) => page.getByRole("region", { name: "Conversations" });
const rowsOf = (page: Page) => listOf(page).locator("a[href^='/inbox/']");
const row = (page: Page, n: number) =>
  rowsOf(page).filter({ has: page.getByText(`Customer ${n}`, { exact: true }) });

test("10,000 conversations are scrolled page by page; only those in view are drawn", async () => {
  const account = await accountWith(10_000);
  const { page, faults } = await fixture.open("/inbox", { as: account.cookie });
  await row(page, 1).waitFor();
  await rowsOf(page).first().focus();
  for (const loaded of [50, 150, 250, 350]) {
    await page.keyboard.press("End");
    await row(page, loaded).waitFor();
    // The next page is there before the next key.
    await expect.poll(async () => await heightOf(page)).toBeGreaterThan(loaded * 76 + 76);
  }
  expect(await rowsOf(page).count()).toBeLessThan(40);
  await page.keyboard.press("Home");
  await row(page, 1).waitFor();
  expect(faults).toEqual([]);
});

test("End and Home move the focus to the last loaded row and to the first", async () => {
  const account = await accountWith(60);
  const { page } = await fixture.open("/inbox", { as: account.cookie });
  await row(page, 1).focus();
  await page.keyboard.press("End");
  await expectFocus(row(page, 50));
  await expect.poll(async () => await heightOf(page)).toBe(60 * 76);
  await page.keyboard.press("End");
  await expectFocus(row(page, 60));
  await page.keyboard.press("k");
  await expectFocus(row(page, 59));
  await page.keyboard.press("Home");
  await expectFocus(row(page, 1));
  expect(await rowsOf(page).first().innerText()).toMatch(/^Customer 1\n/);
});

/** Height in px of all loaded rows. */
const heightOf = async (page: Page): Promise<number> =>
  await rowsOf(page)
    .first()
    .locator("../..")
    .evaluate((list) => Number.parseFloat(list.style.height));

test("a view with more conversations than are counted says so, in the head and in the sidebar", async () => {
  const { cookie } = await accountWith(1_001);
  const { page } = await fixture.open("/inbox", { as: cookie });
  await row(page, 1).waitFor();
  await listOf(page).getByText("1,000+", { exact: true }).first().waitFor();
  const views = page.getByRole("list", { name: "Views" });
  const link = views.getByRole("link", { name: "Needs answer" });
  await expect.poll(async () => await link.innerText()).toMatch(/^Needs answer\s+1,000\+$/);
});

test("a change reads one conversation, not the pages, and the row moves to its place", async () => {
  const account = await accountWith(300);
  const { page } = await fixture.open("/inbox", { as: account.cookie });
  await row(page, 1).focus();
  for (const loaded of [50, 150]) {
    await page.keyboard.press("End");
    await row(page, loaded).waitFor();
    await expect.poll(async () => await heightOf(page)).toBeGreaterThan(loaded * 76 + 76);
  }
  await page.keyboard.press("Home");
  await row(page, 1).waitFor();
  const reads: string[] = [];
  page.on("request", (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname === "/dashboard/api/conversations") reads.push([...searchParams.keys()].join());
  });
  const [first, , third] = (await api(account, "GET", "/conversations?view=needs_answer")) as Row[];
  const change = async (type: string) =>
    await api(account, "POST", "/conversations/bulk", { ids: [first?.id], action: { type } });
  await change("resolve");
  await row(page, 1).waitFor({ state: "detached" });
  expect(await rowsOf(page).first().innerText()).toMatch(/^Customer 2\n/);
  await change("reopen");
  await row(page, 1).waitFor();
  const tag = { ids: [third?.id], action: { type: "tag", tag: "vip" } };
  await api(account, "POST", "/conversations/bulk", tag);
  await rowsOf(page).filter({ hasText: "vip" }).waitFor();
  expect(await rowsOf(page).nth(2).innerText()).toMatch(/^Customer 3\n/);
  expect(new Set(reads)).toEqual(new Set(["contact_ids,limit"]));
});

test("the count of a narrowed list is right while rows change that are not loaded, and once all are", async () => {
  const account = await accountWith(120);
  const rows = (await api(account, "GET", "/conversations?view=needs_answer&limit=100")) as Row[];
  const path = "/inbox?channel=whatsapp";
  const { page } = await fixture.open(path, { as: account.cookie });
  const count = page.getByRole("heading", { name: "Needs answer" }).locator("~ span.tabular");
  const expectCount = async (number: number) =>
    await expect.poll(async () => await count.innerText()).toBe(String(number));
  const change = async (index: number, type: string) =>
    await api(account, "POST", "/conversations/bulk", { ids: [rows[index]?.id], action: { type } });
  await expectCount(120);
  await change(80, "resolve");
  await expectCount(119);
  await change(0, "resolve");
  await expectCount(118);
  await row(page, 2).focus();
  for (const last of [51, 120]) {
    await page.keyboard.press("End");
    await row(page, last).waitFor();
  }
  await expectCount(118);
  await change(0, "reopen");
  await expectCount(119);
});

interface Row {
  id: number;
}

async function api({ cookie }: TestAccount, method: string, path: string, body?: unknown) {
  const options = { cookie, ...(body === undefined ? {} : { body }) };
  const answer = await fixture.api.call(method, `/dashboard/api${path}`, options);
  expect([path, answer.status < 300]).toEqual([path, true]);
  return answer.json.data;
}

test("a customer who writes comes to the end of the queue while the list is open", async () => {
  const account = await accountWith(20);
  const { page } = await fixture.open("/inbox", { as: account.cookie });
  await row(page, 1).waitFor();
  const body = { channel: "whatsapp", from: "5215512345678", name: "Ana", text: "Hello" };
  await api(account, "POST", "/sandbox/messages", body);
  await listOf(page).getByText("21", { exact: true }).first().waitFor();
  await expect.poll(async () => await heightOf(page)).toBe(21 * 76);
  await rowsOf(page).first().focus();
  await page.keyboard.press("End");
  await expectFocus(listOf(page).getByRole("link", { name: "Ana" }));
  await page.goto(`${fixture.api.url}/inbox?order=newest`);
  expect(await rowsOf(page).first().innerText()).toMatch(/^Ana\n/);
});

test("a stage has the colour that its pipeline gives it", async () => {
  const account = await createTestAccount(fixture.database.dataSource);
  const pipeline = { name: "Patients", stages: ["Quoted"] };
  const [stage] = (await api(account, "POST", "/pipelines", pipeline)).stages;
  await api(account, "PATCH", `/stages/${stage.id}`, { hue: "rose" });
  const message = { channel: "web", from: "ana", name: "Ana", text: "Hello" };
  const { contact_id } = await api(account, "POST", "/sandbox/messages", message);
  await api(account, "POST", `/contacts/${contact_id}/stage`, { stage_id: stage.id });
  const { page } = await fixture.open("/inbox", { as: account.cookie });
  const chip = rowsOf(page).first().locator("[data-hue]", { hasText: "Quoted" });
  await expect.poll(async () => await chip.getAttribute("data-hue")).toBe("rose");
});
