import { beforeEach, expect, test } from "vitest";
import { createTestAccount, type TestAccount } from "../../support/accounts.ts";
import { insertNumber, storeList } from "../../support/templates.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { samples } from "../../core/channels/meta/template-samples.ts";
import { startApiFixture } from "../api-fixture.ts";

const fixture = useFixture(startApiFixture);
let account: TestAccount;
let channelId: number;

beforeEach(async () => {
  account = await createTestAccount(fixture.database.dataSource);
  channelId = await insertNumber(fixture.database.dataSource, account.accountId);
});

async function list(owner: TestAccount, id: number, ...rows: object[]): Promise<void> {
  await storeList(fixture.database.dataSource, owner.accountId, id, rows);
}

async function get(query = "", { apiKey }: TestAccount = account) {
  return await fixture.api.call("GET", `/api/v1/templates${query}`, { apiKey });
}

const namesOf = ({ json }: { json: { data: { name: string }[] } }) =>
  json.data.map(({ name }) => name);
const rejected = { ...samples.named, name: "zz_rejected", status: "REJECTED" };

test("a program reads each template with its texts, its values and its numbers", async () => {
  const sibling = await insertNumber(fixture.database.dataSource, account.accountId, {
    externalId: "107",
  });
  await list(account, channelId, samples.reminder, rejected);
  const { status, json } = await get();
  expect(status).toBe(200);
  expect(json.meta).toEqual({ total: 2, limit: 50, offset: 0 });
  const [first, second] = json.data;
  expect(first).toEqual({
    id: expect.any(Number),
    name: "appointment_reminder",
    language: "es_MX",
    category: "utility",
    status: "approved",
    usable: true,
    unsupported: null,
    header: { kind: "text", text: "Cita con {{1}}" },
    body: "Hola {{1}}, te esperamos el {{2}}. Responde {{1}} para confirmar.",
    footer: "Clínica Sol",
    buttons: expect.any(Array),
    placeholders: expect.any(Array),
    channel_account_ids: [channelId, sibling],
    synced_at: expect.any(String),
  });
  expect(first.placeholders).toContainEqual(
    expect.objectContaining({ place: "body", key: "1", required: true }),
  );
  expect(second).toMatchObject({ name: "zz_rejected", status: "rejected", usable: false });
});

test("the list is narrowed by status and number, and read in pages", async () => {
  const other = await insertNumber(fixture.database.dataSource, account.accountId, {
    externalId: "108",
    wabaId: "901",
  });
  await list(account, channelId, samples.reminder, rejected);
  await list(account, other, samples.coupon);
  expect(namesOf(await get("?status=rejected"))).toEqual(["zz_rejected"]);
  expect(namesOf(await get("?status=nothing"))).toEqual([]);
  const own = await get(`?channel_account_id=${other}`);
  expect(own.json.data).toMatchObject([{ channel_account_ids: [other] }]);
  const all = namesOf(await get());
  expect(all).toHaveLength(3);
  expect(all).toEqual(all.toSorted());
  const page = await get("?limit=1&offset=1");
  expect(namesOf(page)).toEqual([all[1]]);
  expect(page.json.meta).toEqual({ total: 3, limit: 1, offset: 1 });
  const wrong = await get("?status=APPROVED");
  expect([wrong.status, wrong.json.error.code]).toEqual([400, "validation_error"]);
});

test("another account's templates are never listed, not by its number either", async () => {
  const other = await createTestAccount(fixture.database.dataSource);
  // The same WhatsApp Business Account as that of the first one.
  const id = await insertNumber(fixture.database.dataSource, other.accountId);
  await list(other, id, samples.reminder);
  expect((await get()).json).toMatchObject({ data: [], meta: { total: 0 } });
  expect((await get(`?channel_account_id=${id}`)).json.data).toEqual([]);
  expect(namesOf(await get("", other))).toEqual(["appointment_reminder"]);
});

test("a template that Meta no longer lists, and one of a disconnected number, are left out", async () => {
  await list(account, channelId, samples.reminder, samples.named);
  await list(account, channelId, samples.reminder);
  expect(namesOf(await get())).toEqual(["appointment_reminder"]);
  await fixture.query("UPDATE channel_accounts SET state = 'disconnected' WHERE id = ?", [
    channelId,
  ]);
  expect(namesOf(await get())).toEqual([]);
});
