import { In, type EntityTarget, type FindOptionsWhere, type ObjectLiteral } from "typeorm";
import type { Tx } from "../../../db/transaction.ts";
import { AppError } from "../../errors.ts";
import type { ErrorNoun } from "../../model/error-catalogue.ts";
import { isAdmin, requireUserId } from "../accounts/actor.ts";
import { getOwned } from "../sql.ts";

/** `owner_user_id` of rows that every member of the account may use. */
export const everyone = 0;

type OwnedAnswer = ObjectLiteral & { id: number; accountId: number; ownerUserId: number };

/** Owners of the rows that the person may use: the account and the person. */
export function usableOwners(tx: Tx): [number, number] {
  return [everyone, requireUserId(tx.actor)];
}

/**
 * Owner of a row that the person saves.
 * @throws AppError `forbidden_role` where an agent would share it.
 */
export function requireOwner(tx: Tx, shared: boolean): number {
  if (!shared) return requireUserId(tx.actor);
  if (!isAdmin(tx.actor)) throw sharedByAdmins();
  return everyone;
}

/**
 * A row that the person may use. A row of another person reads as unknown.
 * @throws AppError `<noun>_not_found`
 */
export async function getUsable<Row extends OwnedAnswer>(
  tx: Tx,
  entity: EntityTarget<Row>,
  noun: ErrorNoun,
  id: number,
): Promise<Row> {
  const where: FindOptionsWhere<OwnedAnswer> = { id, ownerUserId: In(usableOwners(tx)) };
  return await getOwned(tx, entity, noun, where as FindOptionsWhere<Row>);
}

/**
 * A locked row that the person may change.
 * @throws AppError `<noun>_not_found`; `forbidden_role` where an agent would change a shared row.
 */
export async function lockChangeable<Row extends OwnedAnswer>(
  tx: Tx,
  entity: EntityTarget<Row>,
  noun: ErrorNoun,
  id: number,
): Promise<Row> {
  const where: FindOptionsWhere<OwnedAnswer> = { id, ownerUserId: In(usableOwners(tx)) };
  const row = await getOwned(tx, entity, noun, where as FindOptionsWhere<Row>, true);
  if (row.ownerUserId === everyone && !isAdmin(tx.actor)) throw sharedByAdmins();
  return row;
}

function sharedByAdmins(): AppError {
  return new AppError("forbidden_role", {
    message: "Only an admin of the account changes what all members share.",
  });
}
