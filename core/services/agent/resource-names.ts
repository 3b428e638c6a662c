import { In } from "typeorm";
import { Resource } from "../../../db/entities/resource.ts";
import type { Tx } from "../../../db/transaction.ts";

/** Names of the resources of the account that these rows name, by their ids. */
export async function readResourceNames(
  tx: Tx,
  rows: readonly { resourceId: number }[],
): Promise<Map<number, string>> {
  if (rows.length === 0) return new Map();
  const ids = new Set(rows.map(({ resourceId }) => resourceId));
  const resources = await tx.manager.find(Resource, {
    select: { id: true, name: true },
    where: { accountId: tx.actor.accountId, id: In([...ids]) },
  });
  return new Map(resources.map(({ id, name }) => [id, name]));
}
