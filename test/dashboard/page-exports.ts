import type { TestAccount } from "../support/accounts.ts";
import type { DashboardFixture } from "../support/dashboard-fixture.ts";

const kinds = ["contacts", "contact", "appointments", "deliveries"] as const;
const states = [
  { state: "done", rows: 104_233, size: 48_000_000, hours: 20 },
  { state: "queued", rows: 0, size: null, hours: null },
  { state: "running", rows: 52_000, size: null, hours: null },
  { state: "failed", rows: 9_000_000, size: null, hours: null, error: "export_too_large" },
  { state: "failed", rows: 0, size: null, hours: null, error: "export_failed" },
  { state: "done", rows: 1, size: 800, hours: -3 },
] as const;

/** Exports in each state, in turns of the account's admin and of somebody who is gone. */
export async function fillExports(
  { database: { dataSource } }: DashboardFixture,
  { accountId, userId }: TestAccount,
  rows: number,
): Promise<void> {
  const now = Date.now();
  for (let row = 0; row < rows; row += 1) {
    const kind = kinds[row % kinds.length];
    const given = states[row % states.length] ?? states[0];
    const expiresAt = given.hours === null ? null : new Date(now + given.hours * 3_600_000);
    await dataSource.query(
      `INSERT INTO exports (account_id, kind, state, contact_id, \`rows\`, size, error_code,
                            created_by_user_id, created_at, expires_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      [
        accountId,
        kind,
        given.state,
        kind === "contact" ? 1 : null,
        given.rows,
        given.size,
        "error" in given ? given.error : null,
        row % 7 === 6 ? 999_999 : userId,
        new Date(now - row * 60_000),
        expiresAt,
      ],
    );
  }
}
