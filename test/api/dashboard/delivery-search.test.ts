import { beforeAll, expect, test } from "vitest";
import { verifySignature, verifyStandard } from "../../../core/signature.ts";
import {
  createTestAccount,
  createTestSubscription,
  type TestAccount,
} from "../../support/accounts.ts";
import type { TestAnswer } from "../../support/api.ts";
import { startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(startApiFixture);
let other: TestAccount;
let hooks: number[] = [];
interface Row {
  id: number;
  event_id: string;
  event_type: string;
}

beforeAll(async () => {
  const { dataSource } = fixture.database;
  other = await createTestAccount(dataSource);
  const make = async (accountId: number, events: string[]) =>
    (await createTestSubscription(dataSource, accountId, { url: "http://127.0.0.1:9/", events }))
      .id;
  hooks = [
    await make(fixture.account.accountId, ["*"]),
    await make(fixture.account.accountId, ["contact.created"]),
  ];
  await make(other.accountId, ["*"]);
  for (const { apiKey } of [fixture.account, other]) {
    for (let index = 0; index < 6; index += 1) {
      const body = { phone: `3460000000${index}`, name: "Ana" };
      await fixture.api.call("POST", "/api/v1/contacts", { apiKey, body });
    }
  }
});

const get = async (path: string, account = fixture.account): Promise<TestAnswer> =>
  await fixture.api.call("GET", `/dashboard/api/deliveries${path}`, { cookie: account.cookie });

const all = async (): Promise<Row[]> => (await get("?limit=100")).json.data;

test("a search finds deliveries by their id, their event, and the contact's name, email or phone", async () => {
  const rows = await all();
  const [first] = rows;
  const cookie = fixture.account.cookie;
  const body = { email: "zoe@clinic.example", name: "Zoë Ñandú 100%" };
  await fixture.api.call("POST", "/dashboard/api/contacts", { cookie, body });
  const zoe = (await all()).filter(({ id }) => !rows.some((row) => row.id === id));
  expect(zoe).toHaveLength(2);
  const search = async (text: string, more = "") => {
    const answer = await get(`?limit=100&search=${encodeURIComponent(text)}${more}`);
    expect(answer.json.meta.total).toBe(answer.json.data.length);
    return answer.json.data as Row[];
  };
  expect(await search("zoe ñan")).toEqual(zoe);
  expect(await search("  ZOE@clinic ")).toEqual(zoe);
  expect(await search("100%")).toEqual(zoe);
  expect(await search("0%0")).toEqual([]);
  expect(await search("+34 600 000 003")).toHaveLength(2);
  expect(await search(String(first?.event_id).toUpperCase())).toEqual(
    rows.filter(({ event_id }) => event_id === first?.event_id),
  );
  // Digits may be a phone too.
  expect((await search(String(first?.id))).map(({ id }) => id)).toContain(first?.id);
  expect(await search("zoe", "&event_type=contact.updated")).toEqual([]);
  expect(await search("zoe", `&subscription_id=${hooks[1]}`)).toHaveLength(1);
  const [theirs] = (await get("?limit=1", other)).json.data as Row[];
  expect(await search(String(theirs?.event_id))).toEqual([]);
  expect((await search(String(theirs?.id))).map(({ id }) => id)).not.toContain(theirs?.id);
});

test("a search follows a contact that was merged, and goes on by pages", async () => {
  const cookie = fixture.account.cookie;
  const add = async (name: string) => {
    const body = { email: `${name.toLowerCase()}@merge.example`, name };
    return (await fixture.api.call("POST", "/dashboard/api/contacts", { cookie, body })).json.data
      .id;
  };
  const [from, into] = [await add("Duplicado"), await add("Quintana")];
  const path = `/dashboard/api/contacts/${from}/merge`;
  const merged = await fixture.api.call("POST", path, { cookie, body: { into_contact_id: into } });
  expect(merged.status).toBe(200);
  const whole = (await get("?limit=100&search=quintana")).json.data as Row[];
  expect(whole.filter(({ event_type }) => event_type === "contact.created")).toHaveLength(4);
  const { data, meta } = (await get("?limit=2&search=quintana")).json;
  const more = (await get(`?limit=100&search=quintana&before_id=${meta.next}`)).json.data;
  expect([...data, ...more]).toEqual(whole);
});

test("days narrow the log, the end not included", async () => {
  const rows = await all();
  const [, second, third] = rows;
  await fixture.query("UPDATE deliveries SET created_at = '2026-03-02 10:00:00' WHERE id = ?", [
    second?.id,
  ]);
  await fixture.query("UPDATE deliveries SET created_at = '2026-03-03 10:00:00' WHERE id = ?", [
    third?.id,
  ]);
  const idsOf = async (query: string) =>
    ((await get(`?limit=100&${query}`)).json.data as Row[]).map(({ id }) => id);
  const day = (date: string) => encodeURIComponent(`${date}T10:00:00.000Z`);
  expect(await idsOf(`since=${day("2026-03-02")}&until=${day("2026-03-03")}`)).toEqual([
    second?.id,
  ]);
  expect(await idsOf(`until=${day("2026-03-04")}`)).toEqual([second?.id, third?.id]);
  expect(await idsOf(`since=${day("2026-03-04")}`)).toHaveLength(rows.length - 2);
  await fixture.query("UPDATE deliveries SET created_at = NOW(3) WHERE id IN (?, ?)", [
    second?.id,
    third?.id,
  ]);
});

test("an admin gets the POST of a delivery signed anew, without the secret; nobody else does", async () => {
  const cookie = fixture.account.cookie;
  const { dataSource } = fixture.database;
  const { accountId } = fixture.account;
  const url = "http://127.0.0.1:9/hook";
  const own = await createTestSubscription(dataSource, accountId, { url });
  const body = { email: "sofia@example.com", name: "Sofía “O'Neil”" };
  await fixture.api.call("POST", "/dashboard/api/contacts", { cookie, body });
  const [row] = (await get(`?subscription_id=${own.id}`)).json.data as Row[];
  const answer = await get(`/${row?.id}/signed-request`);
  expect(answer.status).toBe(200);
  expect(answer.text).not.toContain(own.secret);
  const request = answer.json.data as {
    url: string;
    headers: Record<string, string>;
    body: string;
  };
  expect([request.url, request.headers["X-Service-Attempt"]]).toEqual([url, "1"]);
  const bytes = Buffer.from(request.body, "utf8");
  expect(verifySignature(request.headers["X-Service-Signature"], own.secret, bytes)).toBe(true);
  const claim = {
    secrets: [own.secret],
    id: request.headers["webhook-id"],
    timestamp: request.headers["webhook-timestamp"],
    signature: request.headers["webhook-signature"],
    body: bytes,
    nowSeconds: Date.now() / 1_000,
  };
  expect(verifyStandard(claim)).toBe(true);

  expect((await get(`/${row?.id}/signed-request`, other)).status).toBe(404);
  await fixture.query("UPDATE memberships SET role = 'agent' WHERE account_id = ?", [accountId]);
  const refused = await get(`/${row?.id}/signed-request`);
  await fixture.query("UPDATE memberships SET role = 'admin' WHERE account_id = ?", [accountId]);
  expect([refused.status, refused.json.error.code]).toEqual([403, "forbidden_role"]);
  await fixture.query("UPDATE events SET body = NULL WHERE id = UUID_TO_BIN(?)", [row?.event_id]);
  const erased = await get(`/${row?.id}/signed-request`);
  expect([erased.status, erased.json.error.code]).toEqual([409, "event_erased"]);
});
