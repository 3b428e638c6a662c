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
  "agent_summary",
  "message_edited",
  "number_changed",
] as const;
export type NoteKind = (typeof noteKinds)[number];

/** A member in the text of a note: `@[42]` names the user 42, whatever the user is called. */
const mention = /@\[(\d{1,15})\]/gu;

/** Most members that one note names. */
export const maxMentions = 20;

/** Ids of the users whom the text of a note names, each once, in their order. */
export function mentionedUserIds(text: string): number[] {
  return [...new Set([...text.matchAll(mention)].map(([, id]) => Number(id)))];
}
