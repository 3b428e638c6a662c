import { Contact } from "../../../db/entities/contact.ts";
import type { Tx } from "../../../db/transaction.ts";
import { invalidField } from "../../errors.ts";
import { maxTagsPerContact, tagKey } from "../../model/contact.ts";
import { storeChange } from "./contact-changes.ts";
import type { ContactConversation } from "./contact-conversations.ts";
import { lockContactRow } from "./contact-locks.ts";
import { getContactRow, loadRecord, type ContactRecord } from "./contact-records.ts";
import { placeholders } from "../sql.ts";

/** Facts of a change of tags, beside the tags. */
interface TagChange {
  /** The conversation of the change, if it happened in one. */
  conversation?: ContactConversation | null;
  /** The field of the request that a refusal names. */
  field?: string;
}

/** Adds a tag, as written. A tag that the contact has in another case is not added again. */
export async function addContactTag(tx: Tx, contactId: number, tag: string, given: TagChange = {}) {
  return await changeTags(tx, contactId, (tags) => [...tags, tag], given);
}

/** Removes a tag, regardless of its case. */
export async function removeContactTag(tx: Tx, contactId: number, tag: string) {
  return await changeTags(tx, contactId, (tags) =>
    tags.filter((one) => tagKey(one) !== tagKey(tag)),
  );
}

/** Gives the contact exactly these tags. Tags that stay keep their spelling. */
export async function replaceContactTags(tx: Tx, contactId: number, wanted: string[]) {
  const keys = new Set(wanted.map(tagKey));
  return await changeTags(tx, contactId, (tags) => [
    ...tags.filter((tag) => keys.has(tagKey(tag))),
    ...wanted,
  ]);
}

/**
 * Changes the tags of one contact, and publishes `contact.updated` if the tags differ then.
 * @throws AppError `contact_not_found`; `validation_error` with `too_many_tags` beyond 100.
 */
async function changeTags(
  tx: Tx,
  contactId: number,
  change: (tags: string[]) => string[],
  { conversation = null, field }: TagChange = {},
): Promise<{ record: ContactRecord; changed: boolean }> {
  await lockContactRow(tx, contactId);
  const before = await loadRecord(tx, await getContactRow(tx, contactId));
  const tags = await storeTags(tx, before, change(before.tags), field);
  const row = tx.manager.create(Contact, before.row);
  const record = await storeChange(tx, before, { ...before, row, tags }, conversation);
  return { record, changed: record !== before };
}

/**
 * Writes the tags of a contact and publishes nothing. Of two spellings of one tag the first stays.
 * @param before locked, or new in this transaction.
 * @returns the tags as they are in their table now.
 * @throws AppError `validation_error` with `too_many_tags` beyond 100.
 */
export async function storeTags(
  tx: Tx,
  before: ContactRecord,
  wanted: readonly string[],
  field = "body.tags",
): Promise<string[]> {
  const after = foldTags(wanted);
  if (after.length > maxTagsPerContact) {
    throw invalidField(
      field,
      "too_many_tags",
      `A contact has at most ${maxTagsPerContact} tags. Remove one first.`,
    );
  }
  await deleteTags(tx, before.row.id, without(before.tags, after));
  await insertTags(tx, before.row.id, without(after, before.tags));
  const { tags } = await loadRecord(tx, before.row);
  return tags;
}

function foldTags(tags: readonly string[]): string[] {
  const byKey = new Map<string, string>();
  for (const tag of tags) if (!byKey.has(tagKey(tag))) byKey.set(tagKey(tag), tag);
  return [...byKey.values()];
}

function without(tags: string[], others: string[]): string[] {
  const keys = new Set(others.map(tagKey));
  return tags.filter((tag) => !keys.has(tagKey(tag)));
}

async function deleteTags(tx: Tx, contactId: number, tags: string[]): Promise<void> {
  if (tags.length === 0) return;
  await tx.manager.query(
    `DELETE FROM contact_tags WHERE contact_id = ? AND tag IN (${placeholders(tags)})`,
    [contactId, ...tags],
  );
}

/**
 * MySQL treats more spellings as equal than we do (full-width letters); those tags are skipped.
 * Tags are read in the order of their time. So each tag of a list is a millisecond later than the
 * tag before it.
 */
async function insertTags(tx: Tx, contactId: number, tags: string[]): Promise<void> {
  if (tags.length === 0) return;
  await tx.manager.query(
    `INSERT IGNORE INTO contact_tags (contact_id, tag, account_id, created_at)
     VALUES ${tags.map(() => "(?, ?, ?, ?)").join(", ")}`,
    tags.flatMap((tag, index) => {
      return [contactId, tag, tx.actor.accountId, new Date(tx.now.getTime() + index)];
    }),
  );
}
