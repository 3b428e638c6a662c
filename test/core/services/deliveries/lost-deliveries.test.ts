import { expect, test, vi } from "vitest";
import { listOverdue } from "../../../../core/services/deliveries/lost-deliveries.ts";
import { asSystem } from "../../../support/accounts.ts";
import { createTestDatabase } from "../../../support/database.ts";
import { useFixture } from "../../../support/use-fixture.ts";

const database = useFixture(createTestDatabase);
const accounts = 2_000;

test("late runs of 2,000 accounts are looked for in statements of a bounded length, by their ids", async () => {
  // Accounts come in another order than deliveries, and each has two states.
  await database.dataSource.query(
    `INSERT INTO deliveries (id, account_id, event_id, subscription_id, event_type, state, updated_at)
     WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${2 * accounts})
     SELECT /*+ SET_VAR(cte_max_recursion_depth = 1000000) */ i, 1 + i * 7 % ${accounts},
            UNHEX(LPAD(HEX(i), 32, '0')), 1, 'contact.created', IF(i <= ${accounts}, 'waiting', 'queued'),
            UTC_TIMESTAMP(3) - INTERVAL 11 MINUTE FROM n`,
  );
  const found: number[] = [];
  const lengths: number[] = [];
  for (let after: number | null = 0; after !== null;) {
    const from: number = after;
    const page = await asSystem(database.dataSource, 0, async (tx) => {
      const query = vi.spyOn(tx.manager, "query");
      const overdue = await listOverdue(tx, from, { size: 1_000, looks: 1_500 });
      lengths.push(...query.mock.calls.map(([sql]) => sql.length));
      return overdue;
    });
    found.push(...page.late.map(({ id }) => id));
    after = page.through;
  }
  expect(found).toEqual(Array.from({ length: 2 * accounts }, (_, index) => index + 1));
  expect(Math.max(...lengths)).toBeLessThan(30_000);
});
