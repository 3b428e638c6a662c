/**
 * Entries that the inbox shows between messages. A person writes a `note`; the others record a
 * change.
 */
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
  "macro_run",
] as const;
export type NoteKind = (typeof noteKinds)[number];
