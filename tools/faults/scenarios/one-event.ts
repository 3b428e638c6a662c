import type { CallingAccount, WantedSubscription } from "../accounts.ts";
import { readRows, withMysql } from "../books.ts";
import { addLoad, check, untilTrue, type ScenarioContext } from "../scenario-context.ts";

/** A receiver that gets one event, with the expected result. */
export interface Expected {
  name: string;
  attempts: number;
  state: "delivered" | "discarded";
  /** Error class of the last attempt; null for a success. */
  errorClass: string | null;
}

/** Spreads receivers over accounts, because an account has at most 20 subscriptions. */
export function spread<T extends Expected>(
  list: readonly T[],
  accounts: number,
  more: (one: T) => Partial<WantedSubscription>,
): WantedSubscription[] {
  return list.map((one, index) => ({
    account: index % accounts,
    name: one.name,
    events: ["contact.created"],
    ...more(one),
  }));
}

/** Creates a contact in each account. */
export async function createOnePerAccount(
  stage: ScenarioContext,
  accounts: readonly CallingAccount[],
): Promise<void> {
  for (const account of accounts) {
    const load = addLoad(stage, 1, [account]);
    await untilTrue(() => load.calls.length > 0, 5_000);
    await load.stop();
  }
}

interface Outcome {
  name: string;
  deliveries: number;
  attempts: number;
  state: string;
  error_class: string | null;
}

/** Compares the result of each event with the expected one. */
export async function checkOutcomes(
  stage: ScenarioContext,
  expected: readonly Expected[],
): Promise<void> {
  const rows = await withMysql(stage.installation, async (connection) =>
    readRows<Outcome>(
      connection,
      `SELECT SUBSTRING_INDEX(s.url, '/', -1) AS name, COUNT(*) AS deliveries, MAX(d.state) AS state,
              MAX(d.attempts_made) AS attempts, MAX(d.last_error_class) AS error_class
         FROM deliveries d JOIN subscriptions s ON s.id = d.subscription_id GROUP BY s.id, s.url`,
    ),
  );
  for (const { name, attempts, state, errorClass } of expected) {
    const row = rows.find((one) => one.name === name);
    const found =
      row === undefined ? "no delivery" : tell(row.attempts, row.state, row.error_class);
    const wanted = tell(attempts, state, errorClass);
    check(
      stage,
      found === wanted && row?.deliveries === 1,
      `${name}: ${found} instead of ${wanted}`,
    );
  }
  stage.print(`${expected.length} receivers, ${rows.length} with a delivery`);
}

function tell(attempts: number, state: string, errorClass: string | null): string {
  return `${state} after ${attempts} attempts${errorClass === null ? "" : ` (${errorClass})`}`;
}
