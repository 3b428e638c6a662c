import type { Tx } from "../../../db/transaction.ts";
import type { EraseContactInput } from "../../model/erasure.ts";
import type { WorkflowCommand } from "../../model/workflow/workflow-command.ts";
import {
  calendlyPairCommand,
  calendlyReadCommand,
  calendlyRequestCommand,
  calendlyTellCommand,
} from "../calendars/calendly-commands.ts";
import { moveCommand, syncCommand } from "../calendars/calendar-requests.ts";
import { readCommand } from "../calendars/calendar-reads.ts";
import { pageCommand } from "../agent/knowledge-sources.ts";
import { exportCommand } from "../exports/exports.ts";
import { mediaCommand } from "../media/media-requests.ts";
import { erasureCommand } from "../contact-lifecycle/contact-erasure.ts";
import { casesCommand } from "../agent/cases.ts";
import { agentCommand } from "../conversations/agent-wakeups.ts";
import { handoffCommand } from "../conversations/conversation-state.ts";
import { mailCommand } from "../accounts/mails.ts";
import { sendCommand } from "../conversations/send-requests.ts";
import { snoozeCommand } from "../conversations/snoozes.ts";
import { importCommand } from "../imports/import-commands.ts";
import { idleMs } from "../imports/imports.ts";
import { listPendingRuns, request } from "../outbox/outbox.ts";
import { reminderCommand } from "../appointments/reminder-plans.ts";
import { lateAfterMs } from "../deliveries/lost-deliveries.ts";
import { replayCommand } from "../deliveries/replays.ts";
import { syncCommand as templatesCommand } from "../templates/template-syncs.ts";
import { placeholders } from "../sql.ts";
import { minuteMs } from "../../model/durations.ts";

/** A run that should have acted by now. */
export interface LateRun {
  /** Number by which the rows of a kind are ordered. */
  id: number;
  accountId: number;
  /** Command that requested the run, and requests it again. */
  command: WorkflowCommand;
  /** Workflow ids of other runs that do this work too. While one of them runs, nothing is lost. */
  standIns: readonly string[];
}

/** Page of late runs: ids greater than `after`, at most `limit` rows. */
interface Page {
  after: number;
  limit: number;
}

type ListLate = (tx: Tx, page: Page) => Promise<LateRun[]>;

/**
 * A move is checked earlier, because it holds its new time for 15 minutes and takes two at most.
 */
const moveMs = 3 * minuteMs;
/** A turn of the agent takes 90 s at most, and its burst 15 s. */
const agentMs = 2 * minuteMs;
/** A reminder is checked two rounds before it is due, so that it still comes in time. */
const aheadMs = -20 * minuteMs;

/**
 * Every kind of unfinished work that a run in Temporal has to finish. The exceptions are deliveries
 * and the work after a change of a subscription's state, which `lost-deliveries.ts` finds.
 *
 * To add a kind, add its row here, with a query that
 * - finds the rows whose run should have acted by now, by an index, ordered by a number (`after`);
 * - gives each row the very command that requested its run first.
 *
 * A lost run is requested again under the same workflow id, so Temporal never has two at once. The
 * run must read MySQL before each effect, and end if nothing is left to do. An effect that cannot
 * be undone, such as a message or a mail, must be recorded before it is made. Otherwise the new run
 * makes it once more. A run that is only late and still exists is left alone.
 */
