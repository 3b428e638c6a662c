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
  type CalendarWrite,
  type MetSoFar,
} from "../core/services/calendars/calendar-events.ts";
import { calendarLinkContext } from "../core/services/calendars/calendar-links.ts";
import { endSync, findDueSync } from "../core/services/calendars/calendar-requests.ts";
import { systemOf, transaction, type Tx } from "../db/transaction.ts";
import type { ActivityDeps } from "./index.ts";
import { retryFor } from "./retry-for.ts";

type CalendarDeps = Pick<ActivityDeps, "dataSource" | "secretBox" | "calendarPorts" | "log">;
type Begin = (tx: Tx, met: MetSoFar) => Promise<CalendarWrite | null>;

/** What comes after a write: another look, or its row is left, with how that ended. */
type Step = Pick<MetSoFar, "seen"> | CalendarOutcome;

type Run = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;

/** What came of a write; `seen`: nothing, for the event has another tag than we knew. */
type WriteResult =
  | Exclude<CalendarResult, { kind: "taken" | "changed" }>
  | { kind: "seen"; etag: string };

/** Thrown where a calendar is in trouble that nothing but asking again can end. */
class CalendarAway extends Error {
  override readonly name = "CalendarAway";

  constructor(readonly code: string) {
    super(code);
  }
}

/** The activities that write appointments to external calendars. Each may run twice, and side by side. */
export function createCalendarEvents(deps: CalendarDeps) {
  return {
    /** Brings the event of an appointment that is being moved to its new time. */
    async moveCalendarEvent(input: RescheduleRun): Promise<CalendarOutcome> {
      const { accountId, rescheduleId } = input;
      return await writeUntilDone(deps, accountId, (tx, met) =>
        beginMoveWrite(tx, rescheduleId, met),
      );
    },

    /**
     * Brings the events of an appointment in line with it.
     * @throws CalendarAway where that has to be tried again.
     */
    async syncCalendarEvents(input: SyncAppointmentInput): Promise<{ state: "done" | "refused" }> {
      const { accountId, appointmentId } = input;
      const run: Run = (work) => transaction(deps.dataSource, systemOf(accountId), work);
      // Before the appointment is read: a change that comes meanwhile has a run of its own.
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
 * Makes one write after the other; what is to be written is read anew each time. Where one ends badly
 * the others are made all the same.
 * @returns the worst of how they ended.
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
    const step = await makeWrite(deps, accountId, run, write);
    if ("seen" in step) met = { ...met, ...step };
    else {
      met = { seen: null, left: [...met.left, write.rowId] };
      worst = worseOf(worst, step);
    }
  }
  return worseOf(worst, { state: "waiting", code: "contended" });
}

/** One that has to be tried again goes over one that is refused for good. */
function worseOf(one: CalendarOutcome, other: CalendarOutcome): CalendarOutcome {
  const rank = { done: 0, failed: 1, waiting: 2 };
  return rank[other.state] > rank[one.state] ? other : one;
}

/** Makes a write that was noted down, and notes down what came of it. */
async function makeWrite(
  deps: CalendarDeps,
  accountId: number,
  run: Run,
  write: CalendarWrite,
): Promise<Step> {
  const result = await perform(deps, accountId, write);
  deps.log.info({ ...describeWrite(write), result: result.kind }, "calendar.written");
  switch (result.kind) {
    case "seen":
      return { seen: { eventId: write.eventId, etag: result.etag } };
    case "transient":
      return { state: "waiting", code: result.code };
    case "refused":
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

/** Makes a write; where the event is not as it was noted down, it is looked at instead. */
async function perform(
  { calendarPorts, secretBox }: CalendarDeps,
  accountId: number,
  { link, event, eventId, etag }: CalendarWrite,
): Promise<WriteResult> {
  const port = calendarPorts[link.provider];
  const context = calendarLinkContext(accountId, link.resourceId);
  const opened = secretBox.open(link.sealed, context);
  const credentials = calendarCredentials.parse(JSON.parse(opened));
  const access = { linkId: link.id, calendarId: link.calendarId, credentials };
  const result =
    event === null
      ? await port.deleteEvent(access, eventId, etag)
      : etag === null
        ? await port.insertEvent(access, event)
        : await port.patchEvent(access, event, etag);
  if (result.kind !== "taken" && result.kind !== "changed") return result;
  const now = await port.readEvent(access, eventId);
  if (now.kind === "done") return { kind: "seen", etag: now.etag };
  if (now.kind === "taken" || now.kind === "changed") throw new Error("A read changes nothing.");
  return now;
}

function describeWrite({ appointmentId, link, event, etag }: CalendarWrite) {
  const write = event === null ? "delete" : etag === null ? "insert" : "patch";
  return { appointment_id: appointmentId, link_id: link.id, write };
}
