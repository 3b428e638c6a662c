import { bytesToUuid } from "../../../db/entities/columns.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { EventType } from "../../model/event-types.ts";
import { placeholders } from "../sql.ts";
import { secretContext } from "../subscriptions/subscriptions.ts";

/** Material for the POST of an attempt, as it is now. */
export interface AttemptMaterial {
  accountId: number;
  eventId: string;
  eventType: EventType;
  occurredAt: Date;
  /** The subscription with its limit. */
  subscription: { id: number; maxConcurrency: number | null };
  url: string;
  /** The stored bytes, the same on every attempt. */
  body: Buffer;
  /** Sealed secrets that sign now, the newest first. `secretContext` is needed to open them. */
  sealedSecrets: string[];
  secretContext: string;
}

interface MaterialRow {
  id: number;
  account_id: number;
  event_id: Buffer;
  event_type: EventType;
  subscription_id: number;
  url: string;
  max_concurrency: number | null;
  body: Buffer;
  occurred_at: Date;
  sealed: string;
}

/**
 * Materials by delivery id. Missing where the delivery is gone, its event is erased or its
 * subscription has no secret.
 */
export async function readMaterials(
  tx: Tx,
  ids: readonly number[],
): Promise<Map<number, AttemptMaterial>> {
  const rows = await tx.manager.query<MaterialRow[]>(
    `SELECT d.id, d.account_id, d.event_id, d.event_type, d.subscription_id, s.url, s.max_concurrency,
            e.body, e.occurred_at, x.sealed
       FROM deliveries d FORCE INDEX (PRIMARY)
       JOIN subscriptions s ON s.id = d.subscription_id
       JOIN events e ON e.id = d.event_id AND e.body IS NOT NULL
       JOIN subscription_secrets x ON x.subscription_id = d.subscription_id AND (x.valid_until IS NULL OR x.valid_until > ?)
      WHERE d.id IN (${placeholders(ids)}) ORDER BY d.id, x.id DESC`,
    [tx.now, ...ids],
  );
  const materials = new Map<number, AttemptMaterial>();
  for (const row of rows) {
    const known = materials.get(row.id);
    if (known === undefined) materials.set(row.id, materialOf(row));
    else known.sealedSecrets.push(row.sealed);
  }
  return materials;
}

function materialOf(row: MaterialRow): AttemptMaterial {
  return {
    accountId: row.account_id,
    eventId: bytesToUuid(row.event_id),
    eventType: row.event_type,
    occurredAt: row.occurred_at,
    subscription: { id: row.subscription_id, maxConcurrency: row.max_concurrency },
    url: row.url,
    body: row.body,
    sealedSecrets: [row.sealed],
    secretContext: secretContext(row.account_id, row.subscription_id),
  };
}
