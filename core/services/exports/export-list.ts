import { In } from "typeorm";
import { Export } from "../../../db/entities/export.ts";
import { User } from "../../../db/entities/user.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { Page, PageBounds } from "../../model/page.ts";
import type { ExportRowView } from "../../model/views/export.ts";
import { actingUserId } from "../accounts/actor.ts";
import { presentExport } from "./exports.ts";

/** The exports of everybody in the account, the newest first. */
export async function listExports(tx: Tx, bounds: PageBounds): Promise<Page<Export>> {
  const { accountId } = tx.actor;
  const [rows, total] = await tx.manager
    .createQueryBuilder(Export, "export")
    // MySQL would rather sort the rows of an index by state.
    .useIndex("exports_list")
    .where({ accountId })
    .orderBy("export.id", "DESC")
    .take(bounds.limit)
    .skip(bounds.offset)
    .getManyAndCount();
  return { rows, total, totalAtLeast: false };
}

/** Views of a list of exports. */
export async function presentExports(tx: Tx, rows: readonly Export[]): Promise<ExportRowView[]> {
  const ids = [...new Set(rows.map((row) => row.createdByUserId))];
  const users = ids.length === 0 ? [] : await tx.manager.findBy(User, { id: In(ids) });
  const names = new Map(users.map(({ id, name }) => [id, name]));
  const own = actingUserId(tx.actor);
  return rows.map((row) => ({
    ...presentExport(row, tx.now),
    created_by_name: names.get(row.createdByUserId) ?? null,
    is_mine: row.createdByUserId === own,
  }));
}
