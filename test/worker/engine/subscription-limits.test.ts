import type { ServerResponse } from "node:http";
import { afterEach, beforeEach, expect, test } from "vitest";
import { updateSubscription } from "../../../core/services/subscriptions/subscriptions.ts";
import { asSystem, createTestSubscription } from "../../support/accounts.ts";
import { eventually } from "../../support/eventually.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { createRelayFixture } from "./relay-fixture.ts";

const fixture = useFixture(createRelayFixture);
const stops: (() => Promise<void>)[] = [];
let limitedId = 0;
let held: ServerResponse[] = [];

/** Answers the subscription `limited` when the test says so, and the other one at once. */
function holdLimited(): void {
  held = [];
  fixture.sink.answer = ({ path }, response) => {
    if (path === "/limited") held.push(response);
    else response.writeHead(204).end();
  };
}

function answerHeld(count = held.length): void {
  for (const response of held.splice(0, count)) response.writeHead(204).end();
}

/** From now on all are answered at once. */
function answerAll(): void {
  fixture.sink.answer = (_, response) => void response.writeHead(204).end();
  answerHeld();
}

async function sql(text: string, values: unknown[] = []) {
  return await fixture.database.dataSource.query(text, values);
}

async function limitTo(maxConcurrency: number | null): Promise<void> {
  await asSystem(fixture.database.dataSource, fixture.accountId, (tx) =>
    updateSubscription(tx, limitedId, { max_concurrency: maxConcurrency }),
  );
}

const arrived = (path: string) =>
  fixture.sink.posts.filter((posted) => posted.path === path).length;

async function relay(firstAttempt: "workflow" | "adaptive") {
  // In adaptive mode so old a backlog begins burst mode.
  await sql("UPDATE outbox SET available_at = available_at - INTERVAL 1 SECOND");
  const started = fixture.relay({ firstAttempt });
  stops.push(() => started.stop());
}

beforeEach(async () => {
  const { database, accountId, sink } = fixture;
  const target = { url: `${sink.url}/limited` };
  const made = await createTestSubscription(database.dataSource, accountId, target);
  limitedId = made.id;
  // The host bears many attempts from here on.
  const host = new URL(sink.url).host;
  for (let n = 0; n < 60; n += 1) {
    fixture.hostLimiter.acquire("warm:1", host);
    fixture.hostLimiter.release("warm:1", { reached: true, durationMs: 0, ip: null });
  }
});

afterEach(async () => {
  answerAll();
  await eventually(async () => {
    if ((await fixture.outbox()).length > 0) throw new Error("The outbox has rows yet.");
  });
  await Promise.all(stops.splice(0).map((stop) => stop()));
  await sql("UPDATE subscriptions SET state = 'deleted' WHERE id = ?", [limitedId]);
  fixture.sink.posts.length = 0;
});

test.each(["workflow", "adaptive"] as const)(
  "%s: a subscription gets as many POSTs at once as it has chosen, and another one of its host all that it wants",
  async (firstAttempt) => {
    await limitTo(2);
    holdLimited();
    await fixture.publish(20);
    await relay(firstAttempt);
    await eventually(() => {
      expect(arrived("/hook")).toBe(20);
      expect(arrived("/limited")).toBe(2);
    });
    answerHeld(1);
    await eventually(() => expect(arrived("/limited")).toBe(3));
    expect(held).toHaveLength(2);
    answerAll();
    await eventually(() => expect(arrived("/limited")).toBe(20));
  },
);

test.each(["workflow", "adaptive"] as const)(
  "%s: a limit that is newer than the deliveries holds for them, and moves them out of the way",
  async (firstAttempt) => {
    holdLimited();
    await fixture.publish(30);
    await limitTo(1);
    await relay(firstAttempt);
    await eventually(() => {
      expect(arrived("/hook")).toBe(30);
      expect(arrived("/limited")).toBe(1);
    });
    await eventually(async () => {
      const lanes = await sql("SELECT DISTINCT lane FROM outbox WHERE lease_until IS NULL");
      expect(lanes).toEqual([{ lane: expect.stringMatching(new RegExp(`#${limitedId}$`)) }]);
    });
    expect(held).toHaveLength(1);
    answerAll();
    await eventually(() => expect(arrived("/limited")).toBe(30));
  },
);

test.each(["workflow", "adaptive"] as const)(
  "%s: a limit that is lowered while deliveries run lets no new one begin above it",
  async (firstAttempt) => {
    await limitTo(5);
    holdLimited();
    await fixture.publish(20);
    await relay(firstAttempt);
    await eventually(() => expect(held).toHaveLength(5));
    await limitTo(1);
    answerHeld(4);
    await eventually(async () => {
      const [row] = await sql(
        "SELECT COUNT(*) AS n FROM deliveries WHERE subscription_id = ? AND state = 'delivered'",
        [limitedId],
      );
      expect(Number(row.n)).toBe(4);
    });
    for (let posts = 6; posts < 9; posts += 1) {
      answerHeld(1);
      await eventually(() => expect(arrived("/limited")).toBe(posts));
      expect(held.length).toBeLessThanOrEqual(1);
    }
  },
);

test("a limit that is taken away lets the deliveries go as those of others do", async () => {
  await limitTo(1);
  holdLimited();
  await fixture.publish(12);
  await relay("workflow");
  await eventually(() => expect(held).toHaveLength(1));
  await limitTo(null);
  answerHeld(1);
  await eventually(() => expect(held.length).toBeGreaterThanOrEqual(2));
  answerAll();
  await eventually(() => expect(arrived("/limited")).toBe(12));
});
