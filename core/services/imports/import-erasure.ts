import { In } from "typeorm";
import { Contact, ContactIdentity } from "../../../db/entities/contact.ts";
import { Import } from "../../../db/entities/import.ts";
import type { Tx } from "../../../db/transaction.ts";
import { parsePhone, phoneKey } from "../../model/contact.ts";
import type { Detected } from "../../model/import.ts";
import { openImportStates } from "../../model/workflow/importing.ts";
import { listRetiredIdentifiers } from "../contacts/retired-identifiers.ts";
import { placeholders } from "../sql.ts";
import { endOf, store } from "./imports.ts";
import { releaseTurn } from "./import-turns.ts";

/**
 * Locks the open imports of the account, and thereby waits for a batch under way. Call it before a
 * contact is locked: a batch takes the two locks in this order too.
 */
export async function lockOpenImports(tx: Tx): Promise<void> {
  await tx.manager.query(
    `SELECT id FROM imports FORCE INDEX (imports_account)
      WHERE account_id = ? AND state IN (${placeholders(openImportStates)}) ORDER BY id FOR UPDATE`,
    [tx.actor.accountId, ...openImportStates],
  );
}

/** Phones as keys, and emails, of a person who is being erased. */
interface PersonKeys {
  phoneKeys: string[];
  emails: string[];
}

/**
 * Erases what imports know of a person by phone or email: rows, samples of files, and imports of
 * the person's chats. A row that waits for its commit is skipped. The workflow of the erasure finds
 * the rows that name the contact itself.
 */
export async function forgetImports(tx: Tx, contactIds: number[]): Promise<void> {
  const person = await readKeys(tx, contactIds);
  await forgetRows(tx, "phone_key", "import_rows_phone", person.phoneKeys);
  await forgetRows(tx, "email", "import_rows_email", person.emails);
  const { accountId } = tx.actor;
  for (const row of await listSampled(tx)) {
    const detected = withoutPerson(row.detected, person);
    if (detected !== row.detected) await store(tx, row, { detected });
  }
  if (person.phoneKeys.length === 0) return;
  const chats = { accountId, kind: "chat", phoneKey: In(person.phoneKeys) } as const;
  for (const row of await tx.manager.findBy(Import, chats)) await forgetChat(tx, row);
}

/** Imports of the account with lines of their file, also ended ones of earlier versions. */
async function listSampled(tx: Tx): Promise<Import[]> {
  return await tx.manager
    .createQueryBuilder(Import, "i")
    .where("i.accountId = :accountId", { accountId: tx.actor.accountId })
    .andWhere("JSON_LENGTH(i.detected, '$.sample') > 0")
    .getMany();
}

/**
 * Parts waiting rows from contacts that are being erased. The commit judges the rows again, and
 * makes a new contact of each: the person of a row need not be the person of the contact.
 */
export async function releaseImportRows(tx: Tx, contactIds: readonly number[]): Promise<void> {
  await tx.manager.query(
    `UPDATE import_rows FORCE INDEX (import_rows_contact) SET contact_id = NULL
      WHERE account_id = ? AND contact_id IN (${placeholders(contactIds)}) AND state = 'pending'`,
    [tx.actor.accountId, ...contactIds],
  );
}

async function readKeys(tx: Tx, contactIds: number[]): Promise<PersonKeys> {
  const { accountId } = tx.actor;
  const contacts = await tx.manager.findBy(Contact, { accountId, id: In(contactIds) });
  const numbers = await tx.manager.findBy(ContactIdentity, {
    accountId,
    contactId: In(contactIds),
    channel: "whatsapp",
  });
  const written = numbers.flatMap(({ externalId }) => parsePhone(externalId) ?? []).map(phoneKey);
  const retired = await listRetiredIdentifiers(tx, contactIds);
  const earlier = retired.flatMap(({ phone }) => phone ?? []).map(phoneKey);
  const keys = [...contacts.flatMap((row) => row.phoneKey ?? []), ...written, ...earlier];
  return {
    phoneKeys: [...new Set(keys)],
    emails: [...contacts, ...retired].flatMap(({ email }) => email ?? []),
  };
}

async function forgetRows(
  tx: Tx,
  column: "phone_key" | "email",
  index: string,
  values: string[],
): Promise<void> {
  if (values.length === 0) return;
  // MySQL sets columns from left to right: `reason` reads the state before its change.
  await tx.manager.query(
    `UPDATE import_rows FORCE INDEX (${index})
        SET raw = NULL, before_values = NULL, phone_key = NULL, email = NULL,
            reason = IF(state = 'pending', 'person_erased', reason),
            state = IF(state = 'pending', 'skipped', state)
      WHERE account_id = ? AND ${column} IN (${placeholders(values)})`,
    [tx.actor.accountId, ...values],
  );
}

/** Leaves out the lines of a sample that name the person. @returns the same object without any */
function withoutPerson(detected: Detected | null, person: PersonKeys): Detected | null {
  if (detected === null || detected.format === "chat") return detected;
  const endings = person.phoneKeys.map((key) => key.slice(-8));
  const names = (cell: string): boolean => {
    const digits = cell.replaceAll(/\D/gu, "");
    const text = cell.toLowerCase();
    return (
      endings.some((ending) => digits.endsWith(ending)) ||
      person.emails.some((email) => text.includes(email.toLowerCase()))
    );
  };
  const sample = detected.sample.filter((cells) => !cells.some(names));
  return sample.length === detected.sample.length ? detected : { ...detected, sample };
}

/** Ends the import of a person's chat. Its rows and its file go with the next purge. */
async function forgetChat(tx: Tx, row: Import): Promise<void> {
  const isOpen = openImportStates.some((state) => state === row.state);
  const ended = { ...endOf(tx, row), state: "cancelled", errorCode: "import_erased" } as const;
  await store(tx, row, {
    ...(isOpen ? ended : {}),
    name: null,
    detected: null,
    mapping: null,
    phoneKey: null,
    fileUntil: tx.now,
    rowsUntil: tx.now,
    undoUntil: null,
  });
  if (isOpen) await releaseTurn(tx, row.id);
}
