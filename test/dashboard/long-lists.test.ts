import { expect, test } from "vitest";
import { setUpOwnAgenda } from "../support/own-accounts.ts";

const own = setUpOwnAgenda();
const { call, open } = own;

/** Runs a statement, followed by a table `n` of the numbers 1 to 150. */
async function insert(sql: string, values: unknown[]): Promise<void> {
  const numbers = JSON.stringify(Array.from({ length: 150 }, (_, index) => index + 1));
  await own.fixture.database.dataSource.query(
    `${sql} JSON_TABLE(?, '$[*]' COLUMNS (number INT PATH '$')) n`,
    [...values, numbers],
  );
}

test("the last of 150 colleagues, macros and shared views is there in the inbox", async () => {
  const { accountId } = own.account;
  const domain = `long-${accountId}.example.com`;
  await insert(
    "INSERT INTO users (email, name, password_hash) SELECT CONCAT(n.number, '@', ?), CONCAT('Rosa ', n.number), '-' FROM",
    [domain],
  );
  await own.fixture.database.dataSource.query(
    `INSERT INTO memberships (account_id, user_id, role)
     SELECT ?, id, 'agent' FROM users WHERE email LIKE CONCAT('%@', ?)`,
    [accountId, domain],
  );
  await insert(
    `INSERT INTO inbox_views (account_id, user_id, name, view, filter, list_order, shared)
     SELECT ?, 1, CONCAT('View ', n.number), 'all', '{}', 'newest', 1 FROM`,
    [accountId],
  );
  await insert(
    `INSERT INTO macros (account_id, name, steps)
     SELECT ?, CONCAT('Macro ', n.number), '[{"type": "resolve"}]' FROM`,
    [accountId],
  );
  const sent = { channel: "web", from: "Ana", name: "Ana", text: "Hello" };
  const id = Number((await call("POST", "/sandbox/messages", sent)).conversation_id);
  const page = await open(`/inbox/${id}`);
  await page.getByRole("list", { name: "Views" }).getByRole("link", { name: "View 99" }).waitFor();
  await page.getByRole("button", { name: "Run a macro" }).click();
  await page.getByRole("menuitem", { name: "Macro 99", exact: true }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("combobox", { name: "Assigned to" }).first().fill("Rosa 99");
  await page.getByRole("option", { name: "Rosa 99", exact: true }).click();
  await expect
    .poll(async () => await call("GET", `/conversations/${id}`))
    .toMatchObject({ assigned_to_user_id: expect.any(Number) });
});

test("all closures of an agenda are listed, and a feed below 150 revoked ones", async () => {
  const { resourceId } = own.agenda;
  const { accountId } = own.account;
  await insert(
    `INSERT INTO resource_closures (account_id, resource_id, start_time, end_time, reason)
     SELECT ?, ?, '2090-03-05 09:00' + INTERVAL n.number DAY,
       '2090-03-05 10:00' + INTERVAL n.number DAY, CONCAT('Holiday ', n.number) FROM`,
    [accountId, resourceId],
  );
  await call("POST", `/resources/${resourceId}/feeds`, { times_only: true });
  await insert(
    `INSERT INTO calendar_feeds (account_id, resource_id, token_hash, revoked_at)
     SELECT ?, ?, RANDOM_BYTES(32), NOW(3) FROM`,
    [accountId, resourceId],
  );
  const page = await open("/appointments/setup");
  await page.getByRole("button", { name: "Closures" }).click();
  await page.getByRole("dialog").getByText("· Holiday 150").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Private feeds" }).click();
  await page.getByRole("dialog").getByText("Times only · Created").waitFor();
  expect(await page.getByRole("button", { name: "Revoke the feed of" }).count()).toBe(1);
});
