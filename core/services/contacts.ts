import { In } from "typeorm";
import { Contact } from "../../db/entities/contact.ts";
import type { Tx } from "../../db/transaction.ts";
import { AppError, notFound, RaceLost } from "../errors.ts";
import {
  diffContact,
  phoneKey,
  type ContactFacts,
  type ContactListQuery,
  type ContactPatchBody,
  type ContactUpsertBody,
  type ContactView,
} from "../model/contact.ts";
import type { EventData } from "../model/events.ts";
import { contactSource } from "../model/principal.ts";
import { actingUserId } from "./actor.ts";
import { publish } from "./outbox.ts";
import { escapeLike, insertOrLose, insertRow, placeholders } from "./sql.ts";

/** A contact with what hangs on it. */
export interface ContactRecord {
  row: Contact;
  tags: string[];
  /** The newest id of each channel, null where the contact is not known there. */
  identities: Identities;
}

type Identities = Pick<ContactFacts, "whatsapp_id" | "instagram_id" | "facebook_id">;
type Identifiers = Pick<Contact, "name" | "phone" | "phoneKey" | "email">;

const noIdentities: Identities = { whatsapp_id: null, instagram_id: null, facebook_id: null };

/** The account's contacts, newest first, and how many match. */
export async function listContacts(
  tx: Tx,
  query: ContactListQuery,
): Promise<{ records: ContactRecord[]; total: number }> {
  const rows = tx.manager
    .createQueryBuilder(Contact, "c")
    .where("c.account_id = :accountId AND c.merged_into_id IS NULL", {
      accountId: tx.actor.accountId,
    });
  if (query.search !== undefined) {
    const like = `%${escapeLike(query.search)}%`;
    const digits = query.search.replaceAll(/[\s().+-]/g, "");
    const byPhone = /^\d+$/.test(digits) ? " OR c.phone LIKE :digits" : "";
    rows.andWhere(`(c.name LIKE :like OR c.email LIKE :like${byPhone})`, {
      like,
      digits: `%${digits}%`,
    });
  }
  const [found, total] = await rows
    .orderBy("c.createdAt", "DESC")
    .addOrderBy("c.id", "DESC")
    .limit(query.limit)
    .offset(query.offset)
    .getManyAndCount();
  return { records: await loadRecords(tx, found), total };
}

/** @throws AppError `contact_not_found`, with `details.merged_into` on the loser of a merge. */
export async function getContact(tx: Tx, id: number): Promise<ContactRecord> {
  return await loadRecord(tx, await findContact(tx, id));
}

/**
 * Creates the contact with this phone or email, or updates the one there is: the phone decides, then
 * the email. Only the fields sent overwrite; without a change there is no event.
 * @throws AppError `contact_conflict` where phone and email belong to two contacts.
 */
export async function upsertContact(
  tx: Tx,
  body: ContactUpsertBody,
): Promise<{ record: ContactRecord; created: boolean }> {
  const key = body.phone === undefined ? null : phoneKey(body.phone);
  const { byPhone, byEmail } = await lockOwners(tx, null, key, body.email ?? null);
  if (byPhone !== null && byEmail !== null && byPhone.id !== byEmail.id) {
    throw conflict({ phone_contact_id: byPhone.id, email_contact_id: byEmail.id });
  }
  const known = byPhone ?? byEmail;
  if (known === null) return { record: await insertContact(tx, body, key), created: true };
  const record = await changeContact(tx, await loadRecord(tx, known), {
    ...(body.name === undefined ? {} : { name: body.name }),
    ...(body.email === undefined ? {} : { email: body.email }),
    ...(body.phone === undefined ? {} : { phone: body.phone, phoneKey: key }),
  });
  return { record, created: false };
}

/**
 * Changes the fields sent; null clears one.
 * @throws AppError `contact_not_found`, `contact_conflict`, `contact_needs_identifier`.
 */
export async function updateContact(
  tx: Tx,
  id: number,
  body: ContactPatchBody,
): Promise<ContactRecord> {
  const key = typeof body.phone === "string" ? phoneKey(body.phone) : null;
  const { byPhone, byEmail } = await lockOwners(tx, id, key, body.email ?? null);
  const before = await loadRecord(tx, await findContact(tx, id));
  const owner = [byPhone, byEmail].find((row) => row !== null && row.id !== id);
  if (owner) throw conflict({ contact_id: owner.id });
  return await changeContact(tx, before, {
    ...(body.name === undefined ? {} : { name: body.name }),
    ...(body.email === undefined ? {} : { email: body.email }),
    ...(body.phone === undefined ? {} : { phone: body.phone, phoneKey: key }),
  });
}

