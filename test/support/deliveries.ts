import type { DataSource } from "typeorm";

/** Deliveries of a subscription that were skipped, each of an event of its own, as a disabled one has them. */
export async function insertSkippedDeliveries(
  dataSource: DataSource,
  { accountId, id }: { accountId: number; id: number },
  total: number,
): Promise<void> {
  const numbers = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${total})`;
  // MySQL makes 1,000 numbers and no more without this.
  const deep = `/*+ SET_VAR(cte_max_recursion_depth = ${total}) */`;
  const event = `UNHEX(CONCAT(LPAD(HEX(${id}), 8, '0'), '000070008000', LPAD(HEX(i), 12, '0')))`;
  await dataSource.query(
    `INSERT INTO events (id, account_id, type, body, occurred_at) ${numbers}
     SELECT ${deep} ${event}, ?, 'contact.created', '{}', UTC_TIMESTAMP(3) FROM n`,
    [accountId],
  );
  await dataSource.query(
    `INSERT INTO deliveries (account_id, event_id, subscription_id, event_type, state, finished_at) ${numbers}
     SELECT ${deep} ?, ${event}, ?, 'contact.created', 'skipped', UTC_TIMESTAMP(3) FROM n`,
    [accountId, id],
  );
}
