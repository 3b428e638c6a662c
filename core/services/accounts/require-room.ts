import type { EntityTarget, FindOptionsWhere } from "typeorm";
import type { Tx } from "../../../db/transaction.ts";
import { invalidField } from "../../errors.ts";
import type { OwnedRow } from "../sql.ts";
import { lockAccount } from "./accounts.ts";

/** Maximum number of rows of a kind in an account, and the error of one more. */
interface RowLimit {
  max: number;
  code: string;
  message: string;
}

/**
 * Refuses a row more than the limit. The lock of the account makes two creations run one after the
 * other, so that the second counts the row of the first.
 * @param where the rows that count
 * @throws AppError `validation_error` with the code of the limit.
 */
export async function requireRoom<Row extends OwnedRow>(
  tx: Tx,
  entity: EntityTarget<Row>,
  where: FindOptionsWhere<Row>,
  { max, code, message }: RowLimit,
): Promise<void> {
  await lockAccount(tx);
  const count = await tx.manager.countBy(entity, { accountId: tx.actor.accountId, ...where });
  if (count >= max) throw invalidField("body", code, message);
}
