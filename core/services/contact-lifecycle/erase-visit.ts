import { Conversation } from "../../../db/entities/conversation.ts";
import type { Tx } from "../../../db/transaction.ts";
import { agentSource } from "../../model/appointment.ts";
import { asLocale, type Locale } from "../../model/user.ts";
import { recordNote } from "../conversation-records/conversation-notes.ts";
import { lockOpenImports } from "../imports/import-erasure.ts";
import { endSession, storeSession } from "../widgets/sessions.ts";
import { lockVisit } from "../widgets/visit-messages.ts";
import type { Visit } from "../widgets/visit.ts";
import { eraseContact, lockErased } from "./contact-erasure.ts";
import { madeAlone } from "./identify-visit.ts";

const requests: Readonly<Record<Locale, string>> = {
  en: "The visitor asks to have this chat deleted. An admin can erase the contact.",
  es: "El visitante pide que se borre este chat. Un administrador puede borrar el contacto.",
};

/**
 * Erases an unverified visitor who is known by this session alone. For anybody else a note asks an
 * admin, because the contact may be more than this chat. The visitor may have typed the name, email
 * and phone of anybody, so nothing is erased that only these match.
 * @returns the outcome; after `erased` the session has ended
 * @throws AppError `session_expired`
 */
export async function eraseVisit(tx: Tx, visit: Visit): Promise<"erased" | "requested"> {
  // An admin's erasure locks imports before sessions too.
  await lockOpenImports(tx);
  const session = await lockVisit(tx, visit);
  const { contactId, conversationId } = session;
  if (contactId === null || conversationId === null) {
    await endSession(tx, session);
    await storeSession(tx, session, { visits: null });
    return "erased";
  }
  await lockErased(tx, contactId);
  const isAlone = session.verifiedSub === null && (await madeAlone(tx, session));
  if (isAlone && !(await hasMatchedData(tx, { contactId, conversationId }))) {
    await eraseContact(tx, contactId, "contact");
    return "erased";
  }
  const [account] = await tx.manager.query<{ locale: string }[]>(
    "SELECT locale FROM accounts WHERE id = ?",
    [session.accountId],
  );
  const text = requests[asLocale(account?.locale ?? "")];
  const conversation = tx.manager.create(Conversation, { id: conversationId, contactId });
  // One note, however often the visitor asks.
  const externalId = `erase-${session.id}`;
  const known = { conversationId, externalId };
  const repeated = await tx.manager.query<unknown[]>(
    "SELECT 1 FROM conversation_notes WHERE conversation_id = ? AND external_id = ?",
    [known.conversationId, known.externalId],
  );
  if (repeated.length === 0) await recordNote(tx, conversation, { kind: "note", text, externalId });
  return "requested";
}

/**
 * True where somebody other than the visitor and the AI agent has added to the contact. A person who
 * books by a link or by phone is found by the email or phone that the visitor typed without a proof.
 * A booking in the chat itself looks the same, so it counts too.
 */
async function hasMatchedData(
  tx: Tx,
  { contactId, conversationId }: { contactId: number; conversationId: number },
): Promise<boolean> {
  const { accountId } = tx.actor;
  const rows = await tx.manager.query<unknown[]>(
    `(SELECT 1 FROM appointments FORCE INDEX (appointments_contact)
       WHERE contact_id = ? AND account_id = ? AND (source IS NULL OR source <> ?) LIMIT 1)
     UNION ALL
     (SELECT 1 FROM import_rows FORCE INDEX (import_rows_contact)
       WHERE account_id = ? AND contact_id = ? AND state IN ('created', 'updated', 'kept') LIMIT 1)
     UNION ALL
     (SELECT 1 FROM contacts WHERE account_id = ? AND merged_into_id = ? LIMIT 1)
     UNION ALL
     (SELECT 1 FROM conversations FORCE INDEX (conversations_contact)
       WHERE contact_id = ? AND account_id = ? AND id <> ? LIMIT 1)
     UNION ALL
     (SELECT 1 FROM contact_tags WHERE contact_id = ? AND account_id = ? LIMIT 1)`,
    [
      contactId,
      accountId,
      agentSource,
      accountId,
      contactId,
      accountId,
      contactId,
      contactId,
      accountId,
      conversationId,
      contactId,
      accountId,
    ],
  );
  return rows.length > 0;
}
