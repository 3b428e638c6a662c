/** Kinds of change. A live view reads the changed rows again. */
export type ChangeKind =
  | "conversation.created"
  | "conversation.updated"
  /** The contact is in another stage, or at another place of its column. */
  | "conversation.stage_changed"
  | "message.created"
  | "message.updated"
  | "note.created"
  | "contact.updated"
  | "appointment.created"
  | "appointment.updated"
  /**
   * A resource with its hours and closures, a service or a booking link. The change names no id.
   */
  | "agenda.updated"
  /** A canned answer of a person or of the account. The change names no id. */
  | "canned_answer.updated"
  /** A macro of a person or of the account. The change names no id. */
  | "macro.updated"
  | "notification.created"
  /** A person opened a conversation, which marked their notifications of it as read. */
  | "notification.read"
  /** A pipeline or one of its stages. The change names no id. */
  | "pipeline.updated"
  /** Without a delivery's id: many deliveries of one subscription, or any deliveries. */
  | "delivery.updated"
  /** The subscription was added, changed, given another state, tested or deleted. */
  | "subscription.updated"
  /** Name, time zone, language or settings. */
  | "account.updated";
