import { beforeEach, expect, test } from "vitest";
import { eventTypes } from "../../../../core/model/event-types.ts";
import { publish, publishAll, request } from "../../../../core/services/outbox/outbox.ts";
import { eventCatalogue, type EventData } from "../../../../core/model/events.ts";
import { deliveryWorkflowId } from "../../../../core/model/workflow/delivery.ts";
import { transaction } from "../../../../db/transaction.ts";
import { asSystem, createTestSubscription } from "../../../support/accounts.ts";
import { createTestDatabase } from "../../../support/database.ts";
import { useFixture } from "../../../support/use-fixture.ts";

const database = useFixture(createTestDatabase);
let accountId = 0;

beforeEach(() => {
  accountId += 1;
});

const query = async (sql: string, values: unknown[] = []) =>
  await database.dataSource.query<Record<string, unknown>[]>(sql, values);

async function subscribe(events: string[], state = "active", channels: string[] | null = null) {
  const { dataSource } = database;
  const { id } = await createTestSubscription(dataSource, accountId, {
    url: "https://r.example:8443/x",
    events,
  });
  await query("UPDATE subscriptions SET state = ?, channels = ? WHERE id = ?", [
    state,
    channels === null ? null : JSON.stringify(channels),
    id,
  ]);
  return id;
}

const contactCreated = async (channel: string | null = null) =>
  await asSystem(database.dataSource, accountId, async (tx) => {
    const data = {
      ...eventCatalogue["contact.created"].sample,
      channel,
    } as EventData<"contact.created">;
    return await publish(tx, "contact.created", data);
  });

const deliveries = async () =>
  await query(
    `SELECT d.subscription_id, d.state, d.reason, d.workflow_id, d.run, o.kind, o.lane
       FROM deliveries d LEFT JOIN outbox o ON o.delivery_id = d.id
      WHERE d.account_id = ? ORDER BY d.event_id, d.subscription_id`,
    [accountId],
  );

test("each matching active subscription gets a queued delivery and an outbox row", async () => {
  const wildcard = await subscribe(["contact.*"]);
  const all = await subscribe(["*"]);
  await subscribe(["message.*", "contact.updated"]);
  const { eventId, deliveryIds } = await contactCreated();
  expect(await deliveries()).toEqual(
    [wildcard, all].map((subscription_id) => ({
      subscription_id,
      state: "queued",
      reason: null,
      workflow_id: deliveryWorkflowId(eventId, subscription_id, 1),
      run: 1,
      kind: "delivery",
      lane: `${accountId}:r.example:8443`,
    })),
  );
  expect(deliveryIds).toHaveLength(2);
});

test("paused subscriptions hold the delivery, disabled ones skip it, both without an outbox row", async () => {
  const paused = await subscribe(["*"], "paused");
  const disabled = await subscribe(["*"], "disabled");
  await subscribe(["*"], "deleted");
  await contactCreated();
  const bare = { workflow_id: null, run: 1, kind: null, lane: null };
  expect(await deliveries()).toEqual([
    { ...bare, subscription_id: paused, state: "held", reason: "subscription_paused" },
    { ...bare, subscription_id: disabled, state: "skipped", reason: "subscription_disabled" },
  ]);
});

test("the channel filter passes its own channels and events without one", async () => {
  const whatsapp = await subscribe(["*"], "active", ["whatsapp"]);
  const web = await subscribe(["*"], "active", ["web_widget", "instagram"]);
  await contactCreated("whatsapp");
  await contactCreated("web_widget");
  await contactCreated(null);
  expect((await deliveries()).map(({ subscription_id }) => subscription_id)).toEqual([
    whatsapp,
    web,
    whatsapp,
    web,
  ]);
});

