import { beforeAll, expect, test } from "vitest";
import type { DeliveryState } from "../../core/model/workflow/delivery.ts";
import { cancelOpenDeliveries } from "../../core/services/deliveries/deliveries.ts";
import {
  holdOpenDeliveries,
  resumeHeldDeliveries,
} from "../../core/services/deliveries/delivery-holds.ts";
import { systemOf, transaction, type Tx } from "../../db/transaction.ts";
import { createTestDatabase } from "../support/database.ts";
import { useFixture } from "../support/use-fixture.ts";

const database = useFixture(createTestDatabase);
const accountId = 2;
const subscriptionId = 7;
/** Deliveries of another subscription, in front of those of this one. */
const others = 25_000;
const own = 12;
/** Ids of a window. */
const windowIds = 10_000;

beforeAll(async () => {
  const { dataSource } = database;
  await dataSource.query(
    `INSERT INTO subscriptions (id, account_id, name, url, events, state)
     VALUES (${subscriptionId}, ${accountId}, 's', 'https://x/', '["*"]', 'active')`,
  );
  await dataSource.query(
    `INSERT INTO deliveries (account_id, event_id, subscription_id, event_type, state)
     WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${others + own})
     SELECT /*+ SET_VAR(cte_max_recursion_depth = 1000000) */ ${accountId},
            UNHEX(LPAD(HEX(i), 32, '0')), IF(i <= ${others}, 8, ${subscriptionId}),
            'contact.created', 'waiting'
       FROM n`,
  );
  await dataSource.query("ANALYZE TABLE deliveries");
});

/** Index entries that the session has read in their order. */
async function readEntries(tx: Tx): Promise<number> {
  const [status] = await tx.manager.query<{ Value: string }[]>(
    "SHOW SESSION STATUS LIKE 'Handler_read_next'",
  );
  return Number(status?.Value);
}

async function countOthers(tx: Tx, state: DeliveryState): Promise<number> {
  const [row] = await tx.manager.query<{ n: number }[]>(
    "SELECT COUNT(*) AS n FROM deliveries WHERE subscription_id = 8 AND state = ?",
    [state],
  );
  return Number(row?.n);
}

/** A step behind an id, with the id of the next step; null after the last one. */
type Step = (tx: Tx, after: number) => Promise<{ changed: number; next: number | null }>;

const limit = 5;
const holding: Step = (tx, after) => holdOpenDeliveries(tx, subscriptionId, limit, after);
const cancelling: Step = (tx, after) => cancelOpenDeliveries(tx, subscriptionId, limit, after);
const resuming: Step = (tx, after) => resumeHeldDeliveries(tx, subscriptionId, limit, after);

test.each<[string, DeliveryState, string, Step]>([
  ["holds", "waiting", "paused", holding],
  ["resumes", "held", "active", resuming],
  ["cancels open", "waiting", "deleted", cancelling],
  ["cancels held", "held", "deleted", cancelling],
])(
  "a step that %s deliveries reads one window of those of other subscriptions",
  async (_, from, state, step) => {
    const rolledBack = new Error("rolled back");
    const walk = transaction(database.dataSource, systemOf(accountId), async (tx) => {
      await tx.manager.query("UPDATE deliveries SET state = ?", [from]);
      await tx.manager.query("UPDATE subscriptions SET state = ?", [state]);
      const read: number[] = [];
      let total = 0;
      for (let after: number | null = 0; after !== null && read.length < 20;) {
        const before = await readEntries(tx);
        const { changed, next } = await step(tx, after);
        read.push((await readEntries(tx)) - before);
        total += changed;
        after = next;
      }
      expect(total).toBe(own);
      expect(read.length).toBeLessThan(20);
      expect(Math.max(...read)).toBeLessThan(windowIds + 1_000);
      // All windows together read each delivery once or twice.
      expect(read.reduce((sum, one) => sum + one, 0)).toBeLessThan(2 * others);
      expect(await countOthers(tx, from)).toBe(others);
      throw rolledBack;
    });
    await expect(walk).rejects.toBe(rolledBack);
  },
);
