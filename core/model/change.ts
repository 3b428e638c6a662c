/** Kinds of change. A live view reads the changed rows again. */
export type ChangeKind =
  | "conversation.created"
  | "conversation.updated"
  /** The contact is in another stage or place of its column, or its card has other facts. */
  | "conversation.stage_changed"
  | "message.created"
  | "message.updated"
  /** A person rated a message of the AI agent, or removed the rating. */
  | "message.rated"
  | "note.created"
  | "contact.updated"
  | "appointment.created"
  | "appointment.updated"
  /**
   * A resource with its hours, closures and busy times, a service or a booking link. The change
   * names no id.
   */
  | "agenda.updated"
  /** A canned answer of a person or of the account. The change names no id. */
  | "canned_answer.updated"
  /** A macro of a person or of the account. The change names no id. */
  | "macro.updated"
  /** The AI agent's settings, versions or model providers. The change names no id. */
  | "agent.updated"
  /** A knowledge item, or a gap of the knowledge. The change names no id. */
  | "knowledge.updated"
  /** A saved view of a person or of the account. The change names no id. */
  | "inbox_view.updated"
  /** A channel was connected, changed or disconnected, or has another state. It names no id. */
  | "channel.updated"
  /** A connection to an external calendar, or its state. The change names no id. */
  | "calendar.updated"
  /** An import, its progress or its state. The change names no id. */
  | "import.updated"
  /** An export, its progress or its state. The change names no id. */
  | "export.updated"
  /** A visitor of a site opened another page, gave a name, or left. */
  | "visitor.updated"
  /** Sessions of web chat have ended: their streams close. */
  | "visitor.ended"
  /** A widget of web chat was deleted: the streams of its visitors close. It names no id. */
  | "widget.deleted"
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
