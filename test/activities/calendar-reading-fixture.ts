import { createCalendarEvents } from "../../activities/calendar-events.ts";
import { createGoogleCalendar } from "../../activities/calendars/google.ts";
import { createReadCalendar } from "../../activities/read-calendar.ts";
import { createReschedule } from "../../activities/reschedule.ts";
import { createWatchCalendar } from "../../activities/watch-calendar.ts";
import { createLog } from "../../core/log.ts";
import type { GoogleLinksBody } from "../../core/model/calendar-connection.ts";
import type { CalendarDirection } from "../../core/model/calendar.ts";
import type { CalendarReadOutcome } from "../../core/model/workflow/calendar-reading.ts";
import { replaceGoogleLinks } from "../../core/services/calendars/google-links.ts";
import { Appointment } from "../../db/entities/appointment.ts";
import { CalendarLink } from "../../db/entities/calendar-link.ts";
import { startGoogleStandIn, type GoogleStandIn } from "../../dev/stand-in/google-server.ts";
import type { GoogleEventChange } from "../../dev/stand-in/google-wire.ts";
import { testSecretBox } from "../support/accounts.ts";
import { runActivity } from "../support/activity.ts";
import { createTestAgenda, type TestAgenda } from "../support/appointments.ts";
import { linkCalendar } from "../support/calendars.ts";
import type { TestDatabase } from "../support/database.ts";
import { googleOptions } from "../support/google-calendar.ts";

/** The calendar of the agenda. */
export const adaCalendar = "ada@google.example";
/** Another calendar of the same account. */
export const roomCalendar = "c_room2@group.calendar.google.example";

type WantedLink = GoogleLinksBody["links"][number];

/** An agenda that is kept on a calendar of the stand-in, and read from there. */
export interface ReadingFixture extends TestAgenda {
  google: GoogleStandIn;
  linkId: number;
  connectionId: number;
  steps: ReturnType<typeof createCalendarEvents> &
    ReturnType<typeof createReadCalendar> &
    ReturnType<typeof createReschedule> &
    ReturnType<typeof createWatchCalendar>;
  /** Reads until nothing is left. @returns the last outcome */
  readAll(
    announced?: boolean,
    linkId?: number,
  ): Promise<Exclude<CalendarReadOutcome, { state: "more" }>>;
  /** Gives the agenda this calendar alone, as an admin does. @returns the id of the link */
  use(calendarId: string, given?: Partial<WantedLink>): Promise<number>;
  /** Types of the events since the last call, in their order. */
  events(): Promise<string[]>;
  /** Appointments of the agenda by time: `10:00 confirmed Ana`. */
  shown(): Promise<string[]>;
  /** Blocked times: `10:00-11:00`. */
  busy(): Promise<string[]>;
  link(): Promise<CalendarLink>;
  kinds(): Promise<string[]>;
  /** Workflows that were asked for, by their id. */
  accountRequests(): Promise<string[]>;
  sync(appointmentId: number): Promise<{ state: string }>;
  sql<Row = Record<string, unknown>>(statement: string, values?: unknown[]): Promise<Row[]>;
  stop(): Promise<void>;
}

/** Options of a reading. */
interface ReadingOptions {
  direction?: CalendarDirection;
  publicUrl?: string;
  /** Agenda to keep on the calendar. Default: one of its own. */
  known?: TestAgenda;
}

