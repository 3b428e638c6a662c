import type { Tx } from "../../../db/transaction.ts";
import { actorOf } from "./actor.ts";

/** An action on a row. `details` holds names, numbers and reasons, never a secret or a body. */
export interface AuditRecord {
  /** `subscription.created` */
  action: string;
  targetType: string;
  targetId: number | null;
  details?: Record<string, unknown>;
}

/** Builds the records of one kind of row: `auditOf("replay")("paused", id, {})`. */
export function auditOf(targetType: string) {
  return (action: string, targetId: number, details: Record<string, unknown>): AuditRecord => ({
    action: `${targetType}.${action}`,
    targetType,
    targetId,
    details,
  });
}

/** Records an action with its actor, time and origin, in the transaction of the action. */
export async function recordAudit(tx: Tx, record: AuditRecord): Promise<void> {
  const { actorType, actorId } = actorOf(tx.actor);
  await tx.manager.query(
    `INSERT INTO audit_log (account_id, actor_type, actor_id, action, target_type, target_id, details, ip, request_id, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      tx.actor.accountId,
      actorType,
      actorId,
      record.action,
      record.targetType,
      record.targetId,
      record.details === undefined ? null : JSON.stringify(record.details),
      tx.origin?.ip ?? null,
      tx.origin?.requestId ?? null,
      tx.now,
    ],
  );
}
