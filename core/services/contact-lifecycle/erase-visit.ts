import { Conversation } from "../../../db/entities/conversation.ts";
import type { WidgetSession } from "../../../db/entities/widget.ts";
import type { Tx } from "../../../db/transaction.ts";
import { asLocale, type Locale } from "../../model/user.ts";
import { recordNote } from "../conversations/conversation-notes.ts";
import { endSession, storeSession } from "../widgets/sessions.ts";
import { eraseContact } from "./contact-erasure.ts";
import { madeAlone } from "./identify-visit.ts";

const requests: Readonly<Record<Locale, string>> = {
  en: "The visitor asks to have this chat deleted. An admin can erase the contact.",
  es: "El visitante pide que se borre este chat. Un administrador puede borrar el contacto.",
};

/**
 * Erases an unverified visitor who is known by this session alone. For anybody else a note asks an
 * admin, because the contact may be more than this chat.
 * @returns the outcome; after `erased` the session has ended
 */
export async function eraseVisit(tx: Tx, session: WidgetSession): Promise<"erased" | "requested"> {
  const { contactId, conversationId } = session;
  if (contactId === null || conversationId === null) {
    await endSession(tx, session);
    await storeSession(tx, session, { visits: null });
    return "erased";
  }
  if (session.verifiedSub === null && (await madeAlone(tx, session))) {
    await eraseContact(tx, contactId);
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
