import { setTimeout as sleep } from "node:timers/promises";
import type { DataSource } from "typeorm";
import { AppError } from "../../core/errors.ts";
import { createSecretBox } from "../../core/secrets.ts";
import { requestReschedule } from "../../core/services/appointments/appointment-reschedules.ts";
import { cancelAppointment } from "../../core/services/appointments/appointment-status.ts";
import { bookAppointment } from "../../core/services/appointments/appointments.ts";
import { openDatabase } from "../../db/data-source.ts";
import { systemOf, transaction, type Tx } from "../../db/transaction.ts";
import type { GoogleStandIn } from "../../dev/stand-in/google-server.ts";
import { connectGoogleAgenda } from "../bench/google-agenda.ts";
import {
  customersEvents,
  replayChanges,
  sidesOf,
  statesOf,
  type StoredVisit,
  type ToldChange,
} from "./calendar-books.ts";
import type { Installation } from "./installation.ts";
import type { Chance } from "./random.ts";

const calendarId = "ada@google.example";
const quarterMs = 15 * 60_000;
/** Quarters of an hour in which appointments begin, from two hours from now on. */
const quarters = { from: 8, to: 60 * 24 * 4 };

/** An agenda on a calendar of the stand-in, with people who edit both sides. */
export interface CalendarEdits {
  /** Edits both sides until `stop`. */
  start(perSecond: number): { stop(): Promise<number> };
  /** Differences of both sides, and events that do not follow one another. Empty: all is well. */
  compare(): Promise<string[]>;
  /** Events of appointments so far. */
  countTold(): Promise<number>;
  close(): Promise<void>;
}

/** Connects the first account of an installation, and begins to read its calendar. */
export async function createCalendarEdits(
  { databaseUrl, accounts, seed }: Pick<Installation, "databaseUrl" | "accounts" | "seed">,
  google: GoogleStandIn,
  chance: Chance,
): Promise<CalendarEdits> {
  const dataSource = await openDatabase({ url: databaseUrl, poolSize: 2 });
  const accountId = accounts[0]?.accountId ?? 0;
  const secretBox = createSecretBox(seed.secretKey);
  const refreshToken = google.grant(calendarId);
  const place = { accountId, calendarId, refreshToken };
  const { resourceId } = await connectGoogleAgenda({ dataSource, secretBox }, place);
  const byOwner = ownersEdits(google, chance);
  const byUs = ourEdits(dataSource, { accountId, resourceId }, chance);

  async function compare(): Promise<string[]> {
    const visits = await dataSource.query<StoredVisit[]>(
      "SELECT id, status, start_time, google_event_id FROM appointments WHERE resource_id = ?",
      [resourceId],
    );
    const { states, faults } = replayChanges(await listTold(dataSource));
    const { ours, theirs } = sidesOf(visits, google.list(calendarId));
    return [
      ...faults,
      ...missing(ours, theirs).map((one) => `only here: ${one}`),
      ...missing(theirs, ours).map((one) => `only at Google: ${one}`),
      ...missing(statesOf(visits), states).map((one) => `told otherwise: ${one}`),
    ];
  }

  return {
    start(perSecond) {
      let ended = false;
      let edits = 0;
      const loop = (async () => {
        for (; !ended; edits += 1) {
          if (chance.next() < 0.5) chance.pick(byOwner)();
          else await chance.pick(byUs)();
          await sleep(1_000 / perSecond);
        }
      })();
      return {
        async stop() {
          ended = true;
          await loop;
          return edits;
        },
      };
    },
    compare,
    countTold: async () => (await listTold(dataSource)).length,
    close: () => dataSource.destroy(),
  };
}

async function listTold(dataSource: DataSource): Promise<ToldChange[]> {
  const rows = await dataSource.query<{ body: Buffer }[]>(
    "SELECT body FROM events WHERE type LIKE 'appointment.%' ORDER BY id",
  );
  return rows.map(({ body }) => JSON.parse(body.toString()) as ToldChange);
}

function missing(some: readonly string[], others: readonly string[]): string[] {
  const known = new Set(others);
  return some.filter((one) => !known.has(one));
}

/** A time in the next two months. */
function someTime(chance: Chance): { start: Date; end: Date } {
  const first = Math.ceil(Date.now() / quarterMs);
  const start = new Date((first + chance.between(quarters.from, quarters.to)) * quarterMs);
  return { start, end: new Date(start.getTime() + 2 * quarterMs) };
}

/** Edits of the calendar's owner. */
function ownersEdits(google: GoogleStandIn, chance: Chance): (() => void)[] {
  let guests = 0;
  const times = () => {
    const { start, end } = someTime(chance);
    return { start: { dateTime: start.toISOString() }, end: { dateTime: end.toISOString() } };
  };
  const insert = (): void => {
    guests += 1;
    const attendees = [{ email: `guest${guests}@example.com`, displayName: `Guest ${guests}` }];
    google.insert(calendarId, { summary: "Check-up", attendees, ...times() });
  };
  const edit = (work: (id: string) => void) => (): void => {
    const events = customersEvents(google.list(calendarId));
    if (events.length > 0) work(chance.pick(events).id);
  };
  return [
    insert,
    insert,
    edit((id) => google.change(calendarId, id, times())),
    edit((id) => google.change(calendarId, id, { summary: `Title ${chance.next()}` })),
    edit((id) => google.remove(calendarId, id)),
  ];
}

/** Edits of members. A refusal, such as of a time that is taken, changes nothing. */
function ourEdits(
  dataSource: DataSource,
  { accountId, resourceId }: Record<"accountId" | "resourceId", number>,
  chance: Chance,
): (() => Promise<void>)[] {
  let customers = 0;
  const source = "panel";
  const run = async (work: (tx: Tx) => Promise<unknown>): Promise<void> => {
    await transaction(dataSource, systemOf(accountId), work).catch((error: unknown) => {
      if (!(error instanceof AppError)) throw error;
    });
  };
  const edit = (work: (tx: Tx, appointmentId: number) => Promise<unknown>) => async () => {
    const rows = await dataSource.query<{ id: number }[]>(
      "SELECT id FROM appointments WHERE resource_id = ? AND status = 'confirmed' ORDER BY id",
      [resourceId],
    );
    if (rows.length > 0) await run((tx) => work(tx, Number(chance.pick(rows).id)));
  };
  const book = async (): Promise<void> => {
    customers += 1;
    const contact = { phone: String(5_215_600_000_000 + customers), name: `Customer ${customers}` };
    const { start: startTime } = someTime(chance);
    const customer = { contact };
    await run((tx) =>
      bookAppointment(tx, { resourceId, startTime, durationMinutes: 30, customer, source }),
    );
  };
  return [
    book,
    book,
    edit((tx, appointmentId) => cancelAppointment(tx, { appointmentId, source })),
    edit((tx, appointmentId) =>
      requestReschedule(tx, {
        appointmentId,
        startTime: someTime(chance).start,
        mode: "same",
        source,
      }),
    ),
  ];
}
