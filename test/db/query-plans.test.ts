import { afterAll, beforeAll, expect, test } from "vitest";
import type { DataSource } from "typeorm";
import { deliveryStates } from "../../core/model/delivery.ts";
import { claimOutboxRows } from "../../core/services/outbox-claims.ts";
import { listContacts, upsertContact } from "../../core/services/contacts.ts";
import { listDeliveries } from "../../core/services/deliveries.ts";
import { listNotifications } from "../../core/services/notifications.ts";
import { findApiKeyPrincipal } from "../../core/services/api-keys.ts";
import { findSession } from "../../core/services/users.ts";
import { transaction, type Tx } from "../../db/transaction.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";

let database: TestDatabase;
let dataSource: DataSource;
const accounts = 4;
const rows = 3_000;
const page = { limit: 50, offset: 0 };

beforeAll(async () => {
  database = await createTestDatabase();
  ({ dataSource } = database);
  const numbers = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})`;
  const fill = async (table: string, columns: string, select: string) =>
    await dataSource.query(`INSERT INTO ${table} (${columns}) ${numbers} SELECT ${select} FROM n`);
  const account = `1 + i % ${accounts}`;
  const states = deliveryStates.map((state) => `'${state}'`).join(", ");
  await dataSource.query("SET SESSION cte_max_recursion_depth = 1000000");
  await fill(
    "contacts",
    "account_id, name, phone, phone_key, email, source, created_at",
    `${account}, CONCAT('n', i), 34600000000 + i, 34600000000 + i, CONCAT(i, '@x.co'), 'api', NOW() - INTERVAL i SECOND`,
  );
  await fill(
    "subscriptions",
    "account_id, name, url, events, state",
    `${account}, 's', 'https://x/', '["*"]', ELT(1 + i % 4, 'active', 'paused', 'disabled', 'deleted')`,
  );
  await fill(
    "events",
    "id, account_id, type, body, occurred_at",
    `UNHEX(LPAD(HEX(i), 32, '0')), ${account}, 'contact.created', '{}', NOW()`,
  );
  await fill(
    "deliveries",
    "account_id, event_id, subscription_id, event_type, state",
    `${account}, UNHEX(LPAD(HEX(i), 32, '0')), 1 + i % 40, 'contact.created', ELT(1 + i % ${deliveryStates.length}, ${states})`,
  );
  await fill(
    "delivery_attempts",
    "account_id, delivery_id, run, seq, number, started_at, request_url",
    `${account}, i, 1, 1, 1, NOW(), 'https://x/'`,
  );
  await fill(
    "outbox",
    "account_id, kind, delivery_id, lane, available_at",
    `${account}, 'delivery', i, 'l', UTC_TIMESTAMP(3) - INTERVAL 1 + i % 50 SECOND`,
  );
  await fill(
    "notifications",
    "account_id, kind, params, dedupe_key, group_key",
    `${account}, 'delivery_discarded', '{}', i, 'g'`,
  );
  await fill(
    "api_keys",
    "account_id, name, scopes, key_hash, prefix, last_four",
    `${account}, 'k', '[]', UNHEX(SHA2(i, 256)), 'p', 'l'`,
  );
  await fill("contact_tags", "contact_id, tag, account_id", `i, 'vip', ${account}`);
  await fill(
    "contact_identities",
    "account_id, contact_id, channel_account_id, channel, external_id",
    `${account}, i, 1, 'whatsapp', i`,
  );
  await fill(
    "audit_log",
    "account_id, actor_type, action, target_type",
    `${account}, 'user', 'a', 't'`,
  );
  await fill(
    "sessions",
    "token_hash, user_id, account_id, last_seen_at, expires_at",
    `UNHEX(SHA2(i, 256)), i % 100, ${account}, NOW(), NOW() + INTERVAL 1 DAY`,
  );
  await fill("memberships", "account_id, user_id, role", `${account}, i, 'admin'`);
  await fill("users", "email, name, password_hash", "CONCAT(i, '@x.co'), 'u', '-'");
  await fill("accounts", "name, settings", "'a', '{}'");
  await fill(
    "idempotency_keys",
    "account_id, api_key_id, method, path, value, body_hash, lease_until",
    `${account}, i, 'POST', '/api/v1/contacts', i, UNHEX(SHA2(i, 256)), NOW()`,
  );
  const tables = await dataSource.query<{ name: string }[]>(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE()",
  );
  await dataSource.query(`ANALYZE TABLE ${tables.map(({ name }) => name).join(", ")}`);
});

afterAll(async () => await database.destroy());

interface Step {
  table: string;
  key: string | null;
  type: string;
  Extra: string | null;
}

/** The plan of every SELECT that `work` sends, as MySQL itself explains it. */
async function plansOf(work: (tx: Tx) => Promise<unknown>): Promise<Step[]> {
  const steps: Step[] = [];
  const rollBack = new Error("only looking");
  const actor = { type: "system", accountId: 2 } as const;
  const looking = transaction(dataSource, { actor }, async (tx) => {
    const runner = tx.manager.queryRunner;
    if (!runner) throw new Error("no runner");
    const query = runner.query.bind(runner);
    await query("SET SESSION explain_format = 'TRADITIONAL'");
    // Explains each statement just before it runs; what runs is untouched.
    const explaining = async (sql: string, ...rest: unknown[]): Promise<unknown> => {
      if (/^\s*SELECT/i.test(sql)) {
        steps.push(...((await query(`EXPLAIN ${sql}`, rest[0] as unknown[])) as Step[]));
      }
      return await Reflect.apply(query, runner, [sql, ...rest]);
    };
    Reflect.set(runner, "query", explaining);
    try {
      await work(tx);
    } finally {
      Reflect.set(runner, "query", query);
    }
    throw rollBack;
  });
  await expect(looking).rejects.toBe(rollBack);
  expect(steps.length).toBeGreaterThan(0);
  return steps;
}

/** The indexes that `table` is read by, and `sorted` or `scanned` where that is not all there is to it. */
async function indexesOf(
  work: (tx: Tx) => Promise<unknown>,
  table: string,
): Promise<Set<string | null>> {
  const own = (await plansOf(work)).filter((step) => step.table === table);
  return new Set(
    own.flatMap(({ key, type, Extra }) => [
      key,
      ...(/filesort|temporary/.test(Extra ?? "") ? ["sorted"] : []),
      ...(type === "ALL" || type === "index_merge" ? ["scanned"] : []),
    ]),
  );
}

test("contacts are read in the order of their index", async () => {
  const [list] = await plansOf((tx) => listContacts(tx, page));
  expect(list).toMatchObject({ table: "c", key: "contacts_newest" });
  expect(list?.Extra).not.toMatch(/filesort/);
});

test("a search reads its account alone, in the order of the index", async () => {
  const steps = await plansOf((tx) => listContacts(tx, { search: "n42", limit: 50, offset: 0 }));
  expect(steps.filter(({ type }) => type === "ALL")).toEqual([]);
});

test("an upsert finds its contact by the unique keys and locks it by its id", async () => {
  const body = { phone: "34600000005", email: "5@x.co" };
  const indexes = await indexesOf((tx) => upsertContact(tx, body), "Contact");
  expect(indexes).toEqual(new Set(["contacts_phone", "contacts_email", "PRIMARY"]));
});

test.each<[string, Parameters<typeof listDeliveries>[1], string]>([
  ["all", {}, "deliveries_account"],
  ["of one state", { state: "waiting" }, "deliveries_state"],
  ["of one subscription", { subscription_id: 7 }, "deliveries_subscription"],
])("deliveries are listed, %s, in the order of an index", async (_, filter, key) => {
  expect(await indexesOf((tx) => listDeliveries(tx, filter, page), "d")).toEqual(new Set([key]));
});

test("the deliveries of one event are found by it", async () => {
  const filter = { event_id: "00000000-0000-0000-0000-000000000005" };
  const steps = await plansOf((tx) => listDeliveries(tx, filter, page));
  expect(new Set(steps.map(({ key }) => key))).toEqual(new Set(["deliveries_event_subscription"]));
});

test.each([false, true])(
  "the bell reads its index, of unread ones alone: %s",
  async (unreadOnly) => {
    const list = (tx: Tx) => listNotifications(tx, 1, { ...page, unreadOnly });
    expect(await indexesOf(list, "n")).toEqual(new Set(["notifications_account"]));
  },
);

test("keys and sessions are found by their hash", async () => {
  const now = new Date();
  const key = await plansOf((tx) => findApiKeyPrincipal(tx.manager, "5", now));
  expect(key.filter(({ type }) => type === "ALL")).toEqual([]);
  const session = await plansOf((tx) => findSession(tx.manager, Buffer.alloc(32), now));
  expect(session.filter(({ type }) => type === "ALL")).toEqual([]);
});

test("a claim reads due rows in the order of their index and locks no more than it takes", async () => {
  const [claim] = await plansOf((tx) => claimOutboxRows(tx, 20));
  expect(claim).toMatchObject({ table: "outbox", key: "outbox_due" });
  expect(claim?.Extra).not.toMatch(/filesort/);
  await transaction(dataSource, { actor: { type: "system", accountId: 0 } }, async (tx) => {
    await claimOutboxRows(tx, 20);
    const [locks] = await tx.manager.query<{ n: number }[]>(
      "SELECT trx_rows_locked AS n FROM information_schema.innodb_trx WHERE trx_mysql_thread_id = CONNECTION_ID()",
    );
    // Each row counts once in the index it was found by and once itself.
    expect(Number(locks?.n)).toBeLessThanOrEqual(3 * 20);
  });
});
