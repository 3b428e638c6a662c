/** What changed, and so what a live view reads again. */
export type ChangeKind =
  | "conversation.created"
  | "conversation.updated"
  | "message.created"
  | "message.updated"
  | "note.created"
  | "contact.updated"
  | "appointment.created"
  | "appointment.updated"
  | "notification.created";
