import { createCalendarEvents } from "../../activities/calendar-events.ts";
import { createGoogleCalendar } from "../../activities/calendars/google.ts";
import { createReschedule } from "../../activities/reschedule.ts";
import { createLog } from "../../core/log.ts";
import type { RescheduleRun } from "../../core/model/workflow/rescheduling.ts";
import {
  requestReschedule,
  type RescheduleInput,
} from "../../core/services/appointments/appointment-reschedules.ts";
import type { Appointment } from "../../db/entities/appointment.ts";
import { testSecretBox } from "../support/accounts.ts";
import {
  at,
  createTestAgenda,
  createTestResource,
  type TestAgenda,
} from "../support/appointments.ts";
import { linkCalendar } from "../support/calendars.ts";
import type { TestDatabase } from "../support/database.ts";
import {
  googleOptions,
  shownAt,
  startTestGoogle,
  type TestGoogle,
} from "../support/google-calendar.ts";

/** An agenda on an external calendar, with the activities that write there. */
export interface CalendarFixture extends TestAgenda {
  google: TestGoogle;
  /** The calendar of the agenda. */
  calendarId: string;
  steps: ReturnType<typeof createCalendarEvents> & ReturnType<typeof createReschedule>;
  /** Adds another agenda, on a calendar of its own. */
  addAgenda(): Promise<{ resourceId: number; calendarId: string }>;
  /** Books, and has the event made. */
  bookWithEvent(given?: Parameters<TestAgenda["book"]>[0]): Promise<Appointment>;
  /** Holds the new time of a move. */
  requestMove(row: Appointment, given?: Partial<RescheduleInput>): Promise<RescheduleRun>;
  sync(appointmentId: number): Promise<{ state: string }>;
  /** What the calendar shows: `10:00 appointment`. */
  shown(calendarId?: string): string[];
  /** Calls of the calendars since the last booking with an event. */
  calls(): string[];
  /** Workflows that were asked for, by their id. */
  asked(): Promise<string[]>;
  sql<Row = Record<string, unknown>>(statement: string, values?: unknown[]): Promise<Row[]>;
  stop(): Promise<void>;
}

/** Calendars of the account, one for each agenda. */
const calendarIds = [1, 2, 3, 4].map((n) => `calendar-${n}@group.calendar.google.com`);

/** Makes a bench in an account of its own. */
export async function createCalendarFixture({
  dataSource,
}: TestDatabase): Promise<CalendarFixture> {
  const [agenda, google] = await Promise.all([
    createTestAgenda(dataSource),
    startTestGoogle(calendarIds),
  ]);
  const { accountId } = agenda.account;
  const port = createGoogleCalendar(googleOptions(google));
  const log = createLog("test", "silent");
  const deps = { dataSource, secretBox: testSecretBox, log, calendarPorts: { google: port } };
  const steps = { ...createCalendarEvents(deps), ...createReschedule(deps) };
  let linked = 0;
  let seenCalls = 0;
  const link = async (resourceId: number): Promise<string> => {
    const calendarId = calendarIds[linked] ?? "";
    linked += 1;
    await agenda.run((tx) => linkCalendar(tx, { resourceId, calendarId }));
    return calendarId;
  };
  const ownCalendar = await link(agenda.resourceId);
  const sync = async (appointmentId: number) =>
    await steps.syncCalendarEvents({ accountId, appointmentId });
  const sql = async <Row>(statement: string, values: unknown[] = []): Promise<Row[]> =>
    await dataSource.query<Row[]>(statement, values);
  return {
    ...agenda,
    google,
    calendarId: ownCalendar,
    steps,
    sync,
    sql,
    async addAgenda() {
      const resourceId = await createTestResource(dataSource, accountId);
      return { resourceId, calendarId: await link(resourceId) };
    },
    async bookWithEvent(given) {
      const { id } = await agenda.book(given);
      await sync(id);
      seenCalls = google.requests().length;
      return await agenda.read(id);
    },
    async requestMove({ id: appointmentId }, given = {}) {
      const row = await agenda.run((tx) =>
        requestReschedule(tx, {
          appointmentId,
          startTime: at("18:00"),
          mode: "same",
          source: "panel",
          ...given,
        }),
      );
      if (row === null) throw new Error("It is there already.");
      return { accountId, appointmentId, rescheduleId: row.id };
    },
    shown: (calendarId = ownCalendar) => shownAt(google, calendarId),
    calls: () =>
      google
        .requests()
        .slice(seenCalls)
        .map(({ call }) => call)
        .filter((call) => call !== "token"),
    async asked() {
      const rows = await sql<{ id: string }>(
        "SELECT command ->> '$.workflowId' AS id FROM outbox WHERE account_id = ? AND kind = 'request' ORDER BY id",
        [accountId],
      );
      return rows.map(({ id }) => id);
    },
    async stop() {
      await port.close();
      await google.stop();
    },
  };
}
