import { expect, test } from "vitest";
import { eraseContact } from "../../../core/services/contact-lifecycle/contact-erasure.ts";
import { completeAttempts } from "../../../core/services/deliveries/complete-attempts.ts";
import { asSystem } from "../../support/accounts.ts";
import { receive } from "../../support/conversations.ts";
import { eventually } from "../../support/eventually.ts";
import { attempt, echo, findRows, startErasureFixture, sweep } from "./erasure-fixture.ts";
import { whileLocked } from "./people-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(startErasureFixture);

test("runs that wake after an erasure complete and post nothing", async () => {
  const { accountId, contactId, messageId } = await fixture.makeLife("garza");
  const [open] = (await fixture.deliveriesOf(contactId)).filter(({ state }) => state === "queued");
  const deliveryId = open?.id ?? 0;
  echo(fixture.sink, 500);
  expect(await attempt(fixture, deliveryId)).toMatchObject({ state: "waiting" });
  await fixture.panel("DELETE", `/contacts/${contactId}`);
  const posts = fixture.sink.posts.length;
  const wake = async () => {
    expect(await attempt(fixture, deliveryId, 2)).toEqual({ state: "cancelled" });
    expect(await fixture.activities.sendToChannel({ accountId, messageId })).toEqual({
      state: "over",
    });
    await fixture.activities.endUnknownSend({ accountId, messageId });
    await fixture.activities.recordReport({ accountId, messageId, status: "read" });
  };
  await wake();
  await sweep(fixture, contactId);
  await wake();
  expect(fixture.sink.posts).toHaveLength(posts);
  expect(await fixture.deliveriesOf(contactId)).toContainEqual({
    id: deliveryId,
    state: "cancelled",
    reason: "erased",
    attempts_made: 1,
  });
});

/** A delivery whose POST is under way until `release` is called; the receiver then repeats the body. */
async function postSlowly(contactId: number) {
  const [open] = (await fixture.deliveriesOf(contactId)).filter(({ state }) => state === "queued");
  const deliveryId = open?.id ?? 0;
  let release: () => void = () => undefined;
  const posted = new Promise<void>((arrived) => {
    fixture.sink.answer = ({ body }, response) => {
      release = () => void response.writeHead(200).end(body);
      arrived();
    };
  });
  const outcome = attempt(fixture, deliveryId);
  await posted;
  const rows = async () =>
    await fixture.query(
      `SELECT d.state, d.reason, a.status_code, a.response_excerpt, a.response_headers
         FROM deliveries d JOIN delivery_attempts a ON a.delivery_id = d.id WHERE d.id = ?`,
      [deliveryId],
    );
  return { deliveryId, outcome, release: () => release(), rows };
}

const cleared = {
  state: "cancelled",
  reason: "erased",
  status_code: 200,
  response_excerpt: null,
  response_headers: null,
};

test("what a receiver answers while its contact is being erased is not kept", async () => {
  const { contactId } = await fixture.makeLife("jilguero");
  const during = await postSlowly(contactId);
  await fixture.panel("DELETE", `/contacts/${contactId}`);
  during.release();
  expect(await during.outcome).toEqual({ state: "cancelled" });
  await sweep(fixture, contactId);
  expect(await during.rows()).toEqual([cleared]);
});

test("what a receiver answers after the erasure is not kept either", async () => {
  const { contactId } = await fixture.makeLife("zorzal");
  const late = await postSlowly(contactId);
  await fixture.panel("DELETE", `/contacts/${contactId}`);
  await sweep(fixture, contactId);
  late.release();
  expect(await late.outcome).toEqual({ state: "cancelled" });
  expect(await late.rows()).toEqual([cleared]);
});

test("an attempt that waits for the erasure to commit sees it", async () => {
  const { contactId } = await fixture.makeLife("tordo");
  const { deliveryId, outcome, release, rows } = await postSlowly(contactId);
  const statements: [string, unknown[]][] = [
    ["SELECT id FROM deliveries WHERE id = ? FOR UPDATE", [deliveryId]],
    ["UPDATE deliveries SET state = 'cancelled', reason = 'erased' WHERE id = ?", [deliveryId]],
    ["UPDATE events SET body = NULL, erased_at = NOW(3) WHERE contact_id = ?", [contactId]],
  ];
  const ended = await whileLocked(fixture, statements, async () => {
    release();
    return await outcome;
  });
  expect(ended).toEqual({ state: "cancelled" });
  expect(await rows()).toEqual([cleared]);
});