const kinds: Record<string, ListLate> = {
  async message(tx, { after, limit }) {
    const unfinished = `(SELECT id, account_id AS accountId, conversation_id AS conversationId, channel
        FROM messages FORCE INDEX (messages_unfinished)
       WHERE status = ? AND id > ? AND updated_at < ? AND held_at IS NULL ORDER BY id LIMIT ?)`;
    const rows = await tx.manager.query<Parameters<typeof sendCommand>[0][]>(
      `${unfinished} UNION ALL ${unfinished} ORDER BY id LIMIT ?`,
      [
        ...["queued", "sending"].flatMap((status) => {
          return [status, after, before(tx, lateAfterMs), limit];
        }),
        limit,
      ],
    );
    return rows.map((row) => lateRun(row, sendCommand(row)));
  },

  async handoff(tx, { after, limit }) {
    const rows = await tx.manager.query<{ id: number; accountId: number; epoch: number }[]>(
      `SELECT id, account_id AS accountId, bot_epoch AS epoch
         FROM conversations FORCE INDEX (conversations_handoff_due)
        WHERE handoff_due_at < ? AND id > ? AND status = 'handed_off' ORDER BY id LIMIT ?`,
      [before(tx, lateAfterMs), after, limit],
    );
    return rows.map((row) => lateRun(row, handoffCommand(row, row.epoch, null)));
  },

  async agent(tx, { after, limit }) {
    const rows = await tx.manager.query<{ id: number; accountId: number }[]>(
      `SELECT conversation_id AS id, account_id AS accountId
         FROM agent_conversations FORCE INDEX (agent_conversations_owed)
        WHERE owed_since < ? AND conversation_id > ? ORDER BY conversation_id LIMIT ?`,
      [before(tx, agentMs), after, limit],
    );
    return rows.map((row) => lateRun(row, agentCommand(row, "customerWrote", 0)));
  },

  async agent_cases(tx, { after, limit }) {
    const rows = await tx.manager.query<{ id: number; accountId: number }[]>(
      `SELECT id, account_id AS accountId FROM agent_cases FORCE INDEX (agent_cases_queued)
        WHERE queued_at < ? AND id > ? ORDER BY id LIMIT ?`,
      [before(tx, lateAfterMs), after, limit],
    );
    return rows.map((row) => lateRun(row, casesCommand(row.accountId)));
  },

  async snooze(tx, { after, limit }) {
    const rows = await tx.manager.query<{ id: number; accountId: number; run: number }[]>(
      `SELECT id, account_id AS accountId, snooze_run AS run
         FROM conversations FORCE INDEX (conversations_snooze_due)
        WHERE snoozed_until < ? AND id > ? ORDER BY id LIMIT ?`,
      [before(tx, lateAfterMs), after, limit],
    );
    return rows.map((row) => lateRun(row, snoozeCommand(row, row.run, "start")));
  },

  async reschedule(tx, { after, limit }) {
    const rows = await tx.manager.query<{ id: number; accountId: number; appointmentId: number }[]>(
      `SELECT id, account_id AS accountId, appointment_id AS appointmentId
         FROM appointment_reschedules FORCE INDEX (appointment_reschedules_state)
        WHERE state = 'requested' AND id > ? AND created_at < ? ORDER BY id LIMIT ?`,
      [after, before(tx, moveMs), limit],
    );
    return rows.map(({ appointmentId, ...row }) =>
      lateRun(row, moveCommand({ ...row, id: appointmentId, conversationId: null }, row)),
    );
  },

  async reminder(tx, { after, limit }) {
    const rows = await tx.manager.query<{ id: number; accountId: number; run: number }[]>(
      `SELECT appointment_id AS id, account_id AS accountId, run
         FROM appointment_reminders FORCE INDEX (appointment_reminders_due)
        WHERE state = 'waiting' AND due_at < ? AND appointment_id > ?
        ORDER BY appointment_id LIMIT ?`,
      [before(tx, aheadMs), after, limit],
    );
    return rows.map((row) =>
      lateRun(row, reminderCommand({ ...row, conversationId: null }, row.run, "start")),
    );
  },

  async calendar_sync(tx, { after, limit }) {
    const rows = await tx.manager.query<{ id: number; accountId: number; version: number }[]>(
      `SELECT appointment_id AS id, account_id AS accountId, version
         FROM calendar_syncs FORCE INDEX (PRIMARY)
        WHERE appointment_id > ? AND requested_at < ? ORDER BY appointment_id LIMIT ?`,
      [after, before(tx, lateAfterMs), limit],
    );
    const moves = await listMoveRuns(tx, rows);
    return rows.map((row) => {
      const command = syncCommand({ ...row, conversationId: null }, row.version);
      return lateRun(row, command, moves.get(row.id));
    });
  },

  async export(tx, { after, limit }) {
    const rows = await tx.manager.query<{ id: number; accountId: number }[]>(
      `SELECT id, account_id AS accountId FROM exports FORCE INDEX (exports_state)
        WHERE state IN ('queued', 'running') AND id > ? AND created_at < ? ORDER BY id LIMIT ?`,
      [after, before(tx, lateAfterMs), limit],
    );
    return rows.map((row) => lateRun(row, exportCommand(row)));
  },

  async calendly_request(tx, { after, limit }) {
    const rows = await tx.manager.query<{ id: number; accountId: number }[]>(
      `SELECT id, account_id AS accountId
         FROM calendly_requests FORCE INDEX (calendly_requests_state)
        WHERE state = 'queued' AND id > ? AND received_at < ? ORDER BY id LIMIT ?`,
      [after, before(tx, lateAfterMs), limit],
    );
    return rows.map((row) => lateRun(row, calendlyRequestCommand(row)));
  },

  async calendly_pair(tx, { after, limit }) {
    const rows = await tx.manager.query<{ id: number; accountId: number }[]>(
      `SELECT id, account_id AS accountId
         FROM calendly_invitees FORCE INDEX (calendly_invitees_state)
        WHERE state = 'held' AND held_until < ? AND id > ? ORDER BY id LIMIT ?`,
      [before(tx, lateAfterMs), after, limit],
    );
    return rows.map((row) => lateRun(row, calendlyPairCommand(row)));
  },

  async calendly_read(tx, { after, limit }) {
    const rows = await tx.manager.query<{ id: number; accountId: number }[]>(
      `SELECT connection_id AS id, account_id AS accountId
         FROM calendly_accounts FORCE INDEX (calendly_accounts_due)
        WHERE next_read_at < ? AND connection_id > ? ORDER BY connection_id LIMIT ?`,
      [before(tx, lateAfterMs), after, limit],
    );
    return rows.map((row) => lateRun(row, calendlyReadCommand(row)));
  },

  async calendly_tell(tx, { after, limit }) {
    const rows = await tx.manager.query<
      { id: number; accountId: number; appointmentId: number; version: number }[]
    >(
      `SELECT i.id, i.account_id AS accountId, a.id AS appointmentId, a.version
         FROM calendly_invitees i FORCE INDEX (calendly_invitees_told)
         STRAIGHT_JOIN appointments a ON a.id = i.appointment_id
        WHERE i.tell_at < ? AND i.id > ? ORDER BY i.id LIMIT ?`,
      [before(tx, lateAfterMs), after, limit],
    );
    return rows.map(({ appointmentId, version, ...row }) =>
      lateRun(row, calendlyTellCommand(row, { id: appointmentId, version })),
    );
  },

  async calendar_reading(tx, { after, limit }) {
    const rows = await tx.manager.query<{ id: number; accountId: number }[]>(
      `SELECT id, account_id AS accountId FROM calendar_links FORCE INDEX (calendar_links_read)
        WHERE read_due_at < ? AND id > ? AND state = 'connected' ORDER BY id LIMIT ?`,
      [before(tx, lateAfterMs), after, limit],
    );
    return rows.map((row) => lateRun(row, readCommand(row)));
  },

  async erasure(tx, { after, limit }) {
    const rows = await tx.manager.query<
      { id: number; accountId: number; input: EraseContactInput }[]
    >(
      `SELECT contact_id AS id, account_id AS accountId, input
         FROM contact_erasures FORCE INDEX (PRIMARY)
        WHERE contact_id > ? AND created_at < ? ORDER BY contact_id LIMIT ?`,
      [after, before(tx, lateAfterMs), limit],
    );
    return rows.map((row) => lateRun(row, erasureCommand(row.id, row.input)));
  },

  // A crash between the mail server's answer and MySQL sends a mail twice, under one message id.
  async mail(tx, { after, limit }) {
    const rows = await tx.manager.query<{ id: number; accountId: number }[]>(
      `SELECT id, account_id AS accountId FROM mails FORCE INDEX (mails_state)
        WHERE state = 'queued' AND id > ? AND due_at < ? ORDER BY id LIMIT ?`,
      [after, before(tx, lateAfterMs), limit],
    );
    return rows.map((row) => lateRun(row, mailCommand(row)));
  },

  async knowledge(tx, { after, limit }) {
    const rows = await tx.manager.query<{ id: number; accountId: number; run: number }[]>(
      `SELECT id, account_id AS accountId, run
         FROM knowledge_sources FORCE INDEX (knowledge_sources_requested)
        WHERE requested_at < ? AND id > ? ORDER BY id LIMIT ?`,
      [before(tx, lateAfterMs), after, limit],
    );
    return rows.map((row) => lateRun(row, pageCommand(row, row.run)));
  },

  /** A file that waits for its next try has a run, so only a lost one is requested again. */
  async media(tx, { after, limit }) {
    const rows = await tx.manager.query<{ id: number; accountId: number }[]>(
      `SELECT id, account_id AS accountId FROM message_media FORCE INDEX (message_media_state)
        WHERE state = 'pending' AND id > ? AND updated_at < ? ORDER BY id LIMIT ?`,
      [after, before(tx, lateAfterMs), limit],
    );
    return rows.map((row) => lateRun(row, mediaCommand(row)));
  },

  // A read may wait for a minute, and is tried again for three.
  async templates(tx, { after, limit }) {
    const rows = await tx.manager.query<{ id: number; accountId: number; run: number }[]>(
      `SELECT id, account_id AS accountId, run
         FROM channel_template_syncs FORCE INDEX (channel_template_syncs_requested)
        WHERE requested_at < ? AND id > ? ORDER BY id LIMIT ?`,
      [before(tx, lateAfterMs), after, limit],
    );
    return rows.map((row) => lateRun(row, templatesCommand(row, 0)));
  },

  // An import that waits for a person is late once it should have been closed. One that has ended
  // still stores the files of its chat.
  async import(tx, { after, limit }) {
    const [late, idle] = [before(tx, lateAfterMs), before(tx, idleMs + lateAfterMs)];
    const rows = await tx.manager.query<Parameters<typeof importCommand>[0][]>(
      `(SELECT id, account_id AS accountId, state FROM imports FORCE INDEX (imports_state)
         WHERE (state IN ('planning', 'committing', 'undoing') AND updated_at < ? AND id > ?)
            OR (state IN ('mapping', 'planned', 'paused', 'failed') AND updated_at < ? AND id > ?)
         ORDER BY id LIMIT ?)
       UNION ALL
       (SELECT id, account_id AS accountId, state FROM imports FORCE INDEX (imports_file)
         WHERE file_until IS NOT NULL AND state IN ('done', 'cancelled') AND is_begun
           AND storage_key IS NOT NULL AND updated_at < ? AND id > ?
         ORDER BY id LIMIT ?)
       ORDER BY id LIMIT ?`,
      [late, after, idle, after, limit, late, after, limit, limit],
    );
    return rows.map((row) => lateRun(row, importCommand(row)));
  },

  async replay(tx, { after, limit }) {
    const rows = await tx.manager.query<{ id: number; accountId: number; run: number }[]>(
      `SELECT id, account_id AS accountId, run FROM replays FORCE INDEX (replays_state)
        WHERE state = 'running' AND id > ? AND updated_at < ? ORDER BY id LIMIT ?`,
      [after, before(tx, lateAfterMs), limit],
    );
    return rows.map((row) => lateRun(row, replayCommand(row)));
  },
};

