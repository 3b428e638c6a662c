import { mapGoogleEvent } from "../core/calendars/google-mapping.ts";
import { calendarCredentials, type CalendarResult } from "../core/model/calendar.ts";
import {
  tryMs,
  type CalendarOutcome,
  type RescheduleRun,
  type SyncAppointmentInput,
} from "../core/model/workflow/rescheduling.ts";
import {
  beginMoveWrite,
  beginSyncWrite,
  recordCalendarWrite,
  recordRefusal,
  type CalendarWrite,
  type MetSoFar,
} from "../core/services/calendars/calendar-events.ts";
import { openCredentials } from "../core/services/calendars/connections.ts";
import {
  judgeConflict,
  type SeenEventState,
} from "../core/services/calendars/calendar-conflicts.ts";
import { endSync, findDueSync } from "../core/services/calendars/calendar-requests.ts";
import { systemOf, transaction, type Tx } from "../db/transaction.ts";
import type { ActivityDeps } from "./deps.ts";
import { retryFor } from "./retry-for.ts";

type CalendarDeps = Pick<ActivityDeps, "dataSource" | "secretBox" | "calendarPorts" | "log">;
type Begin = (tx: Tx, met: MetSoFar) => Promise<CalendarWrite | null>;

/** Step after a write: the next write, or the outcome of this row, which is then left. */
type Step = Pick<MetSoFar, "seen"> | CalendarOutcome;

type Run = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;

/**
 * Result of a write. `seen`: nothing was written, because the event has another tag than the stored
 * one.
 */
type WriteResult =
  | Exclude<CalendarResult, { kind: "taken" | "changed" }>
  | { kind: "seen"; etag: string; state: SeenEventState | null };

/** Thrown if a calendar has an error that only a later try can end. */
class CalendarAway extends Error {
  override readonly name = "CalendarAway";

  constructor(readonly code: string) {
    super(code);
  }
}

/**
 * The activities that write appointments to external calendars. Each may run twice, and in
 * parallel.
 */
export function createCalendarEvents(deps: CalendarDeps) {
  return {
    /** Moves the event of an appointment to its new time. */
    async moveCalendarEvent(input: RescheduleRun): Promise<CalendarOutcome> {
      const { accountId, rescheduleId } = input;
      return await writeUntilDone(deps, accountId, (tx, met) =>
        beginMoveWrite(tx, rescheduleId, met),
      );
    },

    /**
     * Brings the events of an appointment in line with the appointment.
     * @throws CalendarAway if a later try is needed.
     */
    async syncCalendarEvents(input: SyncAppointmentInput): Promise<{ state: "done" | "refused" }> {
      const { accountId, appointmentId } = input;
      const run: Run = (work) => transaction(deps.dataSource, systemOf(accountId), work);
      // Read before the appointment: a later change has a run of its own.
      const version = await run((tx) => findDueSync(tx, appointmentId));
      const outcome = await writeUntilDone(deps, accountId, (tx, met) =>
        beginSyncWrite(tx, appointmentId, met),
      );
      if (outcome.state === "waiting") throw new CalendarAway(outcome.code);
      if (version !== null) await run((tx) => endSync(tx, appointmentId, version));
      return { state: outcome.state === "done" ? "done" : "refused" };
    },
  };
}

/**
 * Makes one write after the other. The next write is read from MySQL each time. A failed write does
 * not stop the others.
 * @returns the worst outcome.
 */
async function writeUntilDone(
  deps: CalendarDeps,
  accountId: number,
  begin: Begin,
): Promise<CalendarOutcome> {
  const run: Run = (work) => transaction(deps.dataSource, systemOf(accountId), work);
  const end = performance.now() + tryMs;
  let met: MetSoFar = { seen: null, left: [] };
  let worst: CalendarOutcome = { state: "done" };
  while (performance.now() < end) {
    const write = await run((tx) => begin(tx, met));
    if (write === null) return worst;
    const step = await makeWrite(deps, run, write);
    if ("seen" in step) met = { ...met, ...step };
    else {
      met = { seen: null, left: [...met.left, write.rowId] };
      worst = worseOf(worst, step);
    }
  }
  return worseOf(worst, { state: "waiting", code: "contended" });
}

/** An outcome that needs a retry ranks above a permanent refusal. */
function worseOf(one: CalendarOutcome, other: CalendarOutcome): CalendarOutcome {
  const rank = { done: 0, failed: 1, waiting: 2 };
  return rank[other.state] > rank[one.state] ? other : one;
}

/** Makes a recorded write, and stores its result. */
async function makeWrite(deps: CalendarDeps, run: Run, write: CalendarWrite): Promise<Step> {
  const result = await perform(deps, write);
  deps.log.info({ ...describeWrite(write), result: result.kind }, "calendar.written");
  switch (result.kind) {
    case "seen": {
      const { etag, state } = result;
      const winner = state === null ? "ours" : await run((tx) => judgeConflict(tx, write, state));
      if (winner === "theirs") return { state: "failed", code: "calendar_changed" };
      return { seen: { eventId: write.eventId, etag } };
    }
    case "transient":
      return { state: "waiting", code: result.code };
    case "refused":
      await retryFor(() => run((tx) => recordRefusal(tx, write)));
      return { state: "failed", code: result.code };
    case "done":
    case "gone":
    case "disconnected": {
      const next = await retryFor(() => run((tx) => recordCalendarWrite(tx, write, result)));
      if (next === "wait") return { state: "waiting", code: "unheard" };
      return next === "leave" ? { state: "done" } : { seen: null };
    }
  }
}

/** Makes a write. If the event has changed since it was recorded, reads its tag instead. */
async function perform(
  { calendarPorts, secretBox }: CalendarDeps,
  { link, connection, event, eventId, etag, notifyGuests }: CalendarWrite,
): Promise<WriteResult> {
  const port = calendarPorts[link.provider];
  const credentials = calendarCredentials.parse(openCredentials(secretBox, connection));
  const access = { connectionId: connection.id, calendarId: link.calendarId, credentials };
  const result =
    event === null
      ? await port.deleteEvent(access, eventId, { etag, notifyGuests })
      : etag === null
        ? await port.insertEvent(access, event)
        : await port.patchEvent(access, event, etag);
  if (result.kind !== "taken" && result.kind !== "changed") return result;
  const now = await port.getEvent(access, eventId);
  if (now.kind !== "event") return now;
  const mapped = mapGoogleEvent(now.event, anyView);
  const facts = "facts" in mapped ? mapped.facts : null;
  return { kind: "seen", etag: now.event.etag ?? "", state: facts };
}

/** Only the times of the event matter here, whatever it means. */
const anyView = {
  timeZone: "UTC",
  ownEmails: new Set<string>(),
  otherEvents: "busy",
  busyOnly: false,
} as const;

function describeWrite({ appointmentId, link, event, etag }: CalendarWrite) {
  const write = event === null ? "delete" : etag === null ? "insert" : "patch";
  return { appointment_id: appointmentId, link_id: link.id, write };
}
