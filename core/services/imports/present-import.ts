import { In } from "typeorm";
import type { Import, ImportRow } from "../../../db/entities/import.ts";
import { User } from "../../../db/entities/user.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { ImportRowView, ImportView, RowOfImportView } from "../../model/views/import.ts";
import { findTurnOwner } from "./import-turns.ts";

/** Facts beside the rows that views of imports show. */
interface ViewFacts {
  turnOwner: number | null;
  names: ReadonlyMap<number, string>;
}

/** Views of a list of imports. */
export async function presentImports(tx: Tx, rows: readonly Import[]): Promise<ImportRowView[]> {
  const facts = await readFacts(tx, rows);
  return rows.map((row) => presentRow(tx, row, facts));
}

/** View of one import. */
export async function presentImport(tx: Tx, row: Import): Promise<ImportView> {
  const { detected, mapping, reasons, differing } = row;
  const common = presentRow(tx, row, await readFacts(tx, [row]));
  return { ...common, detected, mapping, reasons, differing };
}

async function readFacts(tx: Tx, rows: readonly Import[]): Promise<ViewFacts> {
  const ids = [...new Set(rows.flatMap((row) => row.createdByUserId ?? []))];
  const users = ids.length === 0 ? [] : await tx.manager.findBy(User, { id: In(ids) });
  const names = new Map(users.map(({ id, name }) => [id, name]));
  return { turnOwner: await findTurnOwner(tx), names };
}

function presentRow(tx: Tx, row: Import, { turnOwner, names }: ViewFacts) {
  const { id, kind, name, size, state, counts, errorCode, errorLine, undoUntil } = row;
  const needsTurn = state === "committing" || state === "undoing";
  const isEnded = state === "done" || state === "cancelled";
  return {
    id,
    kind,
    name,
    size,
    state,
    is_waiting: needsTurn && turnOwner !== null && turnOwner !== id,
    counts,
    error: errorCode === null ? null : { code: errorCode, line: errorLine },
    created_by_name: names.get(row.createdByUserId ?? 0) ?? null,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
    planned_at: row.plannedAt?.toISOString() ?? null,
    started_at: row.startedAt?.toISOString() ?? null,
    finished_at: row.finishedAt?.toISOString() ?? null,
    undo_until: undoUntil?.toISOString() ?? null,
    can_undo: isEnded && undoUntil !== null && undoUntil > tx.now,
  };
}

/** Rows of an import as the Dashboard shows them. */
export function presentImportRow(row: ImportRow): RowOfImportView {
  const { number, raw, plan, reason, fields, state, differs, contactId } = row;
  return { row_number: number, raw, plan, reason, fields, state, differs, contact_id: contactId };
}