/**
 * Workflow ids of the newest moves, by appointment. The run of a move syncs the calendar itself,
 * for the moved appointment and for its replacement. It waits for a calendar that is unreachable.
 */
async function listMoveRuns(
  tx: Tx,
  appointments: readonly { id: number }[],
): Promise<Map<number, string[]>> {
  if (appointments.length === 0) return new Map();
  const ids = appointments.map(({ id }) => id);
  const rows = await tx.manager.query<
    { id: number; accountId: number; movedId: number; moveId: number }[]
  >(
    `SELECT a.id, r.account_id AS accountId, r.appointment_id AS movedId, MAX(r.id) AS moveId
       FROM (SELECT id, id AS moved_id FROM appointments WHERE id IN (${placeholders(ids)})
              UNION ALL
             SELECT id, replaces_appointment_id FROM appointments WHERE id IN (${placeholders(ids)})) a
       JOIN appointment_reschedules r FORCE INDEX (appointment_reschedules_appointment)
         ON r.appointment_id = a.moved_id
      GROUP BY a.id, r.account_id, r.appointment_id`,
    [...ids, ...ids],
  );
  const runs = new Map<number, string[]>();
  for (const { id, accountId, movedId, moveId } of rows) {
    const moved = { id: movedId, accountId, conversationId: null };
    const { workflowId } = moveCommand(moved, { id: moveId });
    runs.set(id, [...(runs.get(id) ?? []), workflowId]);
  }
  return runs;
}

