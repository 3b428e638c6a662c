/** What the inbox shows between messages. `note` is a person's; the others tell what happened. */
export const noteKinds = [
  "note",
  "handed_off",
  "bot_enabled",
  "bot_reason",
  "status_changed",
  "assigned",
  "stage_changed",
  "handoff_reminder",
  "handoff_escalated",
] as const;
export type NoteKind = (typeof noteKinds)[number];
