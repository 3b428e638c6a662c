/** What changed, and so what a live view reads again. */
export type ChangeKind =
  | "conversation.created"
  | "conversation.updated"
  | "message.created"
  | "message.updated"
  | "note.created"
  | "contact.updated"
  | "notification.created"
  /** Without a delivery's id: many of one subscription, or any of them. */
  | "delivery.updated";
