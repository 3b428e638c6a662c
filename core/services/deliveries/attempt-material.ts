import { bytesToUuid } from "../../../db/entities/columns.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { EventType } from "../../model/event-types.ts";
import { secretContext } from "../subscriptions/subscriptions.ts";
import { lockRows, type DeliveryFacts, type LockOptions } from "./delivery-facts.ts";

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
  /** Null where the event is erased. */
  body: Buffer | null;
  occurred_at: Date;
  /** Null where the subscription has no secret. */
  secret_id: number | null;
  sealed: string | null;
}

/** A locked delivery, and what an attempt would post; undefined where that is missing. */
export interface LockedMaterial {
  facts: DeliveryFacts;
  material: AttemptMaterial | undefined;
}

/** Secrets that sign at the moment of the transaction. */
const secretsJoin = `subscription_secrets x
         ON x.subscription_id = d.subscription_id AND (x.valid_until IS NULL OR x.valid_until > ?)`;

/** Locks deliveries as `lockDeliveries` does, and reads their materials with the same statement. */
export async function lockMaterials(
  tx: Tx,
  ids: readonly number[],
  locking: LockOptions,
): Promise<Map<number, LockedMaterial>> {
  const rows = await lockRows<DeliveryFacts & MaterialRow>(tx, ids, locking, {
    columns: ", s.max_concurrency, e.body, e.occurred_at, x.id AS secret_id, x.sealed",
    join: `LEFT JOIN ${secretsJoin}`,
    joinValues: [tx.now],
  });
  const materials = materialsOf(rows);
  return new Map(rows.map((row) => [row.id, { facts: row, material: materials.get(row.id) }]));
}

/** @returns undefined where the delivery is gone, its event is erased or its subscription has no secret */
export async function readMaterial(tx: Tx, id: number): Promise<AttemptMaterial | undefined> {
  const rows = await tx.manager.query<MaterialRow[]>(
    `SELECT d.id, d.account_id, d.event_id, d.event_type, d.subscription_id, s.url, s.max_concurrency,
            e.body, e.occurred_at, x.id AS secret_id, x.sealed
       FROM deliveries d
       JOIN subscriptions s ON s.id = d.subscription_id
       JOIN events e ON e.id = d.event_id
       JOIN ${secretsJoin}
      WHERE d.id = ?`,
    [tx.now, id],
  );
  return materialsOf(rows).get(id);
}

/**
 * Sorts by itself: MySQL would copy the bodies to a temporary table for that.
 * @param rows one for each secret of a delivery
 */
function materialsOf(rows: readonly MaterialRow[]): Map<number, AttemptMaterial> {
  const materials = new Map<number, AttemptMaterial>();
  const newestFirst = rows.toSorted((a, b) => Number(b.secret_id) - Number(a.secret_id));
  for (const { sealed, body, ...row } of newestFirst) {
    if (sealed === null || body === null) continue;
    const known = materials.get(row.id);
    if (known === undefined) materials.set(row.id, materialOf({ ...row, sealed, body }));
    else known.sealedSecrets.push(sealed);
  }
  return materials;
}

function materialOf(
  row: Omit<MaterialRow, "sealed" | "body"> & { sealed: string; body: Buffer },
): AttemptMaterial {
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
