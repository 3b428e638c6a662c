import { expect, test } from "vitest";
import type { TestAccount } from "../../support/accounts.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { startInboxFixture } from "./inbox-fixture.ts";

const fixture = useFixture(startInboxFixture);

async function make(account: TestAccount, body: object): Promise<number> {
  return (await fixture.call(account, "POST", "/contacts", body)).json.data.id;
}

async function list(account: TestAccount, query: string) {
  const { status, json } = await fixture.call(account, "GET", `/contacts?${query}`);
  expect([query, status]).toEqual([query, 200]);
  return json;
}

async function idsOf(account: TestAccount, query: string): Promise<number[]> {
  return (await list(account, query)).data.map(({ id }: { id: number }) => id);
}

test("a contact who writes comes first; a reply of ours moves nobody", async () => {
  const account = await fixture.createAccount();
  const { id: conversation } = await fixture.write(account, { from: "5215511110001" });
  const writer = (await fixture.call(account, "GET", `/conversations/${conversation}`)).json.data
    .contact_id;
  const newer = await make(account, { email: "newer@example.com" });
  expect(await idsOf(account, "order=active")).toEqual([newer, writer]);
  await fixture.call(account, "POST", `/conversations/${conversation}/messages`, {
    type: "text",
    content: "Hello",
  });
  expect(await idsOf(account, "order=active")).toEqual([newer, writer]);
  await fixture.write(account, { from: "5215511110001" });
  expect(await idsOf(account, "order=active")).toEqual([writer, newer]);
  expect(await idsOf(account, "order=quiet")).toEqual([newer, writer]);
});

test("pages by key hold each contact once in both orders, also where times are equal", async () => {
  const account = await fixture.createAccount();
  const ids: number[] = [];
  for (let n = 0; n < 7; n += 1) ids.push(await make(account, { email: `c${n}@example.com` }));
  await fixture.query(
    `UPDATE contacts SET last_activity_at = '2026-01-01' WHERE account_id = ${account.accountId} AND id > ${ids[1]}`,
  );
  for (const order of ["active", "quiet"]) {
    const seen: number[] = [];
    for (let cursor = ""; ;) {
      const { data, meta } = await list(account, `order=${order}&limit=3${cursor}`);
      seen.push(...data.map(({ id }: { id: number }) => id));
      expect(meta.total).toBe(7);
      if (meta.next === null) break;
      cursor = `&cursor=${meta.next}`;
    }
    const [first = 0, second = 0, ...others] = ids;
    const active = [second, first, ...others.toReversed()];
    expect(seen).toEqual(order === "active" ? active : active.toReversed());
  }
  for (const cursor of ["x", "1", "1_1_1", "999999999999999_1", "253402300800000_1"]) {
    const bad = await fixture.call(account, "GET", `/contacts?order=active&cursor=${cursor}`);
    expect([cursor, bad.status]).toEqual([cursor, 400]);
  }
  await list(account, "order=active&cursor=253402300799999_999999999999999");
  expect((await fixture.call(account, "GET", "/contacts?cursor=1_1")).status).toBe(400);
});

test("a row has channel, stage and assignee; each of them narrows the list, and search with it", async () => {
  const account = await fixture.createAccount();
  const { id: conversation } = await fixture.write(account, {
    from: "5215511110009",
    name: "Ana Ruiz",
  });
  const { contact_id: ana } = (await fixture.call(account, "GET", `/conversations/${conversation}`))
    .json.data;
  const ben = await make(account, { email: "ben.ruiz@example.com", name: "Ben Ruiz" });
  const pipeline = await fixture.call(account, "POST", "/pipelines", {
    name: "Sales",
    stages: ["New", "Won"],
  });
  const [stage, other] = pipeline.json.data.stages;
  await fixture.call(account, "POST", `/contacts/${ana}/stage`, { stage_id: stage.id });
  await fixture.call(account, "POST", `/conversations/${conversation}/assign`, {
    user_id: account.userId,
  });
  const { data } = await list(account, "order=active&search=ruiz");
  expect(data).toMatchObject([
    { id: ben, channel: null, stage: null, assigned_to_user_id: null },
    {
      id: ana,
      channel: "whatsapp",
      stage: { stage_name: "New" },
      assigned_to_user_id: account.userId,
      last_activity_at: expect.stringMatching(/^\d{4}-/),
    },
  ]);
  const cases: [string, number[]][] = [
    [`stage_id=${stage.id}`, [ana]],
    [`stage_id=${other.id}`, []],
    ["channel=whatsapp", [ana]],
    ["channel=web", []],
    ["assigned_to=me", [ana]],
    [`assigned_to=${account.userId}`, [ana]],
    ["assigned_to=nobody", [ben]],
    ["assigned_to=nobody&search=ana", []],
    [`search=ana&stage_id=${stage.id}&channel=whatsapp&assigned_to=me`, [ana]],
  ];
  for (const [query, found] of cases) {
    expect([query, await idsOf(account, `order=active&${query}`)]).toEqual([query, found]);
    expect([query, await idsOf(account, query)]).toEqual([query, found]);
  }
});

test("a merge keeps the later activity", async () => {
  const account = await fixture.createAccount();
  const winner = await make(account, { email: "old@example.com" });
  const between = await make(account, { email: "between@example.com" });
  const loser = await make(account, { email: "late@example.com" });
  await fixture.call(account, "POST", `/contacts/${loser}/merge`, { into_contact_id: winner });
  expect(await idsOf(account, "order=active")).toEqual([winner, between]);
});

test("contacts with one phone or one mailbox are possible duplicates, of their account alone", async () => {
  const account = await fixture.createAccount();
  const first = await make(account, { phone: "5215512345678", name: "Ana" });
  const short = await make(account, { phone: "5512345678", name: "Ana R." });
  const dotted = await make(account, { email: "ben.juarez@gmail.com" });
  const tagged = await make(account, { email: "benjuarez+shop@googlemail.com" });
  await make(account, { email: "ben.juarez@example.com", phone: "34600000001" });
  await make(account, { email: "benjuarez@example.com" });
  await make(fixture.account, { phone: "15512345678" });
  const read = async () =>
    (await fixture.call(account, "GET", "/contacts/duplicates")).json.data.map(
      ({ same, contacts }: { same: string; contacts: { id: number }[] }) => [
        same,
        contacts.map(({ id }) => id),
      ],
    );
  expect(await read()).toEqual([
    ["phone", [first, short]],
    ["email", [dotted, tagged]],
  ]);
  await fixture.call(account, "POST", `/contacts/${short}/merge`, { into_contact_id: first });
  expect(await read()).toEqual([["email", [dotted, tagged]]]);
});
