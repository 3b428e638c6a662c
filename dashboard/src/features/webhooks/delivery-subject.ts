import { contactPath, conversationPath } from "../../paths.ts";
import type { DeliveryRow } from "./deliveries-api.ts";

/**
 * Contact of a delivery's event, with the path of the conversation or of the contact's page. Null
 * for an event about nobody. `name` is null where only the conversation is known.
 */
export function deliverySubject({
  event_type,
  contact,
  conversation_id,
}: DeliveryRow): { to: string; name: string | null } | null {
  if (contact === null && conversation_id === null) return null;
  const inConversation = /^(message|conversation)\./.test(event_type) && conversation_id !== null;
  const to =
    contact === null || inConversation
      ? conversationPath(conversation_id ?? 0)
      : contactPath(contact.id);
  return { to, name: contact?.name ?? null };
}