/** Keeps an agenda on a stand-in of its own. */
export async function createReadingFixture(
  { dataSource }: TestDatabase,
  { direction = "two_way", publicUrl = "https://parley.example", known }: ReadingOptions = {},
): Promise<ReadingFixture> {
  const google = await startGoogleStandIn({ retryMs: 5 });
  const agenda = known ?? (await createTestAgenda(dataSource));
  const { accountId } = agenda.account;
  const place = { resourceId: agenda.resourceId, calendarId: adaCalendar, direction };
  const refreshToken = google.grant(adaCalendar);
  const { linkId, connectionId } = await agenda.run((tx) =>
    linkCalendar(tx, { ...place, refreshToken }),
  );
  const port = createGoogleCalendar(googleOptions(google));
  const log = createLog("test", "silent");
  const calendarPorts = { google: port };
  const deps = { dataSource, secretBox: testSecretBox, log, calendarPorts, publicUrl };
  const steps = {
    ...createCalendarEvents(deps),
    ...createReadCalendar(deps),
    ...createReschedule(deps),
    ...createWatchCalendar(deps),
  };
  const sql = async <Row>(statement: string, values: unknown[] = []): Promise<Row[]> =>
    await dataSource.query<Row[]>(statement, values);
  let seenEvents = 0;
  return {
    ...agenda,
    google,
    linkId,
    connectionId,
    steps,
    sql,
    async readAll(announced = true, readId = linkId) {
      for (let begins = true; ; begins = false) {
        const part = { accountId, linkId: readId, begins, announced, failures: 0 };
        const outcome = await runActivity(() => steps.readCalendar(part));
        if (outcome.state !== "more") return outcome;
      }
    },
    async use(calendarId, given = {}) {
      const { resourceId } = agenda;
      const place = { calendar_id: calendarId, resource_id: resourceId };
      const wanted = { direction: "two_way", other_events: "busy" } as const;
      const links = [Object.assign({}, place, wanted, given)];
      const known = { calendarId, name: calendarId, isPrimary: false, isWritable: true };
      await agenda.run((tx) => replaceGoogleLinks(tx, connectionId, { links }, [known]));
      const link = await dataSource.manager.findOneByOrFail(CalendarLink, { resourceId });
      return link.id;
    },
    async events() {
      const rows = await sql<{ type: string }>(
        "SELECT type FROM events WHERE account_id = ? ORDER BY id",
        [accountId],
      );
      const fresh = rows.slice(seenEvents);
      seenEvents = rows.length;
      return fresh.map(({ type }) => type);
    },
    async shown() {
      const rows = await dataSource.manager.find(Appointment, {
        where: { accountId },
        order: { startTime: "ASC", id: "ASC" },
      });
      return rows.map(
        ({ startTime, status, customerName }) =>
          `${startTime.toISOString().slice(11, 16)} ${status} ${customerName}`,
      );
    },
    async busy() {
      const rows = await sql<{ start_time: Date; end_time: Date }>(
        "SELECT start_time, end_time FROM busy_blocks WHERE account_id = ? ORDER BY start_time",
        [accountId],
      );
      const clock = (moment: Date) => moment.toISOString().slice(11, 16);
      return rows.map((row) => `${clock(row.start_time)}-${clock(row.end_time)}`);
    },
    link: async () => await dataSource.manager.findOneByOrFail(CalendarLink, { id: linkId }),
    async kinds() {
      const rows = await sql<{ kind: string }>(
        "SELECT kind FROM notifications WHERE account_id = ? ORDER BY id",
        [accountId],
      );
      return rows.map(({ kind }) => kind);
    },
    async accountRequests() {
      const rows = await sql<{ id: string }>(
        "SELECT command ->> '$.workflowId' AS id FROM outbox WHERE account_id = ? AND kind = 'request' ORDER BY id",
        [accountId],
      );
      return rows.map(({ id }) => id);
    },
    sync: async (appointmentId) => await steps.syncCalendarEvents({ accountId, appointmentId }),
    async stop() {
      await port.close();
      await google.close();
    },
  };
}

/** A moment of the day after tomorrow, as `16:30` in UTC. It lies within the horizon. */
export function soon(time: string, days = 2): string {
  const day = new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  return `${day}T${time}:00.000Z`;
}

/** Times of an event. */
export function from(start: string, end: string, days = 2) {
  return { start: { dateTime: soon(start, days) }, end: { dateTime: soon(end, days) } };
}

/** An event with Eva as a guest. */
export function visit(start: string, end: string, days = 2): GoogleEventChange {
  const guests = [{ email: "eva@example.com", displayName: "Eva" }];
  return Object.assign({ summary: "Check-up", attendees: guests }, from(start, end, days));
}

/** Books an appointment at 15:00 that stands in both calendars. Its events are read already. */
export async function bookOnBothSides(
  fixture: ReadingFixture,
): Promise<{ appointmentId: number; eventId: string }> {
  await fixture.readAll();
  const { id: appointmentId } = await fixture.book({ startTime: new Date(soon("15:00")) });
  await fixture.sync(appointmentId);
  await fixture.readAll();
  const { googleEventId } = await fixture.read(appointmentId);
  await fixture.events();
  return { appointmentId, eventId: googleEventId ?? "" };
}
