/** What changed, and so what a live view reads again. */
export type ChangeKind =
  | "conversation.created"
  | "conversation.updated"
  /** The contact stands in another stage, or in another place of its column. */
  | "conversation.stage_changed"
  | "message.created"
  | "message.updated"
  | "note.created"
  | "contact.updated"
  | "appointment.created"
  | "appointment.updated"
  /** A resource with its hours and closures, a service or a booking link; no id says which. */
  | "agenda.updated"
  | "notification.created"
  /** A pipeline or one of its stages; no id says which. */
  | "pipeline.updated"
  /** Without a delivery's id: many of one subscription, or any of them. */
  | "delivery.updated"
  /** It was added, changed, given another state, tested or deleted. */
  | "subscription.updated"
  /** Name, time zone, language or settings. */
  | "account.updated";
