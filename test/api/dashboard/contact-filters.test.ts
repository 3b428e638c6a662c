import { beforeEach, expect, test } from "vitest";
import { maxContactFilters } from "../../../core/model/contact-filter.ts";
import { maxSearchLength } from "../../../core/model/wire.ts";
import { createTeam, type TestPerson } from "./people-fixture.ts";
import { startApiFixture } from "../api-fixture.ts";
import type { TestAccount } from "../../support/accounts.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(startApiFixture);
let account: TestAccount;
let colleague: TestPerson;

beforeEach(async () => {
  ({ account, member: colleague } = await createTeam(fixture));
});

const path = "/dashboard/api/me/contact-filters";
const read = async (cookie = account.cookie) =>
  (await fixture.api.call("GET", path, { cookie })).json.data;
const keep = async (body: object, cookie = account.cookie) =>
  await fixture.api.call("POST", path, { cookie, body });
const forget = async (name: string) =>
  await fixture.api.call("DELETE", `${path}?name=${encodeURIComponent(name)}`, {
    cookie: account.cookie,
  });

test("what is kept is there by name, for this person in this account alone", async () => {
  expect(await read()).toEqual([]);
  await keep({ name: "VIP", tag: " vip " });
  const kept = await keep({ name: "Ruiz", search: "ruiz" });
  const both = [
    { name: "Ruiz", search: "ruiz" },
    { name: "VIP", tag: "vip" },
  ];
  expect([kept.status, kept.json.data, await read()]).toEqual([200, both, both]);
  expect(await read(colleague.cookie)).toEqual([]);
});

test("20 filters with the longest search are kept", async () => {
  const search = "😀".repeat(maxSearchLength / 2);
  for (let index = 0; index < maxContactFilters; index += 1) {
    expect((await keep({ name: `Filter ${index}`, search })).status).toBe(200);
  }
  expect(await read()).toHaveLength(maxContactFilters);
});

test("a name that is taken gets the new filter; one that is forgotten is gone", async () => {
  await keep({ name: "VIP", tag: "vip" });
  await keep({ name: "VIP", tag: "vip", search: "ana" });
  expect(await read()).toEqual([{ name: "VIP", tag: "vip", search: "ana" }]);
  expect((await forget("vip")).json.data).toHaveLength(1);
  expect((await forget("VIP")).json.data).toEqual([]);
  expect(await read()).toEqual([]);
});

test.each([
  { name: "Everybody" },
  { name: "", tag: "vip" },
  { name: "x".repeat(61), tag: "vip" },
  { name: "Long", search: "x".repeat(maxSearchLength + 1) },
  { name: "Long", tag: "x".repeat(51) },
])("%j is no filter to keep", async (body) => {
  const answer = await keep(body);
  expect([answer.status, answer.json.error.code]).toEqual([400, "validation_error"]);
  expect(await read()).toEqual([]);
});

test("at most 20 are kept, and two that come at once are both kept", async () => {
  const names = Array.from({ length: maxContactFilters }, (_, index) => `Filter ${index}`);
  const answers = await Promise.all(names.map(async (name) => await keep({ name, tag: "vip" })));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(await read()).toHaveLength(maxContactFilters);
  const over = await keep({ name: "One more", tag: "vip" });
  expect(over.json.error.details).toMatchObject([{ code: "too_many_filters" }]);
  expect((await keep({ name: "Filter 3", tag: "new" })).status).toBe(200);
});
