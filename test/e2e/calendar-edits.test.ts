import { afterAll, beforeAll, expect, test } from "vitest";
import { requestCalendarRead, watchCommand } from "../../core/services/calendars/calendar-reads.ts";
import { request } from "../../core/services/outbox/outbox.ts";
import { startGoogleStandIn, type GoogleStandIn } from "../../dev/stand-in/google-server.ts";
import type { GoogleEvent, GoogleEventChange } from "../../dev/stand-in/google-wire.ts";
import {
  customersEvents,
  replayChanges,
  sidesOf,
  statesOf,
  type StoredVisit,
  type ToldChange,
} from "../../tools/faults/calendar-books.ts";
import { createChance } from "../../tools/faults/random.ts";
import { asSystem } from "../support/accounts.ts";
import { callApi, type TestAnswer } from "../support/api.ts";
import { createTestResource } from "../support/appointments.ts";
import { linkCalendar } from "../support/calendars.ts";
import { freshPhone } from "../support/contact-load.ts";
import { eventually } from "../support/eventually.ts";
import { createProcessFixture, type ProcessFixture } from "../support/process-fixture.ts";
import type { TestProcess } from "../support/process.ts";

/** Edits of a run. `CALENDAR_EDITS=500` makes a long one. */
const edits = Number(process.env["CALENDAR_EDITS"] ?? 60);
/** Another seed makes other edits. */
const seed = Number(process.env["CALENDAR_SEED"] ?? 7);
const settledMs = 240_000;
const calendarId = "ada@google.example";
const publicUrl = "https://parley.example";

const chance = createChance(seed);
let google: GoogleStandIn;
let fixture: ProcessFixture;
let api: TestProcess & { url: string };
let worker: TestProcess;
let resourceId: number;

beforeAll(async () => {
  const route = (address: string) => address.replace(publicUrl, api.url);
  google = await startGoogleStandIn({ retryMs: 200, route });
  fixture = await createProcessFixture();
  const { dataSource } = fixture.database;
  const { accountId } = fixture.account;
  [api, worker] = await Promise.all([fixture.startApi(google.settings), startWorker()]);
  resourceId = await createTestResource(dataSource, accountId);
  const refreshToken = google.grant(calendarId);
  await asSystem(dataSource, accountId, async (tx) => {
    const { linkId } = await linkCalendar(tx, { resourceId, calendarId, refreshToken });
    await requestCalendarRead(tx, linkId);
    await request(tx, watchCommand({ id: linkId, accountId }));
  });
  await eventually(() => {
    if (google.channels().length === 0) throw new Error("Nobody watches the calendar.");
  }, 60_000);
});

afterAll(async () => {
  await fixture.stop();
  await google.close();
});

/** The API speaks http to this machine; the worker gives Google an address with https. */
async function startWorker(): Promise<TestProcess> {
  return await fixture.startWorker({ ...google.settings, PUBLIC_URL: publicUrl });
}

const call = async (method: string, path: string, body?: unknown): Promise<TestAnswer> =>
  await callApi(api.url, method, `/dashboard/api${path}`, {
    cookie: fixture.account.cookie,
    body,
  });

/** A quarter of an hour within the next two months. */
function moment(): Date {
  const quarters = chance.between(8, 4 * 24 * 60);
  return new Date(Math.ceil(Date.now() / 900_000) * 900_000 + quarters * 900_000);
}

function times(start: Date) {
  const end = new Date(start.getTime() + 30 * 60_000);
  return { start: { dateTime: start.toISOString() }, end: { dateTime: end.toISOString() } };
}

let people = 0;
function visit(change: GoogleEventChange = {}): GoogleEventChange {
  const email = `guest${(people += 1)}@example.com`;
  const attendees = [{ email, displayName: `Guest ${people}` }];
  return Object.assign({ summary: "Check-up", attendees }, times(moment()), change);
}

const visitsThere = (): GoogleEvent[] => customersEvents(google.list(calendarId));

const removed: string[] = [];

/** An event to edit; null where there is none. */
function anyEvent(of = visitsThere()): GoogleEvent | null {
  return of.length === 0 ? null : chance.pick(of);
}

function withEvent(edit: (event: GoogleEvent) => void): () => void {
  return () => {
    const event = anyEvent();
    if (event !== null) edit(event);
  };
}

function ofSeries(edit: (event: GoogleEvent) => void): () => void {
  return () => {
    const event = anyEvent(
      visitsThere().filter(({ recurringEventId }) => recurringEventId !== undefined),
    );
    if (event !== null) edit(event);
  };
}

const byOwner: (() => void)[] = [
  () => void google.insert(calendarId, visit()),
  () => void google.insert(calendarId, visit()),
  () => void google.insert(calendarId, visit({ recurrence: ["RRULE:FREQ=WEEKLY;COUNT=4"] })),
  () => void google.insert(calendarId, Object.assign({ summary: "Lunch" }, times(moment()))),
  withEvent(({ id }) => void google.change(calendarId, id, times(moment()))),
  withEvent(({ id }) => void google.change(calendarId, id, times(moment()))),
  withEvent(({ id }) => void google.change(calendarId, id, { summary: `Title ${chance.next()}` })),
  withEvent(({ id, recurringEventId }) => {
    google.remove(calendarId, id);
    if (recurringEventId === undefined) removed.push(id);
  }),
  withEvent(({ id, attendees }) => {
    if (attendees === undefined) return;
    const answers = attendees.map((one) => Object.assign({}, one, { responseStatus: "declined" }));
    google.change(calendarId, id, { attendees: answers });
  }),
  () => {
    const id = removed.shift();
    if (id !== undefined) google.change(calendarId, id, { status: "confirmed" });
  },
  ofSeries(({ id }) => void google.split(calendarId, id, times(moment()))),
  ofSeries(({ id }) => void google.split(calendarId, id, { summary: "Longer" })),
  ofSeries(({ recurringEventId = "" }) => {
    google.change(calendarId, recurringEventId, times(moment()));
  }),
];

