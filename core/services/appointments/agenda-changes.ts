import type { Tx } from "../../../db/transaction.ts";
import { recordAudit, type AuditRecord } from "../accounts/audit.ts";
import { recordChange } from "../outbox/changes.ts";

/**
 * Records a change of resources, services or booking links in the audit log, and notifies live
 * views.
 */
export async function recordAgendaChange(tx: Tx, record: AuditRecord): Promise<void> {
  await recordAudit(tx, record);
  await recordChange(tx, { kind: "agenda.updated" });
}
