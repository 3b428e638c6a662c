import { In } from "typeorm";
import { Resource } from "../../../db/entities/resource.ts";
import type { Tx } from "../../../db/transaction.ts";

/** Names of resources of the account, by id. */
export async function readResourceNames(
  tx: Tx,
  ids: readonly number[],
): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map();
  const rows = await tx.manager.find(Resource, {
    select: { id: true, name: true },
    where: { accountId: tx.actor.accountId, id: In([...new Set(ids)]) },
  });
  return new Map(rows.map(({ id, name }) => [id, name]));
}
