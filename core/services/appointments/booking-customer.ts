import type { Contact } from "../../../db/entities/contact.ts";
import type { Tx } from "../../../db/transaction.ts";
import { AppError, invalidField, WriteConflict } from "../../errors.ts";
import { phoneKey, type ContactUpsertBody } from "../../model/contact.ts";
import { lockContact } from "../contacts/contact-locks.ts";
import { findContactIdByEmail, findContactIdByPhone } from "../contacts/contact-lookup.ts";
import { contactName, getContactRow } from "../contacts/contact-records.ts";
import { upsertContact } from "../contacts/contact-upserts.ts";

/**
 * Customer of a booking: a contact's id, or the data of a contact. A known contact is not changed;
 * a missing one is created.
 */
export type BookingCustomer = { contactId: number } | { contact: ContactUpsertBody };

/**
 * Locks the customer's contact, so that it is neither merged nor erased before the appointment is
 * stored.
 * @returns the contact, with the name and phone for the booking: the given ones, else the
 * contact's.
 * @throws AppError `contact_conflict`; `validation_error` with `unknown_contact`; WriteConflict if
 * the contact was created meanwhile.
 */
export async function lockCustomer(
  tx: Tx,
  customer: BookingCustomer,
): Promise<{ row: Contact; name: string; phone: string | null }> {
  if ("contactId" in customer) {
    await getContactRow(tx, customer.contactId).catch((error: unknown) => {
      if (!(error instanceof AppError)) throw error;
      const message = "Name a contact of this account that was not merged into another one.";
      throw invalidField("body.contact_id", "unknown_contact", message);
    });
    const { row } = await lockContact(tx, customer.contactId);
    return { row, name: contactName(row), phone: row.phone };
  }
  const { contact } = customer;
  const known =
    (contact.phone === undefined ? null : await findContactIdByPhone(tx, contact.phone)) ??
    (contact.email === undefined ? null : await findContactIdByEmail(tx, contact.email));
  const row =
    known === null ? await createCustomer(tx, contact) : (await lockContact(tx, known)).row;
  // Another spelling of the stored number is the same number.
  const isOther = contact.phone !== undefined && phoneKey(contact.phone) !== row.phoneKey;
  const phone = isOther ? contact.phone : row.phone;
  return { row, name: contact.name ?? contactName(row), phone: phone ?? null };
}

/**
 * If another transaction has just created the contact, this transaction runs again and finds that
 * contact. A known contact is not changed.
 */
async function createCustomer(tx: Tx, contact: ContactUpsertBody): Promise<Contact> {
  const { record, created } = await upsertContact(tx, contact);
  if (!created) throw new WriteConflict();
  return record.row;
}
