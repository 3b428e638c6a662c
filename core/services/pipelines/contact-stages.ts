import type { Tx } from "../../../db/transaction.ts";
import type { StageView } from "../../model/pipeline.ts";
import { placeholders } from "../sql.ts";

/** The contact's stage in each of its pipelines, the latest move first. */
export async function listContactStages(
  tx: Tx,
  contactId: number,
): Promise<(StageView & { moved_at: Date })[]> {
  return await tx.manager.query(
    `SELECT c.pipeline_id, p.name AS pipeline_name, c.stage_id, s.name AS stage_name, c.moved_at
       FROM contact_stages c FORCE INDEX (contact_stages_contact)
       JOIN pipeline_stages s ON s.id = c.stage_id
       JOIN pipelines p ON p.id = c.pipeline_id
      WHERE c.contact_id = ? AND c.account_id = ? ORDER BY c.moved_at DESC, c.id DESC`,
    [contactId, tx.actor.accountId],
  );
}

/** Stage that views of a contact's conversations show: the latest move in any pipeline. */
export async function findNewestStage(tx: Tx, contactId: number): Promise<StageView | null> {
  const [newest] = await listContactStages(tx, contactId);
  if (newest === undefined) return null;
  const { moved_at: _, ...stage } = newest;
  return stage;
}

/** The newest stage of each contact, as lists show it. */
export async function loadStagesOf(tx: Tx, contactIds: number[]) {
  if (contactIds.length === 0) return new Map<number, StageView>();
  const rows = await tx.manager.query<(StageView & { contact_id: number })[]>(
    `SELECT c.contact_id, c.pipeline_id, p.name AS pipeline_name, c.stage_id, s.name AS stage_name
       FROM contact_stages c FORCE INDEX (contact_stages_contact)
       JOIN pipeline_stages s ON s.id = c.stage_id
       JOIN pipelines p ON p.id = c.pipeline_id
      WHERE c.contact_id IN (${placeholders(contactIds)}) AND c.account_id = ?
      ORDER BY c.moved_at, c.id`,
    [...contactIds, tx.actor.accountId],
  );
  return new Map(rows.map(({ contact_id: id, ...stage }) => [id, stage]));
}
