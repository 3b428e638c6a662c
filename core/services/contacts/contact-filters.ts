import { IsNull, Not } from "typeorm";
import { Membership } from "../../../db/entities/user.ts";
import type { Tx } from "../../../db/transaction.ts";
import { invalidField } from "../../errors.ts";
import { maxContactFilters, type ContactFilter } from "../../model/contact-filter.ts";
import type { ErasedPerson } from "../../model/erasure.ts";
import { requireUserId } from "../accounts/actor.ts";

/** The filters of the contact list that the person keeps in this account, by name. */
export async function listContactFilters(tx: Tx): Promise<ContactFilter[]> {
  const { contactFilters } = await tx.manager.findOneByOrFail(Membership, keyOf(tx));
  return contactFilters ?? [];
}

/**
 * Keeps a filter. Replaces a filter of the same name.
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

/** Deletes the filter of this name, if there is one. */
export async function forgetContactFilter(tx: Tx, name: string): Promise<ContactFilter[]> {
  return await store(
    tx,
    (await lockFilters(tx)).filter((filter) => filter.name !== name),
  );
}

/**
 * True for a text that names an erased person: by a name of several words or an email as whole
 * words, or by the last digits of a phone. A name of one word has to be the whole text, because it
 * may be a usual word too.
 */
export function namesPerson({
  names,
  emails,
  phoneEndings,
}: ErasedPerson): (text: string) => boolean {
  const known = [...names, ...emails].map((one) => one.trim().toLowerCase()).filter(Boolean);
  const parts = known.filter((one) => /[\s@]/u.test(one)).map(wholeWords);
  return (text) => {
    const lower = text.trim().toLowerCase();
    return (
      known.includes(lower) ||
      parts.some((part) => part.test(lower)) ||
      phoneEndings.some((ending) => lower.replaceAll(/\D/gu, "").includes(ending))
    );
  };
}

/** Matches the words with no letter, mark or digit of any script beside them. */
function wholeWords(words: string): RegExp {
  const literal = words.replaceAll(/[$()*+./?[\\\]^{|}]/gu, String.raw`\$&`);
  return new RegExp(String.raw`(?<![\p{L}\p{M}\p{N}])${literal}(?![\p{L}\p{M}\p{N}])`, "u");
}

/** Deletes the filters of all members of the account that name an erased person. */
export async function forgetFiltersNaming(tx: Tx, person: ErasedPerson): Promise<void> {
  const isNamed = namesPerson(person);
  const members = await tx.manager.find(Membership, {
    where: { accountId: tx.actor.accountId, contactFilters: Not(IsNull()) },
    lock: { mode: "pessimistic_write" },
  });
  for (const { accountId, userId, contactFilters } of members) {
    const filters = contactFilters ?? [];
    const kept = filters.filter(
      (one) => ![one.name, one.search ?? "", one.tag ?? ""].some(isNamed),
    );
    if (kept.length === filters.length) continue;
    await tx.manager.update(Membership, { accountId, userId }, { contactFilters: kept });
  }
}

/** Locks the filters, so that two tabs that each keep a filter at the same time keep both. */
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
