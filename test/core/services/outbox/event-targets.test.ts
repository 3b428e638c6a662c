import type { DataSource } from "typeorm";
import { afterAll, beforeEach, expect, test, vi } from "vitest";
import { eventCatalogue } from "../../../../core/model/events.ts";
import { upsertContact } from "../../../../core/services/contacts/contact-upserts.ts";
import { listTargets, noteTargetsVersion } from "../../../../core/services/outbox/event-targets.ts";
import { publish } from "../../../../core/services/outbox/outbox.ts";
import {
  deleteSubscription,
  pauseSubscription,
  resumeSubscription,
  updateSubscription,
} from "../../../../core/services/subscriptions/subscriptions.ts";
import { openDatabase } from "../../../../db/data-source.ts";
import type { Tx } from "../../../../db/transaction.ts";
import { asSystem, createTestSubscription } from "../../../support/accounts.ts";
import { createTestDatabase } from "../../../support/database.ts";
import { useFixture } from "../../../support/use-fixture.ts";

const database = useFixture(createTestDatabase);
const others: DataSource[] = [];
let accountId = 0;
let phone = 4_915_000_000_000;

beforeEach(() => {
  accountId += 1;
});

afterAll(async () => await Promise.all(others.map((other) => other.destroy())));

const inAccount = async <T>(work: (tx: Tx) => Promise<T>, dataSource = database.dataSource) =>
  await asSystem(dataSource, accountId, work);

async function subscribe(url = "https://r.example/x"): Promise<number> {
  const { id } = await createTestSubscription(database.dataSource, accountId, { url });
  return id;
}

/** Creates a contact, as an API process does. @returns the deliveries of its event */
async function deliver(dataSource = database.dataSource) {
  const { record } = await inAccount(
    async (tx) => await upsertContact(tx, { phone: String((phone += 1)) }),
    dataSource,
  );
  const rows = await database.dataSource.query<
    { id: number; state: string; lane: string | null }[]
  >(
    `SELECT d.subscription_id AS id, d.state, o.lane FROM events e JOIN deliveries d ON d.event_id = e.id
       LEFT JOIN outbox o ON o.delivery_id = d.id WHERE e.contact_id = ? ORDER BY d.subscription_id`,
    [record.row.id],
  );
  return rows.map(({ id, state, lane }) => ({ id, state, lane }));
}

/** A pool of its own remembers as another API process does. */
async function otherProcess(): Promise<DataSource> {
  const other = await openDatabase({ url: database.url, poolSize: 2 });
  others.push(other);
  return other;
}

const lane = () => `${accountId}:r.example`;

test("subscriptions that nobody has changed are remembered from event to event", async () => {
  const id = await subscribe();
  expect(await deliver()).toEqual([{ id, state: "queued", lane: lane() }]);
  // No change of ours: every change raises the version of its row.
  await database.dataSource.query("UPDATE subscriptions SET url = ? WHERE id = ?", [
    "https://unseen.example/",
    id,
  ]);
  expect(await deliver()).toEqual([{ id, state: "queued", lane: lane() }]);
  await database.dataSource.query("UPDATE subscriptions SET version = version + 1 WHERE id = ?", [
    id,
  ]);
  expect(await deliver()).toEqual([{ id, state: "queued", lane: `${accountId}:unseen.example` }]);
});

test("a new contact takes eight statements, and a changed one twelve", async ({
  onTestFinished,
}) => {
  await subscribe();
  await deliver();
  const runner = database.dataSource.createQueryRunner();
  const query = vi.spyOn(Object.getPrototypeOf(runner) as typeof runner, "query");
  await runner.release();
  onTestFinished(() => query.mockRestore());
  const upsert = async (name: string) => {
    query.mockClear();
    const email = `new${accountId}@example.com`;
    await inAccount((tx) => upsertContact(tx, { phone: `4930${accountId}00000`, email, name }));
    return query.mock.calls.map(([sql]) => /^\s*(\w+ ?\w*)/.exec(sql)?.[1]);
  };
  const event = ["INSERT INTO", "INSERT INTO", "INSERT INTO", "INSERT INTO"];
  // The owners of phone and email with the version; event, delivery, outbox row and change.
  expect(await upsert("Ana")).toEqual([
    "START TRANSACTION",
    "SELECT NULL",
    "INSERT INTO",
    ...event,
    "COMMIT",
  ]);
  // The row under its lock, tags, identities; the change, and the newest conversation.
  const changed = await upsert("Berta");
  expect(changed.slice(-5)).toEqual([...event, "COMMIT"]);
  expect(changed).toHaveLength(12);
});

