import type { Tx } from "../../../db/transaction.ts";
import type { ErasedPerson } from "../../model/erasure.ts";
import type { Locale } from "../../model/user.ts";
import { recordChange } from "../outbox/changes.ts";
import { placeholders } from "../sql.ts";

/** Notes about an email or a phone that a visitor gave and that another contact has. */
export const ownerNotes: Readonly<Record<Locale, Record<"email" | "phone", string>>> = {
  en: {
    email: "The visitor says: {}. Another contact has this email. Merge them if it is one person.",
    phone: "The visitor says: {}. Another contact has this phone. Merge them if it is one person.",
  },
  es: {
    email: "El visitante dice: {}. Otro contacto tiene este correo. Únelos si es la misma persona.",
    phone:
      "El visitante dice: {}. Otro contacto tiene este teléfono. Únelos si es la misma persona.",
  },
};

const templates = Object.values(ownerNotes)
  .flatMap(({ email, phone }) => [email, phone])
  .map((text) => text.split("{}"));

/**
 * Deletes the notes in conversations of other contacts that show an erased person's email or phone,
 * and the same claims in the sessions of those visitors. A visitor's contact points to the first
 * owner alone: claims to a second owner are not found. Call it while the identities of those contacts
 * still name the erased ones.
 */
export async function forgetOwnerNotes(
  tx: Tx,
  contactIds: readonly number[],
  person: ErasedPerson,
): Promise<void> {
  const { accountId } = tx.actor;
  const claimants = await tx.manager.query<{ id: number }[]>(
    `SELECT DISTINCT contact_id AS id FROM contact_identities FORCE INDEX (contact_identities_same)
      WHERE account_id = ? AND same_as_contact_id IN (${placeholders(contactIds)})`,
    [accountId, ...contactIds],
  );
  if (claimants.length === 0) return;
  const claimantIds = claimants.map(({ id }) => Number(id));
  await forgetClaims(tx, claimantIds, person);
  const notes = await tx.manager.query<NoteOfClaimant[]>(
    `SELECT n.id, n.text, n.conversation_id AS conversationId, c.contact_id AS contactId
       FROM conversations c FORCE INDEX (conversations_contact)
       STRAIGHT_JOIN conversation_notes n FORCE INDEX (conversation_notes_conversation)
         ON n.conversation_id = c.id
      WHERE c.contact_id IN (${placeholders(claimantIds)}) AND c.account_id = ?
        AND n.kind = 'note' AND n.user_id IS NULL AND n.text IS NOT NULL`,
    [...claimantIds, accountId],
  );
  const naming = notes.filter(({ text }) => showsPerson(text, person));
  if (naming.length === 0) return;
  const ids = naming.map(({ id }) => id);
  await tx.manager.query(`DELETE FROM conversation_notes WHERE id IN (${placeholders(ids)})`, ids);
  const changed = new Map(
    naming.map(({ conversationId, contactId }) => [conversationId, contactId]),
  );
  // Live views read the notes of these conversations again.
  for (const [conversationId, contactId] of changed) {
    await recordChange(tx, { kind: "conversation.updated", conversationId, contactId });
  }
}

interface NoteOfClaimant {
  id: number;
  text: string;
  conversationId: number;
  contactId: number;
}

function showsPerson(text: string, { emails, phoneEndings }: ErasedPerson): boolean {
  return templates.some(([start = "", end = ""]) => {
    if (!text.startsWith(start) || !text.endsWith(end)) return false;
    const value = text.slice(start.length, -end.length);
    return (
      emails.some((email) => email.toLowerCase() === value) ||
      phoneEndings.some((ending) => value.endsWith(ending))
    );
  });
}

async function forgetClaims(
  tx: Tx,
  claimantIds: readonly number[],
  { emails, phoneEndings }: ErasedPerson,
): Promise<void> {
  const own = `contact_id IN (${placeholders(claimantIds)}) AND account_id = ?`;
  const ids = [...claimantIds, tx.actor.accountId];
  if (emails.length > 0) {
    await tx.manager.query(
      `UPDATE widget_sessions SET said = JSON_REMOVE(said, '$.email')
        WHERE ${own} AND said->>'$.email' IN (${placeholders(emails)})`,
      [...ids, ...emails],
    );
  }
  if (phoneEndings.length > 0) {
    await tx.manager.query(
      `UPDATE widget_sessions SET said = JSON_REMOVE(said, '$.phone')
        WHERE ${own} AND RIGHT(said->>'$.phone', 8) IN (${placeholders(phoneEndings)})`,
      [...ids, ...phoneEndings],
    );
  }
}
