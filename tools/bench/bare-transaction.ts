import { randomBytes } from "node:crypto";
import mysql from "mysql2/promise";
import { measureRate } from "./load.ts";

/**
 * Rate of transactions that write the rows of an upsert with one matching subscription, by the bare
 * driver.
 * @returns transactions per second
 */
export async function measureBareTransaction(
  url: string,
  accountId: number,
  total: number,
  concurrency: number,
): Promise<number> {
  const pool = mysql.createPool({ uri: url, connectionLimit: concurrency });
  const body = Buffer.alloc(420, 120);
  const write = async (index: number) => {
    const connection = await pool.getConnection();
    const eventId = randomBytes(16);
    await connection.query("START TRANSACTION");
    await connection.query(
      "INSERT INTO contacts (account_id, name, phone, phone_key, source) VALUES (?, ?, ?, ?, 'api')",
      [accountId, `Bare ${index}`, `49${10_000_000 + index}`, `49${10_000_000 + index}`],
    );
    await connection.query(
      "INSERT INTO events (id, account_id, type, contact_id, body, occurred_at) VALUES (?, ?, 'contact.created', 1, ?, UTC_TIMESTAMP(3))",
      [eventId, accountId, body],
    );
    // No subscription has id 0, so nothing is ever delivered.
    const [delivery] = await connection.query<mysql.ResultSetHeader>(
      "INSERT INTO deliveries (account_id, event_id, subscription_id, event_type, state) VALUES (?, ?, 0, 'contact.created', 'skipped')",
      [accountId, eventId],
    );
    await connection.query(
      "INSERT INTO outbox (account_id, kind, delivery_id, lane, available_at) VALUES (?, 'delivery', ?, 'bench', '9999-12-31')",
      [accountId, delivery.insertId],
    );
    await connection.query("COMMIT");
    connection.release();
  };
  await measureRate(200, concurrency, (index) => write(9_000_000 + index));
  const rate = await measureRate(total, concurrency, write);
  await pool.query("DELETE FROM outbox WHERE lane = 'bench'");
  await pool.end();
  return rate;
}
