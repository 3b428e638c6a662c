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

/** Each write is noted down before it is made and after; what is to be written is read anew each time. */
async function writeUntilDone(
  deps: CalendarDeps,
  accountId: number,
  begin: Begin,
): Promise<CalendarOutcome> {
  const { dataSource, log } = deps;
  const options = systemOf(accountId);
  const end = performance.now() + tryMs;
  let seen: SeenEvent | null = null;
  while (performance.now() < end) {
    const write: CalendarWrite | null = await transaction(dataSource, options, (tx) =>
      begin(tx, seen),
    );
    if (write === null) return { state: "done" };
    const { eventId, appointmentId, link } = write;
    const result = await perform(deps, accountId, write);
    log.info(
      {
        appointment_id: appointmentId,
        link_id: link.id,
        ...describeWrite(write),
        result: result.kind,
      },
      "calendar.written",
    );
    seen = null;
    switch (result.kind) {
      case "seen":
        seen = { eventId, etag: result.etag };
        break;
      case "transient":
        return { state: "waiting", code: result.code };
      case "refused":
        return { state: "failed", code: result.code };
      case "done":
      case "gone":
      case "disconnected": {
        const next = await keepTrying(() =>
          transaction(dataSource, options, (tx) => recordCalendarWrite(tx, write, result)),
        );
        if (next === "wait") return { state: "waiting", code: "unheard" };
        if (next === "leave") return { state: "done" };
      }
    }
  }
  return { state: "waiting", code: "contended" };
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

function describeWrite({ event, etag }: CalendarWrite): { write: "delete" | "insert" | "patch" } {
  if (event === null) return { write: "delete" };
  return { write: etag === null ? "insert" : "patch" };
}
