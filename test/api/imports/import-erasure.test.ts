import { beforeEach, expect, test } from "vitest";
import { eraseContactRows } from "../../../core/services/contact-lifecycle/contact-traces.ts";
import { asSystem } from "../../support/accounts.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { whileLocked } from "../dashboard/people-fixture.ts";
import { startImportFixture, threeContacts } from "./import-fixture.ts";

const fixture = useFixture(startImportFixture);
const phone = "525512345678";
const email = "ana@example.com";
let contactId: number;

beforeEach(async () => {
  for (const table of ["contacts", "imports", "import_rows"]) {
    await fixture.query(`DELETE FROM ${table}`);
  }
  const { apiKey } = fixture.account;
  const body = { phone, email, name: "Ana" };
  contactId = (await fixture.api.call("POST", "/api/v1/contacts", { apiKey, body })).json.data.id;
});

const erase = async () => await fixture.dashboard("DELETE", `/contacts/${contactId}`);

async function insertRow(importId: number, number: number, columns: string): Promise<void> {
  await fixture.query(
    `INSERT INTO import_rows SET import_id = ?, number = ?, account_id = ?, plan = 'create',
            raw = JSON_ARRAY('Ana'), before_values = '{}', ${columns}`,
    [importId, number, fixture.account.accountId],
  );
}

const listRows = async () =>
  await fixture.query(
    `SELECT number, raw IS NULL AS blank, state, reason, phone_key, email FROM import_rows
      ORDER BY number`,
  );

test("an erasure blanks the person's rows by phone and email, and the commit leaves them out", async () => {
  const { id } = (await fixture.upload(threeContacts)).json.data;
  await insertRow(id, 2, `phone_key = '${phone}'`);
  await insertRow(id, 3, `email = '${email}', state = 'updated'`);
  await insertRow(id, 4, "phone_key = '525587654321'");
  expect((await erase()).status).toBe(200);
  const erased = { blank: 1, phone_key: null, email: null };
  expect(await listRows()).toEqual([
    Object.assign({ number: 2, state: "skipped", reason: "person_erased" }, erased),
    Object.assign({ number: 3, state: "updated", reason: null }, erased),
    { number: 4, blank: 0, state: "pending", reason: null, phone_key: "525587654321", email: null },
  ]);
  const { detected } = (await fixture.dashboard("GET", `/imports/${id}`)).json.data;
  expect(JSON.stringify(detected.sample)).not.toContain("Ana");
  expect(JSON.stringify(detected.sample)).toContain("Luis");
});

test("an import that ends keeps no line of its file", async () => {
  const { id } = (await fixture.upload(threeContacts)).json.data;
  const ended = await fixture.dashboard("POST", `/imports/${id}/cancel`);
  expect(ended.status).toBe(200);
  const { state, detected } = (await fixture.dashboard("GET", `/imports/${id}`)).json.data;
  expect([state, detected.rows, detected.sample]).toEqual(["cancelled", 3, []]);
});

test("an erasure finds the person's line in an import that ended with its sample", async () => {
  const { id } = (await fixture.upload(threeContacts)).json.data;
  await fixture.query("UPDATE imports SET state = 'done' WHERE id = ?", [id]);
  await erase();
  const { detected } = (await fixture.dashboard("GET", `/imports/${id}`)).json.data;
  expect(JSON.stringify(detected.sample)).not.toContain("Ana");
  expect(JSON.stringify(detected.sample)).toContain("Luis");
});

test("the workflow of the erasure blanks rows that name the contact alone", async () => {
  const { id } = (await fixture.upload(threeContacts)).json.data;
  await insertRow(id, 2, `contact_id = ${contactId}, state = 'created'`);
  const { accountId } = fixture.account;
  const input = { accountId, contactIds: [contactId], conversationIds: [], waitMs: 0 };
  await asSystem(fixture.database.dataSource, accountId, (tx) => eraseContactRows(tx, input, 100));
  expect(await listRows()).toMatchObject([{ number: 2, blank: 1, state: "created" }]);
});

test("the import of the person's chat ends, and its file and rows are due at once", async () => {
  const { id } = (await fixture.upload(threeContacts)).json.data;
  await fixture.query(
    `UPDATE imports SET kind = 'chat', phone_key = ?, state = 'paused', mapping = '{}' WHERE id = ?`,
    [phone, id],
  );
  await erase();
  const [row] = await fixture.query(
    `SELECT state, error_code, name, detected, mapping, phone_key,
            file_until <= UTC_TIMESTAMP(3) AS file_due, rows_until <= UTC_TIMESTAMP(3) AS rows_due
       FROM imports WHERE id = ?`,
    [id],
  );
  expect(row).toEqual({
    state: "cancelled",
    error_code: "import_erased",
    name: null,
    detected: null,
    mapping: null,
    phone_key: null,
    file_due: 1,
    rows_due: 1,
  });
});

test("an erasure waits for a batch under way, and blanks the rows that it has stored", async () => {
  const { id } = (await fixture.upload(threeContacts)).json.data;
  await fixture.query("UPDATE imports SET state = 'committing' WHERE id = ?", [id]);
  await insertRow(id, 2, "phone_key = NULL");
  const answer = await whileLocked(
    fixture,
    [["SELECT id FROM imports WHERE id = ? FOR UPDATE", [id]]],
    erase,
    [["UPDATE import_rows SET phone_key = ?, state = 'updated' WHERE import_id = ?", [phone, id]]],
  );
  expect(answer.status).toBe(200);
  expect(await listRows()).toMatchObject([{ number: 2, blank: 1, state: "updated" }]);
});
