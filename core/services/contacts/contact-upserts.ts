import type { Contact } from "../../../db/entities/contact.ts";
import type { Tx } from "../../../db/transaction.ts";
import { AppError, WriteConflict } from "../../errors.ts";
import { phoneKey, type ContactUpsertBody } from "../../model/contact.ts";
import {
  changeContact,
  insertContacts,
  publishContactsCreated,
  sentIdentifiers,
  withoutSamePhone,
} from "./contact-changes.ts";
import { lockOwners, type Owners, type ContactKeys } from "./contact-owners.ts";
import { loadRecords, type ContactRecord } from "./contact-records.ts";
import { storeTags } from "./contact-tags.ts";

/** Fields of a contact to create or to update. Tags are added to those that it has. */
export type ContactUpsert = ContactUpsertBody & { tags?: readonly string[] | undefined };

/** A contact after its upsert. */
export interface UpsertedContact {
  record: ContactRecord;
  created: boolean;
  changed: boolean;
}

/**
 * Outcome of one of several upserts: its contact, or `contact_conflict`. Null where it was skipped
 * and needs a transaction of its own.
 */
export type UpsertOutcome = UpsertedContact | AppError | null;

/**
 * Creates the contact with this phone or email, or updates the existing contact (rule C18). The
 * phone decides, then the email. Only the fields sent overwrite, and tags are added. Without a
 * change there is no event.
 * @throws AppError `contact_conflict` where phone and email belong to two contacts. WriteConflict
 *   where another transaction has just taken the phone or the email.
 */
export async function upsertContact(tx: Tx, body: ContactUpsert): Promise<UpsertedContact> {
  const [outcome] = await upsert(tx, [body], false);
  if (outcome instanceof AppError) throw outcome;
  if (!outcome) throw new WriteConflict();
  return outcome;
}

/** Time for the updates of several contacts, in milliseconds. Each takes some six statements. */
const updatesMs = 50;

/**
 * Upserts contacts like `upsertContact`, with one insert for all new contacts. Skips an upsert whose
 * contact is locked, or which names a contact, phone or email of an earlier one. Skips updates for
 * which there is no time. The insert may wait for a phone that another transaction inserts.
 * @returns one outcome for each body; null if skipped.
 * @throws WriteConflict where another transaction has taken a phone or an email.
 */
export async function upsertContacts(
  tx: Tx,
  bodies: readonly ContactUpsert[],
): Promise<UpsertOutcome[]> {
  return await upsert(tx, bodies, true);
}

async function upsert(
  tx: Tx,
  bodies: readonly ContactUpsert[],
  skipLocked: boolean,
): Promise<UpsertOutcome[]> {
  const wanted = bodies.map(({ phone, email = null }): ContactKeys => {
    return { phoneKey: phone === undefined ? null : phoneKey(phone), email };
  });
  const owners = await lockOwners(tx, wanted, { skipLocked });
  const plans = planUpserts(bodies, wanted, owners);
  const created = await createContacts(tx, plans.filter(isCreation).toSorted(inKeyOrder));
  const updated = await updateContacts(tx, plans.filter(isUpdate));
  return plans.map((plan) => {
    if (plan === null || plan instanceof AppError) return plan;
    return created.get(plan) ?? updated.get(plan) ?? null;
  });
}

/** One upsert, with the contact to update; null where a contact is to be created. */
interface RowPlan extends ContactKeys {
  body: ContactUpsert;
  row: Contact | null;
}

type UpsertPlan = RowPlan | AppError | null;

/** Plans each upsert. A contact, a phone and an email belong to the first upsert that names them. */
function planUpserts(
  bodies: readonly ContactUpsert[],
  wanted: readonly ContactKeys[],
  owners: readonly (Owners | null)[],
): UpsertPlan[] {
  const named = new Set<number | string>();
  return bodies.map((body, index) => {
    const { phoneKey: key = null, email = null } = wanted[index] ?? {};
    const owned = owners[index] ?? null;
    if (owned === null) return null;
    const { byPhone, byEmail } = owned;
    const names = [byPhone?.id, byEmail?.id, key, email].flatMap((name) => name ?? []);
    const isFirst = names.every((name) => !named.has(name));
    for (const name of names) named.add(name);
    if (!isFirst) return null;
    if (byPhone !== null && byEmail !== null && byPhone.id !== byEmail.id) {
      const details = { phone_contact_id: byPhone.id, email_contact_id: byEmail.id };
      return new AppError("contact_conflict", { details });
    }
    return { body, phoneKey: key, email, row: byPhone ?? byEmail };
  });
}

function isCreation(plan: UpsertPlan): plan is RowPlan {
  return plan !== null && "row" in plan && plan.row === null;
}

function isUpdate(plan: UpsertPlan): plan is RowPlan & { row: Contact } {
  return plan !== null && "row" in plan && plan.row !== null;
}

/** In any other order two transactions with the same phones could deadlock. */
function inKeyOrder(one: RowPlan, other: RowPlan): number {
  const keyOf = ({ phoneKey: key, email }: RowPlan) => `${key ?? ""} ${email ?? ""}`;
  return keyOf(one) < keyOf(other) ? -1 : 1;
}

async function createContacts(
  tx: Tx,
  plans: readonly RowPlan[],
): Promise<Map<RowPlan, UpsertedContact>> {
  const bare = await insertContacts(
    tx,
    plans.map(({ body: { name = null, phone = null }, phoneKey: key, email }) => {
      return { name, phone, phoneKey: key, email };
    }),
  );
  const records: ContactRecord[] = [];
  for (const [index, record] of bare.entries()) {
    const { tags = [] } = plans[index]?.body ?? {};
    records.push({ ...record, tags: tags.length === 0 ? [] : await storeTags(tx, record, tags) });
  }
  await publishContactsCreated(tx, records, null);
  return new Map(
    plans.flatMap((plan, index) => {
      const record = records[index];
      return record === undefined ? [] : [[plan, { record, created: true, changed: true }]];
    }),
  );
}

async function updateContacts(
  tx: Tx,
  plans: readonly (RowPlan & { row: Contact })[],
): Promise<Map<RowPlan, UpsertedContact>> {
  const records = await loadRecords(
    tx,
    plans.map(({ row }) => row),
  );
  const updated = new Map<RowPlan, UpsertedContact>();
  const startedAt = performance.now();
  for (const [index, plan] of plans.entries()) {
    const before = records[index];
    if (before === undefined) continue;
    if (updated.size > 0 && performance.now() - startedAt > updatesMs) break;
    const { body, phoneKey: key } = plan;
    const tags =
      body.tags === undefined
        ? before.tags
        : await storeTags(tx, before, [...before.tags, ...body.tags]);
    const sent = withoutSamePhone(sentIdentifiers(body, key), before);
    const record = await changeContact(tx, before, sent, { tags });
    updated.set(plan, { record, created: false, changed: record !== before });
  }
  return updated;
}