async function anyAppointment(): Promise<number | null> {
  const rows = await fixture.database.dataSource.query<{ id: number }[]>(
    "SELECT id FROM appointments WHERE resource_id = ? AND status = 'confirmed' ORDER BY id",
    [resourceId],
  );
  return rows.length === 0 ? null : Number(chance.pick(rows).id);
}

/** Deeds of people in the Dashboard. A refusal, such as of a time that is taken, changes nothing. */
const byUs: (() => Promise<unknown>)[] = [
  async () =>
    await call("POST", "/appointments", {
      resource_id: resourceId,
      contact: { phone: freshPhone(), name: "Ana" },
      start_time: moment().toISOString(),
      duration_minutes: 30,
    }),
  async () => {
    const id = await anyAppointment();
    const body = { start_time: moment().toISOString() };
    if (id !== null) await call("POST", `/appointments/${id}/reschedule`, body);
  },
  async () => {
    const id = await anyAppointment();
    if (id !== null) await call("POST", `/appointments/${id}/cancel`, {});
  },
];

/** Pushes are lost, doubled, late or reordered. */
async function disturbPushes(): Promise<void> {
  const mode = chance.pick(["now", "now", "now", "lost", "twice", "late", "hold"] as const);
  google.pushes.choose({ mode, ms: 300 });
  if (chance.next() < 0.2) await google.pushes.release();
}

/** Trouble at fixed places of the run. */
const troubles = new Map<number, () => Promise<void> | void>([
  [Math.floor(edits / 5), killWorker],
  [Math.floor((edits * 2) / 5), () => google.endSyncTokens(calendarId)],
  [Math.floor((edits * 3) / 5), () => google.endAccessTokens()],
  [Math.floor((edits * 4) / 5), killWorker],
]);

async function killWorker(): Promise<void> {
  await worker.kill("SIGKILL");
  worker = await startWorker();
}

type Told = ToldChange & { event_id: string };

/** Events of appointments as the receiver got them, each once, in their order. */
function told(): Told[] {
  const found = new Map<string, Told>();
  for (const { body } of fixture.sink.posts) {
    const event = JSON.parse(body.toString()) as Told;
    if (event.event_type.startsWith("appointment.")) found.set(event.event_id, event);
  }
  return [...found.values()].toSorted((one, other) => (one.event_id < other.event_id ? -1 : 1));
}

const ours = async (): Promise<StoredVisit[]> =>
  await fixture.database.dataSource.query<StoredVisit[]>(
    "SELECT id, status, start_time, google_event_id FROM appointments WHERE resource_id = ?",
    [resourceId],
  );

/** Both sides have the same appointments at the same times. */
async function becomeEqual(): Promise<void> {
  await eventually(async () => {
    const sides = sidesOf(await ours(), google.list(calendarId));
    expect(sides.ours).toEqual(sides.theirs);
  }, settledMs);
}

/** Each change was announced once: the events alone give the state that is stored. */
async function becomeTold(): Promise<void> {
  await eventually(async () => {
    const { states, faults } = replayChanges(told());
    expect(faults).toEqual([]);
    expect(states).toEqual(statesOf(await ours()));
  }, settledMs);
}

test(`after ${edits} edits on both sides with trouble of every kind both sides are equal, and each change was announced once`, async () => {
  for (let count = 0; count < edits; count += 1) {
    await troubles.get(count)?.();
    await disturbPushes();
    if (chance.next() < 0.65) chance.pick(byOwner)();
    else await chance.pick(byUs)();
  }
  google.pushes.choose({ mode: "now" });
  await google.pushes.release();
  // The last push is on time, and says that there is something new.
  google.insert(calendarId, visit());
  await becomeEqual();
  await becomeTold();
  // A run in which little happens would prove little.
  expect(told().length).toBeGreaterThan(edits / 3);
}, 1_200_000);

test("while Google is away, and its pushes with it, nothing is lost on either side", async () => {
  const before = (await ours()).length;
  await google.down();
  google.pushes.choose({ mode: "lost" });
  for (let count = 0; count < 5; count += 1) google.insert(calendarId, visit());
  for (let count = 0; count < 5; count += 1)
    await call("POST", "/appointments", {
      resource_id: resourceId,
      contact: { phone: freshPhone(), name: "Ana" },
      start_time: moment().toISOString(),
      duration_minutes: 30,
    });
  await killWorker();
  await google.up();
  google.pushes.choose({ mode: "now" });
  google.insert(calendarId, visit());
  await becomeEqual();
  await becomeTold();
  expect((await ours()).length).toBeGreaterThan(before + 6);
}, 600_000);
