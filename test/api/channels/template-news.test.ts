import { expect, test } from "vitest";
import { requestTemplateSync } from "../../../core/services/templates/template-syncs.ts";
import { asSystem } from "../../support/accounts.ts";
import { ageList, storeList } from "../../support/templates.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { samples } from "../../core/channels/meta/template-samples.ts";
import { startChannelFixture, type TestNumber } from "./channel-fixture.ts";

const fixture = useFixture(startChannelFixture);

async function wabaOf(number: TestNumber): Promise<string> {
  const [row] = await fixture.query<{ parent_id: string }>(
    "SELECT parent_id FROM channel_accounts WHERE id = ?",
    [number.channelAccountId],
  );
  return row?.parent_id ?? "";
}

/** A webhook of an app's own callback: it names the account alone. */
async function tell(number: TestNumber, value: object, { wabaId = "", time = 1 } = {}) {
  const change = { field: "message_template_status_update", value };
  const id = wabaId === "" ? await wabaOf(number) : wabaId;
  const entry = [{ id, time: 1_749_416_383 + time, changes: [change] }];
  expect((await number.send({ object: "whatsapp_business_account", entry })).status).toBe(200);
  await fixture.drain();
}

const news = (event: string) => ({
  event,
  message_template_id: 1,
  message_template_name: "appointment_reminder",
  message_template_language: "es_MX",
  reason: "NONE",
});

async function addNumber(): Promise<TestNumber> {
  const number = await fixture.addNumber();
  const { dataSource } = fixture.database;
  const { accountId } = number.account;
  await storeList(dataSource, accountId, number.channelAccountId, [samples.reminder]);
  return number;
}

async function statusOf({ account }: TestNumber) {
  const [row] = await fixture.query<{ status: string }>(
    "SELECT status FROM channel_templates WHERE account_id = ?",
    [account.accountId],
  );
  return row?.status;
}

async function syncOf({ account }: TestNumber) {
  const [row] = await fixture.query<{ run: number; requested_at: Date | null }>(
    "SELECT run, requested_at FROM channel_template_syncs WHERE account_id = ?",
    [account.accountId],
  );
  return row;
}

test("news of a template changes its status and requests a read of the list", async () => {
  const number = await addNumber();
  const { run = 0 } = (await syncOf(number)) ?? {};
  await tell(number, news("PAUSED"));
  expect(await statusOf(number)).toBe("paused");
  expect(await syncOf(number)).toMatchObject({ run: run + 1, requested_at: expect.any(Date) });
  // The same words at another time are news again, and a repetition is none.
  await tell(number, news("APPROVED"), { time: 2 });
  await tell(number, news("PAUSED"), { time: 3 });
  expect(await statusOf(number)).toBe("paused");
  await tell(number, news("APPROVED"), { time: 2 });
  expect(await statusOf(number)).toBe("paused");
});

test("a burst of news costs one read", async () => {
  const number = await addNumber();
  for (let time = 0; time < 5; time += 1) await tell(number, news("APPROVED"), { time });
  const [row] = await fixture.query(
    `SELECT COUNT(*) AS n FROM outbox
      WHERE account_id = ? AND command->>'$.workflow' = 'syncTemplates'`,
    [number.account.accountId],
  );
  // One by the connection or the stored list, one by the news.
  expect(Number(row?.["n"])).toBeLessThanOrEqual(2);
});

test("news that name no template let the list be read, and those of another account change nothing", async () => {
  const number = await addNumber();
  const other = await addNumber();
  await ageList(fixture.database.dataSource, number.account.accountId, 2);
  const before = await syncOf(number);
  await tell(number, { event: "APPROVED" });
  expect((await syncOf(number))?.run).toBe((before?.run ?? 0) + 1);
  await tell(other, news("DISABLED"), { wabaId: await wabaOf(number) });
  expect(await statusOf(number)).toBe("approved");
  expect(await statusOf(other)).toBe("approved");
});

test("a number that is connected has its templates read", async () => {
  const number = await fixture.addNumber();
  expect(await syncOf(number)).toMatchObject({ run: 1, requested_at: expect.any(Date) });
  await asSystem(fixture.database.dataSource, number.account.accountId, (tx) =>
    requestTemplateSync(tx, number.channelAccountId),
  );
  expect(await syncOf(number)).toMatchObject({ run: 1 });
});
