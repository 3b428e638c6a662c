import { beforeEach, expect, test } from "vitest";
import { createTestAccount, type TestAccount } from "../../support/accounts.ts";
import type { TestAnswer } from "../../support/api.ts";
import { addMember } from "./people-fixture.ts";
import { startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(startApiFixture);
let own: TestAccount;
const defaults = {
  pause_on_human_reply: true,
  handoff_remind_minutes: 10,
  handoff_escalate_minutes: 60,
  handoff_return_hours: null,
  answer_target_minutes: 30,
  currency: "USD",
  booking_stage_id: null,
  reminder_hours_before: null,
  reminder_text: null,
  reminder_template: null,
  booking_name: null,
  booking_accent: null,
  booking_address: null,
};

beforeEach(async () => {
  own = await createTestAccount(fixture.database.dataSource);
});

async function call(method: string, body?: unknown, { cookie } = own): Promise<TestAnswer> {
  return await fixture.api.call(method, "/dashboard/api/account", { cookie, body });
}

const audits = async () =>
  await fixture.query<{ details: unknown }>(
    "SELECT details FROM audit_log WHERE account_id = ? AND action = 'account.updated' ORDER BY id",
    [own.accountId],
  );

test("an account reads with every setting, also those it never set", async () => {
  const { status, json } = await call("GET");
  expect(status).toBe(200);
  expect(json.data).toMatchObject({ id: own.accountId, settings: defaults });
  const member = await addMember(fixture, own);
  expect((await call("GET", undefined, { ...own, ...member })).json.data).toEqual(json.data);
});

test("what is sent changes, the rest stays, and it is written down once", async () => {
  const before = (await call("GET")).json.data;
  const settings = { handoff_remind_minutes: 5, handoff_return_hours: 12 };
  const patch = { time_zone: "America/Mexico_City", locale: "es", settings };
  const { status, json } = await call("PATCH", patch);
  expect(status).toBe(200);
  const wanted = { ...patch, name: before.name, settings: { ...defaults, ...settings } };
  expect(json.data).toMatchObject(wanted);
  expect((await call("GET")).json.data).toEqual(json.data);
  expect((await call("PATCH", patch)).json.data).toEqual(json.data);
  expect((await call("PATCH", {})).json.data).toEqual(json.data);
  expect(await audits()).toEqual([
    {
      details: {
        before: { time_zone: before.time_zone, locale: before.locale, settings: {} },
        after: { time_zone: "America/Mexico_City", locale: "es", settings },
      },
    },
  ]);
  const back = { settings: { handoff_return_hours: null } };
  expect((await call("PATCH", back)).json.data.settings).toMatchObject({
    handoff_remind_minutes: 5,
    handoff_return_hours: null,
  });
});

test("open Dashboards are told of a change, and of nothing where none was made", async () => {
  const changes = async () =>
    await fixture.query("SELECT kind FROM changes WHERE account_id = ?", [own.accountId]);
  await call("PATCH", { name: "New" });
  await call("PATCH", { name: "New" });
  expect(await changes()).toEqual([{ kind: "account.updated" }]);
});

test("two who change different settings at once both do", async () => {
  const parts = [{ handoff_remind_minutes: 7 }, { handoff_escalate_minutes: 70 }];
  await Promise.all(parts.map(async (settings) => await call("PATCH", { settings })));
  expect((await call("GET")).json.data.settings).toEqual({ ...defaults, ...parts[0], ...parts[1] });
});

test("the answer target is set from a minute to a day", async () => {
  for (const answer_target_minutes of [1, 1_440]) {
    const { json } = await call("PATCH", { settings: { answer_target_minutes } });
    expect(json.data.settings.answer_target_minutes).toBe(answer_target_minutes);
  }
});

test("an account of others stays as it is", async () => {
  const before = (await call("GET", undefined, fixture.account)).json.data;
  await call("PATCH", { name: "Ours" });
  expect((await call("GET", undefined, fixture.account)).json.data).toEqual(before);
});

test.each<[string, object]>([
  ["body.name", { name: "  " }],
  ["body.time_zone", { time_zone: "Mexico_City" }],
  ["body.time_zone", { time_zone: "+05:00" }],
  ["body.time_zone", { time_zone: "" }],
  ["body.locale", { locale: "de" }],
  ["body.settings.handoff_remind_minutes", { settings: { handoff_remind_minutes: 0 } }],
  ["body.settings.handoff_return_hours", { settings: { handoff_return_hours: 1.5 } }],
  ["body.settings.answer_target_minutes", { settings: { answer_target_minutes: 0 } }],
  ["body.settings.answer_target_minutes", { settings: { answer_target_minutes: 1_441 } }],
  ["body.settings.reminder_hours_before", { settings: { reminder_hours_before: 0 } }],
  ["body.settings.reminder_text", { settings: { reminder_text: "Hello {phone}" } }],
  [
    "body.settings.reminder_template.language",
    { settings: { reminder_template: { name: "r", language: "x" } } },
  ],
  ["body.settings.colour", { settings: { colour: "red" } }],
])("at %s %j is refused", async (path, body) => {
  const answer = await call("PATCH", body);
  expect([answer.status, answer.json.error.code]).toEqual([400, "validation_error"]);
  expect(answer.json.error.details).toMatchObject([{ path }]);
  expect(await audits()).toEqual([]);
});
