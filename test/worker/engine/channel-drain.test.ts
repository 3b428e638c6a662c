import { afterEach, expect, test } from "vitest";
import { createLog } from "../../../core/log.ts";
import { splitWebhooks } from "../../../core/services/channels/channel-webhooks.ts";
import { createBell, type Bell, type PauseLimits } from "../../../worker/engine/bell.ts";
import { startDrain } from "../../../worker/engine/channel-drain.ts";
import {
  startChannelFixture,
  textFrom,
  whatsapp,
  type TestNumber,
} from "../../api/channels/channel-fixture.ts";
import { asSystem } from "../../support/accounts.ts";
import { eventually } from "../../support/eventually.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(startChannelFixture);
const stops: (() => Promise<void>)[] = [];
const calmMs = 1_000;

afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
});

/**
 * A drain with a bell. Its pauses are kept, the newest last.
 * @param slow the calm polls never come, so that only a ring ends such a pause
 */
function drainWith(bell: Bell, { slow = false } = {}): PauseLimits[] {
  const pauses: PauseLimits[] = [];
  const channelBell: Bell = {
    ...bell,
    async pause(limits, stopping) {
      pauses.push(limits);
      const mostMs = slow && limits.mostMs === calmMs ? 600_000 : limits.mostMs;
      await bell.pause({ ...limits, mostMs }, stopping);
    },
  };
  const log = createLog("test", "silent");
  const drain = startDrain({ dataSource: fixture.database.dataSource, log, channelBell });
  stops.push(() => drain.stop());
  return pauses;
}

function greetedBell(): Bell {
  const bell = createBell();
  bell.greet();
  return bell;
}

async function expectCalm(pauses: PauseLimits[]): Promise<void> {
  await eventually(() => expect(pauses.at(-1)).toMatchObject({ mostMs: calmMs }));
}

/** A customer writes: the webhook is stored, and nobody rings. */
async function write(number: TestNumber): Promise<void> {
  const answer = await number.send(
    whatsapp(number.numberId, "messages", textFrom("5215512345678", "wamid.1")),
  );
  expect(answer.status).toBe(200);
}

async function expectStored({ account }: TestNumber): Promise<void> {
  await eventually(async () => {
    const sql = "SELECT content FROM messages WHERE account_id = ?";
    expect(await fixture.query(sql, [account.accountId])).toEqual([{ content: "Hola" }]);
  });
}

test("an idle drain that is rung polls once a second, and a ring has it look at once", async () => {
  const number = await fixture.addNumber();
  const bell = greetedBell();
  await expectCalm(drainWith(bell, { slow: true }));
  await write(number);
  bell.ring(0);
  await expectStored(number);
  expect(bell.isReliable()).toBe(true);
});

test("a drain that nobody greets polls as fast as ever", async () => {
  const pauses = drainWith(createBell());
  await eventually(() => expect(pauses.length).toBeGreaterThan(25));
  expect(Math.max(...pauses.map(({ mostMs }) => mostMs))).toBe(100);
});

test("a webhook whose ring was lost is found by the poll, and the drain polls fast from then on", async () => {
  const number = await fixture.addNumber();
  const bell = greetedBell();
  const pauses = drainWith(bell);
  await expectCalm(pauses);
  await write(number);
  await expectStored(number);
  await eventually(() => expect(bell.isReliable()).toBe(false));
  const before = pauses.length;
  await eventually(() => expect(pauses.length).toBeGreaterThan(before + 20));
  expect(Math.max(...pauses.slice(before).map(({ mostMs }) => mostMs))).toBeLessThanOrEqual(100);
});

test("an item that waits for its time is applied when it is due, without a ring", async () => {
  const number = await fixture.addNumber();
  const { accountId } = number.account;
  await write(number);
  await asSystem(fixture.database.dataSource, 0, async (tx) => {
    await splitWebhooks(tx, number.appId);
    await tx.manager.query(
      "UPDATE channel_items SET due_at = UTC_TIMESTAMP(3) + INTERVAL 1500000 MICROSECOND WHERE account_id = ?",
      [accountId],
    );
  });
  const bell = greetedBell();
  const pauses = drainWith(bell);
  await expectStored(number);
  expect(pauses.length).toBeLessThan(30);
  expect(bell.isReliable()).toBe(true);
});