/** The kinds, in the order in which they are checked. */
export const lostRunKinds = Object.keys(kinds);

/**
 * Late runs of a kind in all accounts, a page of them. Includes runs that are still in the outbox.
 */
export async function listLateRuns(tx: Tx, kind: string, page: Page): Promise<LateRun[]> {
  return (await kinds[kind]?.(tx, page)) ?? [];
}

/**
 * Leaves out runs that are still in the outbox, so Temporal does not know them yet. If an account
 * has too many pending requests to read in time, none of its runs count as lost.
 */
export async function withoutPending(tx: Tx, runs: LateRun[]): Promise<LateRun[]> {
  const told: LateRun[] = [];
  for (const accountId of new Set(runs.map((run) => run.accountId))) {
    const own = runs.filter((run) => run.accountId === accountId);
    const pending = await listPendingRuns(
      tx,
      accountId,
      own.map(({ command }) => command.workflowId),
    );
    if (pending === null) continue;
    told.push(...own.filter(({ command }) => !pending.has(command.workflowId)));
  }
  return told;
}

/**
 * Requests a lost run again, under its own workflow id.
 * @returns false, without a request, if the work has gone on since it was found.
 */
export async function requestAgain(tx: Tx, kind: string, run: LateRun): Promise<boolean> {
  const [found] = await listLateRuns(tx, kind, { after: run.id - 1, limit: 1 });
  if (found?.command.workflowId !== run.command.workflowId) return false;
  await request(tx, { ...run.command, again: true });
  return true;
}

function lateRun(
  { id, accountId }: { id: number; accountId: number },
  command: WorkflowCommand,
  standIns: readonly string[] = [],
): LateRun {
  return { id, accountId, command, standIns };
}

function before(tx: Tx, lateMs: number): Date {
  return new Date(tx.now.getTime() - lateMs);
}