/** The contact in every REST answer. Without a name it shows the phone, the email or `Visitor <id>`. */
export function presentContact({ row, tags, identities }: ContactRecord): ContactView {
  return {
    id: row.id,
    name: row.name ?? row.phone ?? row.email ?? `Visitor ${row.id}`,
    phone: row.phone,
    email: row.email,
    whatsapp_id: identities.whatsapp_id,
    tags,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

function presentContactEvent(tx: Tx, record: ContactRecord): EventData<"contact.created"> {
  const { id, ...view } = presentContact(record);
  return {
    ...view,
    contact_id: id,
    // A contact belongs to the channel of its newest conversation; it has none so far.
    channel: null,
    conversation_id: null,
    instagram_id: record.identities.instagram_id,
    facebook_id: record.identities.facebook_id,
    source: contactSource(tx.actor),
  };
}

async function insertContact(
  tx: Tx,
  body: ContactUpsertBody,
  key: string | null,
): Promise<ContactRecord> {
  const row = tx.manager.create(Contact, {
    accountId: tx.actor.accountId,
    name: body.name ?? null,
    phone: body.phone ?? null,
    phoneKey: key,
    email: body.email ?? null,
    mergedIntoId: null,
    source: contactSource(tx.actor),
    createdByUserId: actingUserId(tx.actor),
    createdAt: tx.now,
    updatedAt: tx.now,
    version: 1,
  });
  row.id = await insertOrLose(() => insertRow(tx, Contact, row));
  const record = { row, tags: [], identities: noIdentities };
  await publish(tx, "contact.created", presentContactEvent(tx, record));
  return record;
}

async function changeContact(
  tx: Tx,
  before: ContactRecord,
  sent: Partial<Identifiers>,
): Promise<ContactRecord> {
  // A number that folds to the stored one is the same number: its stored digits stay.
  const samePhone = sent.phoneKey !== undefined && sent.phoneKey === before.row.phoneKey;
  const change = samePhone ? { ...sent, phone: before.row.phone } : sent;
  const row = Object.assign(tx.manager.create(Contact, before.row), change);
  const after = { ...before, row };
  const diff = diffContact(factsOf(before), factsOf(after));
  if (diff.changed_fields.length === 0) return before;
  requireIdentifier(after);
  Object.assign(row, { updatedAt: tx.now, version: row.version + 1 });
  const { id, name, phone, phoneKey: key, email, updatedAt, version } = row;
  const columns = { name, phone, phoneKey: key, email, updatedAt, version };
  await insertOrLose(() => tx.manager.update(Contact, id, columns));
  await publish(tx, "contact.updated", { ...presentContactEvent(tx, after), ...diff });
  return after;
}

function factsOf({ row, tags, identities }: ContactRecord): ContactFacts {
  return { name: row.name, phone: row.phone, email: row.email, tags, ...identities };
}

function requireIdentifier({ row, identities }: ContactRecord): void {
  const known = [row.phone, row.email, ...Object.values(identities)];
  if (known.some((identifier) => identifier !== null)) return;
  throw new AppError(
    "contact_needs_identifier",
    "A contact keeps a phone, an email or a channel identity. Set another one before you clear this.",
  );
}

async function findContact(tx: Tx, id: number): Promise<Contact> {
  const row = await tx.manager.findOneBy(Contact, { id, accountId: tx.actor.accountId });
  if (row === null) throw notFound("contact");
  if (row.mergedIntoId === null) return row;
  throw new AppError("contact_not_found", "This contact was merged into another one.", {
    merged_into: row.mergedIntoId,
  });
}

/**
 * Locks the contact `id` and those that hold the phone and the email, in the order of their ids: in
 * any other order two callers would wait for each other.
 * @throws RaceLost where one of them has just let go of its phone or email.
 */
async function lockOwners(
  tx: Tx,
  id: number | null,
  key: string | null,
  email: string | null,
): Promise<{ byPhone: Contact | null; byEmail: Contact | null }> {
  const phoneOwner = key === null ? null : await findOwnerId(tx, { phoneKey: key });
  const emailOwner = email === null ? null : await findOwnerId(tx, { email });
  const ids = [id, phoneOwner, emailOwner].filter((one) => one !== null);
  if (ids.length === 0) return { byPhone: null, byEmail: null };
  const rows = await tx.manager.find(Contact, {
    where: { accountId: tx.actor.accountId, id: In(ids) },
    order: { id: "ASC" },
    lock: { mode: "pessimistic_write" },
  });
  const byPhone = rows.find((row) => row.id === phoneOwner && row.phoneKey === key) ?? null;
  const byEmail = rows.find((row) => row.id === emailOwner && row.email === email) ?? null;
  if (byPhone?.id !== (phoneOwner ?? undefined) || byEmail?.id !== (emailOwner ?? undefined)) {
    throw new RaceLost();
  }
  return { byPhone, byEmail };
}

async function findOwnerId(
  tx: Tx,
  identifier: { phoneKey: string } | { email: string },
): Promise<number | null> {
  const owner = await tx.manager.findOne(Contact, {
    select: { id: true },
    where: { accountId: tx.actor.accountId, ...identifier },
  });
  return owner?.id ?? null;
}

function conflict(details: Record<string, number>): AppError {
  return new AppError(
    "contact_conflict",
    "The phone or email belongs to another contact. Nothing was changed.",
    details,
  );
}

async function loadRecord(tx: Tx, row: Contact): Promise<ContactRecord> {
  const [record] = await loadRecords(tx, [row]);
  return record ?? { row, tags: [], identities: noIdentities };
}

async function loadRecords(tx: Tx, rows: Contact[]): Promise<ContactRecord[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const tags = await tx.manager.query<{ contact_id: number; tag: string }[]>(
    `SELECT contact_id, tag FROM contact_tags WHERE contact_id IN (${placeholders(ids)}) ORDER BY created_at, tag`,
    ids,
  );
  const identities = await tx.manager.query<
    { contact_id: number; channel: string; external_id: string }[]
  >(
    `SELECT contact_id, channel, external_id FROM contact_identities
      WHERE contact_id IN (${placeholders(ids)}) ORDER BY id DESC`,
    ids,
  );
  return rows.map((row) => {
    const newest = (channel: string) =>
      identities.find((one) => one.contact_id === row.id && one.channel === channel)?.external_id ??
      null;
    return {
      row,
      tags: tags.filter((one) => one.contact_id === row.id).map(({ tag }) => tag),
      identities: {
        whatsapp_id: newest("whatsapp"),
        instagram_id: newest("instagram"),
        facebook_id: newest("facebook"),
      },
    };
  });
}
