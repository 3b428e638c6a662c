import type { InboxRow } from "../../lib/inbox-queue.ts";

/**
 * The status that a conversation had before it was resolved, for a way back. An answered handoff is
 * not begun again, because it would call for a person.
 */
export function statusBefore({
  status,
  answered_by_user_id,
}: Pick<InboxRow, "status" | "answered_by_user_id">): InboxRow["status"] {
  return status === "handed_off" && answered_by_user_id !== null ? "active" : status;
}
