import type { Tx } from "../../../db/transaction.ts";
import { openDeliveryStates, type DeliveryState } from "../../model/workflow/delivery.ts";
import type { EventType } from "../../model/event-types.ts";
import {
  findLastSeen,
  listLiveWorkers,
  temporalStateOf,
  type LiveWorker,
  type TemporalState,
} from "./heartbeats.ts";
import { countOutbox, measureOutbox, type OutboxFigures } from "../outbox/outbox-claims.ts";
import { placeholders } from "../sql.ts";

/**
 * State of the installation, and of one account in it. Read from MySQL alone, so Temporal may be
 * unreachable.
 */
export interface SystemFigures {
  /** All accounts. */
  outbox: OutboxFigures;
  /** This account only. */
  ownOutbox: Omit<OutboxFigures, "oldestSeconds">;
  /** Unfinished deliveries of this account. */
  deliveries: Record<UnfinishedState, number>;
  /** This account only. */
  faults: DeliveryFault[];
  workers: LiveWorker[];
  lastWorkerSeenAt: Date | null;
  temporal: TemporalState;
  mysqlVersion: string;
}

/** States of an unfinished delivery. */
export const unfinishedStates = [...openDeliveryStates, "held"] as const;
export type UnfinishedState = (typeof unfinishedStates)[number];

/** A delivery whose last attempt failed. */
export interface DeliveryFault {
  delivery_id: number;
  subscription_id: number;
  /** Null if the subscription was deleted. */
  subscription_name: string | null;
  event_type: EventType;
  state: Extract<DeliveryState, "waiting" | "discarded">;
  attempts_made: number;
  status_code: number | null;
  error_class: string | null;
  workflow_id: string | null;
  updated_at: Date;
}

const mostFaults = 10;

/** Measures the installation and the account's part of it. */
export async function measureSystem(tx: Tx): Promise<SystemFigures> {
  const workers = await listLiveWorkers(tx);
  const [mysql] = await tx.manager.query<{ version: string }[]>("SELECT VERSION() AS version");
  return {
    outbox: await measureOutbox(tx),
    ownOutbox: await countOutbox(tx, tx.actor.accountId),
    deliveries: await countUnfinished(tx),
    faults: await listFaults(tx),
    workers,
    lastWorkerSeenAt: await findLastSeen(tx),
    temporal: temporalStateOf(workers),
    mysqlVersion: mysql?.version ?? "",
  };
}

async function countUnfinished(tx: Tx): Promise<SystemFigures["deliveries"]> {
  const rows = await tx.manager.query<{ state: UnfinishedState; total: number }[]>(
    `SELECT state, COUNT(*) AS total FROM deliveries FORCE INDEX (deliveries_state)
      WHERE account_id = ? AND state IN (${placeholders(unfinishedStates)}) GROUP BY state`,
    [tx.actor.accountId, ...unfinishedStates],
  );
  const found = new Map(rows.map(({ state, total }) => [state, Number(total)]));
  return Object.fromEntries(
    unfinishedStates.map((state) => [state, found.get(state) ?? 0]),
  ) as SystemFigures["deliveries"];
}

/** Deliveries that wait after a failure, and discarded ones, by their last change, newest first. */
async function listFaults(tx: Tx): Promise<DeliveryFault[]> {
  const newest = `(SELECT id FROM deliveries FORCE INDEX (deliveries_state)
    WHERE account_id = ? AND state = ? ORDER BY id DESC LIMIT ${mostFaults})`;
  const { accountId } = tx.actor;
  return await tx.manager.query<DeliveryFault[]>(
    `SELECT d.id AS delivery_id, d.subscription_id, s.name AS subscription_name, d.event_type, d.state,
            d.attempts_made, d.last_status_code AS status_code, d.last_error_class AS error_class,
            d.workflow_id, d.updated_at
       FROM (${newest} UNION ALL ${newest}) AS failed
       JOIN deliveries d ON d.id = failed.id
       LEFT JOIN subscriptions s ON s.id = d.subscription_id AND s.account_id = d.account_id AND s.state <> 'deleted'
      ORDER BY d.updated_at DESC, d.id DESC LIMIT ${mostFaults}`,
    [accountId, "waiting", accountId, "discarded"],
  );
}
