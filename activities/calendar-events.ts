import { calendarCredentials, type CalendarResult } from "../core/model/calendar.ts";
import {
  tryMs,
  type CalendarOutcome,
  type RescheduleRun,
  type SyncAppointmentInput,
} from "../core/model/rescheduling.ts";
import {
  beginMoveWrite,
  beginSyncWrite,
  recordCalendarWrite,
  type CalendarWrite,
  type SeenEvent,
} from "../core/services/calendar-events.ts";
import { calendarLinkContext } from "../core/services/calendar-links.ts";
import { systemOf, transaction, type Tx } from "../db/transaction.ts";
import type { ActivityDeps } from "./index.ts";
import { keepTrying } from "./keep-trying.ts";

type CalendarDeps = Pick<ActivityDeps, "dataSource" | "secretBox" | "calendarPorts" | "log">;
type Begin = (tx: Tx, seen: SeenEvent | null) => Promise<CalendarWrite | null>;

/** How the writes ended; or go on, with the tag of an event as it was just seen. */
type Step = CalendarOutcome | { seen: SeenEvent | null };

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
      return await writeUntilDone(deps, accountId, (tx, seen) =>
        beginMoveWrite(tx, rescheduleId, seen),
      );
    },

    /**
     * Brings the events of an appointment in line with it.
     * @throws CalendarAway where that has to be tried again.
     */
    async syncCalendarEvents(input: SyncAppointmentInput): Promise<{ state: "done" | "refused" }> {
      const { accountId, appointmentId } = input;
      const outcome = await writeUntilDone(deps, accountId, (tx, seen) =>
        beginSyncWrite(tx, appointmentId, seen),
      );
      if (outcome.state === "waiting") throw new CalendarAway(outcome.code);
      return { state: outcome.state === "done" ? "done" : "refused" };
    },
  };
}

/** Makes one write after the other; what is to be written is read anew each time. */
async function writeUntilDone(
  deps: CalendarDeps,
  accountId: number,
  begin: Begin,
): Promise<CalendarOutcome> {
  const end = performance.now() + tryMs;
  let seen: SeenEvent | null = null;
  while (performance.now() < end) {
    const step: Step = await writeNext(deps, accountId, (tx) => begin(tx, seen));
    if ("state" in step) return step;
    ({ seen } = step);
  }
  return { state: "waiting", code: "contended" };
}

/** Notes the next write down, makes it, and notes down what came of it. */
async function writeNext(
  deps: CalendarDeps,
  accountId: number,
  begin: (tx: Tx) => Promise<CalendarWrite | null>,
): Promise<Step> {
  const run = <T>(work: (tx: Tx) => Promise<T>) =>
    transaction(deps.dataSource, systemOf(accountId), work);
  const write = await run(begin);
  if (write === null) return { state: "done" };
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
      const next = await keepTrying(() => run((tx) => recordCalendarWrite(tx, write, result)));
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
  const opened = secretBox.open(link.sealed, calendarLinkContext(accountId));
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
