import type { Tx } from "../../../db/transaction.ts";
import type { ArrivedField } from "../../channels/meta/webhook-fields.ts";
import { placeholders } from "../sql.ts";

/** Seconds for which a second arrival of a field is not written. */
const freshSeconds = 10;

/** Time of the last arrival of each field, by the id of a number, Page or business account. */
export type SeenFields = ReadonlyMap<string, ReadonlyMap<string, Date>>;

/**
 * Notes that fields have arrived for numbers, Pages or business accounts of an app.
 * @param arrived without a limit; the rows have one, because Meta's fields are few
 */
export async function noteFields(
  tx: Tx,
  { accountId, channelAppId }: { accountId: number; channelAppId: number },
  arrived: readonly ArrivedField[],
): Promise<void> {
  // In one order, so that two processes do not lock the rows of each other.
  const keys = new Map(arrived.map((one) => [`${one.externalId} ${one.field}`, one] as const));
  const rows = [...keys].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row);
  if (rows.length === 0) return;
  await tx.manager.query(
    `INSERT INTO channel_app_fields (account_id, channel_app_id, external_id, field, seen_at)
     VALUES ${rows.map(() => "(?, ?, ?, ?, ?)").join(", ")}
     ON DUPLICATE KEY UPDATE seen_at =
       IF(seen_at < VALUES(seen_at) - INTERVAL ${freshSeconds} SECOND, VALUES(seen_at), seen_at)`,
    rows.flatMap(({ externalId, field }) => [accountId, channelAppId, externalId, field, tx.now]),
  );
}

/** Fields that have arrived at these apps, by the app and the id of the number or Page. */
export async function readSeenFields(
  tx: Tx,
  channelAppIds: readonly number[],
): Promise<SeenFields> {
  if (channelAppIds.length === 0) return new Map();
  const rows = await tx.manager.query<
    { channelAppId: number; externalId: string; field: string; seenAt: Date }[]
  >(
    `SELECT channel_app_id AS channelAppId, external_id AS externalId, field, seen_at AS seenAt
       FROM channel_app_fields
      WHERE account_id = ? AND channel_app_id IN (${placeholders(channelAppIds)})`,
    [tx.actor.accountId, ...channelAppIds],
  );
  const seen = new Map<string, Map<string, Date>>();
  for (const { channelAppId, externalId, field, seenAt } of rows) {
    const key = seenKey(Number(channelAppId), externalId);
    const fields = seen.get(key) ?? new Map<string, Date>();
    seen.set(key, fields.set(field, seenAt));
  }
  return seen;
}

/** Time of the last arrival of each field at these apps, whatever it arrived for. */
export async function readFieldTimes(
  tx: Tx,
  channelAppIds: readonly number[],
): Promise<Map<number, Map<string, Date>>> {
  const times = new Map<number, Map<string, Date>>();
  for (const [key, fields] of await readSeenFields(tx, channelAppIds)) {
    const id = Number(key.split(" ")[0]);
    const known = times.get(id) ?? new Map<string, Date>();
    for (const [field, at] of fields) {
      const before = known.get(field);
      if (before === undefined || before < at) known.set(field, at);
    }
    times.set(id, known);
  }
  return times;
}

/** Key of an app's number, Page or business account among the seen fields. */
export function seenKey(channelAppId: number, externalId: string): string {
  return `${channelAppId} ${externalId}`;
}
