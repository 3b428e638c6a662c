import { expect, test } from "vitest";
import { createTestAccount, type TestAccount } from "../support/accounts.ts";
import { startDashboard } from "../support/dashboard-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(startDashboard);

/** An account with this many open conversations, `Customer 1` with the newest message. */
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
    `INSERT INTO conversations (account_id, contact_id, channel_account_id, channel, status, bot_enabled, sort_at)
     SELECT account_id, id, 1, 'whatsapp', 'active', 1,
            UTC_TIMESTAMP(3) - INTERVAL CAST(SUBSTRING(name, 10) AS UNSIGNED) SECOND
     FROM contacts WHERE account_id = ?`,
    [account.accountId],
  );
  return account;
}

test("10,000 conversations are scrolled to the last one; only those in view are drawn", async () => {
  const account = await accountWith(10_000);
  const { page, faults } = await fixture.open("/inbox", { as: account.cookie });
  await page.getByText("10000 conversations").waitFor();
  await page.getByRole("link", { name: /Customer 1 / }).waitFor();
  const list = page.getByRole("region", { name: "Conversations" });
  await list.getByRole("link").first().focus();
  await page.keyboard.press("End");
  await page.getByRole("link", { name: /Customer 10000 / }).waitFor();
  expect(await list.getByRole("link").count()).toBeLessThan(40);
  expect(faults).toEqual([]);
});

test("a list with more conversations than are counted says so", async () => {
  const { cookie } = await accountWith(10_001);
  const { page } = await fixture.open("/inbox", { as: cookie });
  const list = page.getByRole("region", { name: "Conversations" });
  await list.getByRole("link").first().waitFor();
  expect(await list.getByText(/\d conversations|\d\+ conversations/).innerText()).toBe(
    "10,000+ conversations",
  );
});

test("a conversation that changes moves to its place while the list is open", async () => {
  const account = await accountWith(60);
  const { page } = await fixture.open("/inbox", { as: account.cookie });
  await page.getByRole("link", { name: /Customer 1 / }).waitFor();
  const body = { channel: "whatsapp", from: "5215512345678", name: "Ana", text: "Hello" };
  const options = { cookie: account.cookie, body };
  await fixture.api.call("POST", "/dashboard/api/sandbox/messages", options);
  await page.getByText("61 conversations").waitFor();
  const first = page.getByRole("region", { name: "Conversations" }).getByRole("link").first();
  expect(await first.innerText()).toMatch(/Ana/);
});