test("each change counts for the next event in every process", async () => {
  const other = await otherProcess();
  const both = async () => {
    const here = await deliver();
    expect(await deliver(other)).toEqual(here);
    return here;
  };
  expect(await both()).toEqual([]);
  const id = await subscribe();
  expect(await both()).toEqual([{ id, state: "queued", lane: lane() }]);
  await inAccount((tx) => updateSubscription(tx, id, { url: "https://moved.example/" }));
  expect(await both()).toEqual([{ id, state: "queued", lane: `${accountId}:moved.example` }]);
  await inAccount((tx) => updateSubscription(tx, id, { max_concurrency: 3 }));
  expect(await both()).toEqual([{ id, state: "queued", lane: `${accountId}:moved.example#${id}` }]);
  await inAccount((tx) =>
    updateSubscription(tx, id, { max_concurrency: null, events: ["message.*"] }),
  );
  expect(await both()).toEqual([]);
  await inAccount((tx) => updateSubscription(tx, id, { events: ["contact.created"] }));
  await inAccount((tx) => pauseSubscription(tx, id));
  expect(await both()).toEqual([{ id, state: "held", lane: null }]);
  await inAccount((tx) => resumeSubscription(tx, id));
  await inAccount((tx) => updateSubscription(tx, id, { state: "disabled" }));
  expect(await both()).toEqual([{ id, state: "skipped", lane: null }]);
  await inAccount((tx) => updateSubscription(tx, id, { state: "active" }));
  expect(await both()).toHaveLength(1);
  const second = await subscribe();
  expect((await both()).map((row) => row.id)).toEqual([id, second]);
  await inAccount((tx) => deleteSubscription(tx, id));
  expect((await both()).map((row) => row.id)).toEqual([second]);
  await inAccount((tx) => deleteSubscription(tx, second));
  expect(await both()).toEqual([]);
});

test("an event whose transaction began before a subscription was committed may miss it, the next one does not", async () => {
  await subscribe();
  await deliver();
  const missed = await inAccount(async (tx) => {
    const [row] = await tx.manager.query<{ version: string }[]>(
      "SELECT SUM(version) AS version FROM subscriptions WHERE account_id = ?",
      [accountId],
    );
    noteTargetsVersion(tx, row?.version ?? null);
    await subscribe();
    return await publish(tx, "contact.created", eventCatalogue["contact.created"].sample);
  });
  expect(missed.deliveryIds).toHaveLength(1);
  expect(await deliver()).toHaveLength(2);
});

test("what a transaction that began earlier reads is never taken for a later version", async () => {
  await subscribe();
  const late = await inAccount(async (tx) => {
    noteTargetsVersion(tx, "1");
    await subscribe();
    // Read after the second subscription was committed, and remembered for version 1.
    return (await listTargets(tx)).length;
  });
  expect(late).toBe(2);
  expect(await deliver()).toHaveLength(2);
  await subscribe();
  expect(await deliver()).toHaveLength(3);
});

test("a subscription whose creation is rolled back gets no event", async () => {
  const id = await subscribe();
  await deliver();
  const failing = inAccount(async (tx) => {
    await updateSubscription(tx, id, { url: "https://never.example/" });
    throw new Error("rolled back");
  });
  await expect(failing).rejects.toThrow("rolled back");
  expect(await deliver()).toEqual([{ id, state: "queued", lane: lane() }]);
});

test("accounts are remembered apart, also within one transaction", async () => {
  const id = await subscribe();
  await deliver();
  accountId += 1;
  expect(await deliver()).toEqual([]);
  accountId -= 1;
  const seen = await inAccount(async (tx) => {
    const own = await listTargets(tx);
    const actor = { type: "system", accountId: accountId + 1 } as const;
    return [own.map((target) => target.id), await listTargets({ ...tx, actor })];
  });
  expect(seen).toEqual([[id], []]);
  accountId += 1;
});