// A delivery that was cancelled before its erasure keeps its reason.
test.each([
  ["erased", "mirlo", "alondra"],
  ["cancelled_by_operator", "gorrion", "jacana"],
])(
  "an answer that is stored with others while its contact is erased is not kept: %s",
  async (reason, ...names) => {
    const { accountId } = fixture.account;
    const ids: number[] = [];
    for (const name of names) {
      const { contactId } = await fixture.makeLife(name);
      const deliveries = await fixture.deliveriesOf(contactId);
      const id = deliveries.find(({ state }) => state === "queued")?.id ?? 0;
      echo(fixture.sink, 500);
      await attempt(fixture, id);
      ids.push(id);
    }
    const record = {
      ok: false,
      durationMs: 1,
      statusCode: 500,
      errorClass: "http_status",
      requestHeaders: {},
      responseHeaders: { echo: "alondra" },
      responseExcerpt: "alondra",
      ip: null,
      waitMs: 1_000,
    };
    const step = { accountId, run: 1, seq: 1, number: 1, manual: false, waitsMs: [1_000] };
    const made = ids.map((deliveryId) => ({ input: { ...step, deliveryId }, record }));
    const [, last] = ids;
    const statements: [string, unknown[]][] = [
      ["UPDATE deliveries SET state = 'cancelled', reason = ? WHERE id = ?", [reason, last]],
      [
        `UPDATE events e JOIN deliveries d ON d.event_id = e.id
          SET e.body = NULL, e.erased_at = NOW(3) WHERE d.id = ?`,
        [last],
      ],
    ];
    await whileLocked(fixture, statements, async () => {
      await asSystem(fixture.database.dataSource, accountId, (tx) => completeAttempts(tx, made));
    });
    const rows = await fixture.query(
      "SELECT response_excerpt AS kept FROM delivery_attempts WHERE delivery_id IN (?) ORDER BY delivery_id",
      [ids],
    );
    expect(rows).toEqual([{ kept: "alondra" }, { kept: null }]);
  },
);

test("a message that is being sent while its contact is erased leaves nothing behind", async () => {
  const { accountId, contactId, messageId } = await fixture.makeLife("autillo");
  const { dataSource } = fixture.database;
  const [row] = await fixture.query<{ id: number }>(
    "SELECT id FROM messages WHERE contact_id = ? AND status = 'queued' ORDER BY id LIMIT 1",
    [contactId],
  );
  // Its hand-over has been written down and holds the row; its event follows before it commits.
  const runner = dataSource.createQueryRunner();
  await runner.startTransaction();
  await runner.query("SELECT id FROM messages WHERE id = ? FOR UPDATE", [row?.id ?? messageId]);
  await fixture.panel("DELETE", `/contacts/${contactId}`);
  const sweeping = sweep(fixture, contactId);
  await eventually(async () => {
    const waits = await fixture.query(
      "SELECT 1 FROM information_schema.processlist WHERE db = DATABASE() AND info LIKE 'DELETE FROM messages%' AND id <> CONNECTION_ID()",
    );
    expect(waits).toHaveLength(1);
  });
  await runner.query(
    "INSERT INTO events SET id = UNHEX(REPLACE(UUID(), '-', '')), account_id = ?, type = 'message.sent', contact_id = ?, body = 'autillo', occurred_at = NOW(3)",
    [accountId, contactId],
  );
  await runner.commitTransaction();
  await runner.release();
  await sweeping;
  expect(await findRows(fixture, ["autillo"])).toEqual([]);
});

test("a customer who writes while being erased is not lost: that is a new contact", async () => {
  const { dataSource } = fixture.database;
  const { accountId } = fixture.account;
  const from = fixture.newPhone();
  const first = await receive(dataSource, accountId, { from });
  // In a list: what a transaction answers is waited for before it commits.
  const [writing, sending] = await asSystem(dataSource, accountId, async (tx) => {
    await eraseContact(tx, first.row.contactId);
    const { conversationId } = first.row;
    const calls = [
      receive(dataSource, accountId, { from, content: "again" }),
      fixture.rest("POST", `/conversations/${conversationId}/messages`, { content: "x" }),
    ] as const;
    await eventually(async () => {
      const waits = await fixture.query(
        "SELECT 1 FROM information_schema.processlist WHERE db = DATABASE() AND info LIKE '%FOR UPDATE' AND id <> CONNECTION_ID()",
      );
      expect(waits).toHaveLength(2);
    });
    return calls;
  });
  const [second, late] = [await writing, await sending];
  expect(second.created).toBe(true);
  expect(second.row.contactId).toBeGreaterThan(first.row.contactId);
  expect(late.status).toBe(404);
  await sweep(fixture, first.row.contactId);
  expect(await findRows(fixture, ["content=again"])).toHaveLength(1);
});

test("of two that erase at once one does", async () => {
  const { contactId } = await fixture.makeLife("pinzon");
  const erase = async () => (await fixture.panel("DELETE", `/contacts/${contactId}`)).status;
  const statuses = await Promise.all([erase(), erase(), erase()]);
  expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 404, 404]);
});