test("events published together are stored like single ones, each with its own deliveries", async () => {
  const some = [await subscribe(["*"], "active", ["whatsapp"]), await subscribe(["*"], "paused")];
  const channels = ["whatsapp", "instagram", null];
  const published = await asSystem(database.dataSource, accountId, async (tx) => {
    const { sample } = eventCatalogue["contact.created"];
    const data = channels.map((channel, index) => {
      return { ...sample, channel, contact_id: index + 1 } as EventData<"contact.created">;
    });
    return await publishAll(tx, "contact.created", data);
  });
  expect(published.map(({ deliveryIds }) => deliveryIds.length)).toEqual([2, 1, 2]);
  const stored = await query(
    `SELECT e.contact_id, d.id, d.subscription_id, d.state, o.id IS NOT NULL AS requested
       FROM events e JOIN deliveries d ON d.event_id = e.id LEFT JOIN outbox o ON o.delivery_id = d.id
      WHERE e.account_id = ? ORDER BY d.id`,
    [accountId],
  );
  const [active, paused] = some;
  const whole = (contact_id: number) => [
    { contact_id, subscription_id: active, state: "queued", requested: 1 },
    { contact_id, subscription_id: paused, state: "held", requested: 0 },
  ];
  const second = { contact_id: 2, subscription_id: paused, state: "held", requested: 0 };
  expect(stored).toMatchObject([...whole(1), second, ...whole(3)]);
  expect(published.flatMap(({ deliveryIds }) => deliveryIds)).toEqual(stored.map(({ id }) => id));
});

test("an event that happened before a subscription was made is not delivered to it", async () => {
  const before = await contactCreated();
  const id = await subscribe(["*"]);
  const after = await contactCreated();
  expect(before.deliveryIds).toEqual([]);
  expect((await deliveries()).map(({ subscription_id }) => subscription_id)).toEqual([id]);
  expect(after.deliveryIds).toHaveLength(1);
});

test("another account's subscriptions get nothing", async () => {
  await subscribe(["*"]);
  accountId += 1;
  await contactCreated();
  expect(
    await query("SELECT id FROM deliveries WHERE account_id IN (?, ?)", [accountId, accountId - 1]),
  ).toEqual([]);
});

test("what is rolled back was never published", async () => {
  await subscribe(["*"]);
  const failing = asSystem(database.dataSource, accountId, async (tx) => {
    await publish(tx, "contact.created", eventCatalogue["contact.created"].sample);
    await request(tx, {
      op: "start",
      workflow: "cancelDeliveries",
      workflowId: "never",
      taskQueue: "ops",
      input: { accountId, subscriptionId: 1 },
      summary: "never",
    });
    throw new Error("rolled back");
  });
  await expect(failing).rejects.toThrow("rolled back");
  for (const table of ["events", "deliveries", "outbox"]) {
    expect(await query(`SELECT 1 FROM ${table} WHERE account_id = ?`, [accountId])).toEqual([]);
  }
});

test("every event type is stored as the bytes that are sent, with its ids beside it", async () => {
  const { dataSource } = database;
  const actor = { type: "system", accountId } as const;
  for (const type of eventTypes) {
    await transaction(dataSource, { actor }, async (tx) => {
      const { eventId } = await publish(
        tx,
        type,
        eventCatalogue[type].sample as EventData<typeof type>,
      );
      const [row] = await tx.manager.query<
        { body: Buffer; type: string; contact_id: number | null; occurred_at: Date }[]
      >("SELECT * FROM events WHERE id = UUID_TO_BIN(?)", [eventId]);
      const envelope = JSON.parse(String(row?.body));
      expect(envelope).toStrictEqual({
        event_id: eventId,
        event_type: type,
        occurred_at: tx.now.toISOString(),
        data: eventCatalogue[type].sample,
      });
      const data = eventCatalogue[type].sample as { contact_id?: number };
      expect([row?.type, row?.contact_id, row?.occurred_at]).toEqual([
        type,
        data.contact_id ?? null,
        tx.now,
      ]);
    });
  }
});

test("40 transactions at once each get their own deliveries, in ids that belong to them", async () => {
  const ids = [await subscribe(["*"]), await subscribe(["*"]), await subscribe(["*"])];
  const published = await Promise.all(Array.from({ length: 40 }, () => contactCreated()));
  for (const { eventId, deliveryIds } of published) {
    const rows = await query(
      "SELECT id, subscription_id FROM deliveries WHERE event_id = UUID_TO_BIN(?) ORDER BY id",
      [eventId],
    );
    expect(rows).toEqual(deliveryIds.map((id, index) => ({ id, subscription_id: ids[index] })));
  }
});
