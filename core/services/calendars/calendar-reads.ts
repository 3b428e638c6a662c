import { CalendarConnection } from "../../../db/entities/calendar-connection.ts";
import { CalendarLink } from "../../../db/entities/calendar-link.ts";
import { BusyBlock, CalendarChange } from "../../../db/entities/calendar-read.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { WorkflowCommand } from "../../model/workflow/workflow-command.ts";
import { recordChange } from "../outbox/changes.ts";
import { request } from "../outbox/outbox.ts";

/** SQL for a column `readStep`: the part of a reading that is under way counts no more. */
export const countStep = () => "read_step + 1";

/** Ids of a link in a request. */
type LinkIds = Pick<CalendarLink, "id" | "accountId">;

/** Command that wakes the workflow which reads a calendar, or starts it. */
export function readCommand({ id, accountId }: LinkIds): WorkflowCommand {
  return {
    op: "signal",
    signal: "changed",
    workflow: "syncCalendar",
    workflowId: `sync-calendar-${id}`,
    taskQueue: "ops",
    input: { accountId, linkId: id },
    // The workflow of a calendar that was connected again has ended before.
    again: true,
    summary: `read calendar ${id}`,
  };
}

/** Command that wakes the workflow which keeps a calendar announced, or starts it. */
export function watchCommand({ id, accountId }: LinkIds): WorkflowCommand {
  return {
    op: "signal",
    signal: "changed",
    workflow: "watchCalendar",
    workflowId: `watch-calendar-${id}`,
    taskQueue: "ops",
    input: { accountId, linkId: id },
    again: true,
    summary: `announcements of calendar ${id}`,
  };
}

/**
 * Requests a reading of a calendar. Any number of calls before the reading begins make one request.
 * @returns false, without a request, if one is pending, or the calendar is not read
 */
export async function requestCalendarRead(tx: Tx, linkId: number): Promise<boolean> {
  const { accountId } = tx.actor;
  const { affectedRows } = await tx.manager.query<{ affectedRows: number }>(
    `UPDATE calendar_links SET dirty = 1, read_due_at = COALESCE(read_due_at, ?)
      WHERE id = ? AND account_id = ? AND dirty = 0 AND state = 'connected'
        AND direction <> 'write_only'`,
    [tx.now, linkId, accountId],
  );
  if (affectedRows === 0) return false;
  await request(tx, readCommand({ id: linkId, accountId }));
  return true;
}

/** Deletes what an unfinished reading has kept of series. */
export async function dropStagedChanges(tx: Tx, { id: linkId }: LinkIds): Promise<void> {
  await tx.manager.delete(CalendarChange, { accountId: tx.actor.accountId, linkId });
}

/**
 * Ends the reading of a calendar that was disconnected, removed or is only written to. Its busy
 * times are free again, and its appointments stay. The workflows stop its channels and end.
 */
export async function dropLink(tx: Tx, link: LinkIds): Promise<void> {
  const { accountId } = tx.actor;
  const own = { accountId, linkId: link.id };
  await tx.manager.delete(BusyBlock, own);
  await dropStagedChanges(tx, link);
  await tx.manager.update(
    CalendarLink,
    { id: link.id, accountId },
    {
      phase: "full",
      readStep: countStep,
      syncToken: null,
      pageToken: null,
      horizon: null,
      dirty: false,
      readDueAt: null,
      pollReason: null,
      channelExpiresAt: null,
    },
  );
  await request(tx, readCommand(link));
  await request(tx, watchCommand(link));
  await recordChange(tx, { kind: "agenda.updated" });
}

/**
 * Stores why a calendar is asked every 5 minutes, in the calendar and in its connection.
 * @param reason word for programs; null: changes are announced
 */
export async function setPollReason(
  tx: Tx,
  { id, connectionId }: Pick<CalendarLink, "id" | "connectionId">,
  reason: string | null,
): Promise<void> {
  const { accountId } = tx.actor;
  const own = { id, accountId };
  await tx.manager.update(CalendarLink, own, { pollReason: reason?.slice(0, 64) ?? null });
  const [polled] = await tx.manager.query<{ poll_reason: string }[]>(
    `SELECT poll_reason FROM calendar_links
      WHERE connection_id = ? AND account_id = ? AND poll_reason IS NOT NULL ORDER BY id LIMIT 1`,
    [connectionId, accountId],
  );
  await tx.manager.update(
    CalendarConnection,
    { id: connectionId, accountId },
    { mode: polled === undefined ? "push" : "polling", modeReason: polled?.poll_reason ?? null },
  );
  await recordChange(tx, { kind: "calendar.updated" });
}
