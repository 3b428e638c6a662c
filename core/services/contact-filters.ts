import { Membership } from "../../db/entities/user.ts";
import type { Tx } from "../../db/transaction.ts";
import { invalidField } from "../errors.ts";
import { maxContactFilters, type ContactFilter } from "../model/contact-filter.ts";
import { requireUserId } from "./actor.ts";

/** The filters of the contact list that the person keeps in this account, by name. */
export async function listContactFilters(tx: Tx): Promise<ContactFilter[]> {
  const { contactFilters } = await tx.manager.findOneByOrFail(Membership, keyOf(tx));
  return contactFilters ?? [];
}

/**
 * Keeps a filter, in place of the one of that name.
 * @throws AppError `validation_error` with `too_many_filters`.
 */
export async function keepContactFilter(tx: Tx, filter: ContactFilter): Promise<ContactFilter[]> {
  const others = (await lockFilters(tx)).filter(({ name }) => name !== filter.name);
  if (others.length >= maxContactFilters) {
    throw invalidField(
      "body.name",
      "too_many_filters",
      `Keep at most ${maxContactFilters} filters. Forget one first.`,
    );
  }
  return await store(tx, [...others, filter]);
}

/** Forgets the filter of this name; nothing where there is none. */
export async function forgetContactFilter(tx: Tx, name: string): Promise<ContactFilter[]> {
  return await store(
    tx,
    (await lockFilters(tx)).filter((filter) => filter.name !== name),
  );
}

/** Two tabs that keep one each at the same time keep both. */
async function lockFilters(tx: Tx): Promise<ContactFilter[]> {
  const { contactFilters } = await tx.manager.findOneOrFail(Membership, {
    where: keyOf(tx),
    lock: { mode: "pessimistic_write" },
  });
  return contactFilters ?? [];
}

async function store(tx: Tx, filters: ContactFilter[]): Promise<ContactFilter[]> {
  const contactFilters = filters.toSorted((one, other) => one.name.localeCompare(other.name));
  await tx.manager.update(Membership, keyOf(tx), { contactFilters });
  return contactFilters;
}

function keyOf({ actor }: Tx): { accountId: number; userId: number } {
  return { accountId: actor.accountId, userId: requireUserId(actor) };
}
