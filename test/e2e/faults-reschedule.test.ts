import type { QueryRunner } from "typeorm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { prepareOwnTemporal } from "../../tools/faults/own-servers.ts";
import { asSystem } from "../support/accounts.ts";
import { callApi, type TestAnswer } from "../support/api.ts";
import { at, createTestResource } from "../support/appointments.ts";
import { linkCalendar } from "../support/calendars.ts";
import { freshPhone } from "../support/contact-load.ts";
import { eventually } from "../support/eventually.ts";
import { shownAt, startTestGoogle, type TestGoogle } from "../support/google-calendar.ts";
import { createProcessFixture, type ProcessFixture } from "../support/process-fixture.ts";
import { runFolder } from "../support/run-folder.ts";
import type { TestProcess } from "../support/process.ts";
import { createGate } from "../workflows/fake-run.ts";
import { useFixture } from "../support/use-fixture.ts";

// Each move is stopped in another of its steps, by a calendar that keeps a request or a row that is
// locked; then the worker dies with all of them at once. What it had under way comes back by time
// alone: after the 30 s of an activity.
const givenBackMs = 90_000;

const temporal = useFixture(async () => await prepareOwnTemporal(runFolder));
let google: TestGoogle;
let fixture: ProcessFixture;
/** Calendars of the moves, by the step in which each is stopped. */
const names = ["moving", "committing", "leaving", "releasing", "returning"] as const;
let api: TestProcess & { url: string };
let worker: TestProcess;
/** Connections that keep a move from being ended. */
const locks: QueryRunner[] = [];

beforeAll(async () => {
  await temporal.start();
  google = await startTestGoogle([...names, "arriving", "while-away"]);
  fixture = await createProcessFixture({
    temporal: { address: temporal.address, namespace: "default" },
  });
  [api, worker] = await Promise.all([fixture.startApi(), fixture.startWorker(google.settings)]);
});

afterAll(async () => {
  await unlockMoves();
  await fixture.stop();
  await google.stop();
});

const call = async (method: string, path: string, body?: unknown): Promise<TestAnswer> =>
  await callApi(api.url, method, `/dashboard/api${path}`, {
    cookie: fixture.account.cookie,
    body,
  });
const move = async (id: number, body: object = {}) =>
  await call("POST", `/appointments/${id}/reschedule`, { start_time: at("18:00"), ...body });
const read = async (id: number) => (await call("GET", `/appointments/${id}`)).json.data;

interface Agenda {
  resourceId: number;
  calendarId: string;
}

async function addAgenda(name: string): Promise<Agenda> {
  const { dataSource } = fixture.database;
  const { accountId } = fixture.account;
  const resourceId = await createTestResource(dataSource, accountId);
  await asSystem(dataSource, accountId, (tx) => linkCalendar(tx, { resourceId, calendarId: name }));
  return { resourceId, calendarId: name };
}

/** Books at 16:00, and waits for the event. @returns the appointment's id. */
async function book({ resourceId }: Agenda): Promise<number> {
  const { json } = await call("POST", "/appointments", {
    resource_id: resourceId,
    contact: { phone: freshPhone(), name: "Ana" },
    start_time: at("16:00"),
    duration_minutes: 30,
  });
  const { id } = json.data;
  await eventually(async () => expect((await read(id)).google_event_id).not.toBeNull());
  return id;
}

/** Where the event is to be seen, as `calendar 18:00 appointment`. */
function shown(...agendas: Agenda[]): string[] {
  return agendas.flatMap(({ calendarId }) =>
    shownAt(google, calendarId).map((event) => `${calendarId} ${event}`),
  );
}

/** Locks a move's row, once it is there, so that it can neither be committed nor released. */
async function lockMove(appointmentId: number): Promise<void> {
  const runner = fixture.database.dataSource.createQueryRunner();
  locks.push(runner);
  await eventually(async () => {
    await runner.startTransaction();
    const rows: unknown = await runner.query(
      "SELECT id FROM appointment_reschedules WHERE appointment_id = ? FOR UPDATE",
      [appointmentId],
    );
    if (Array.isArray(rows) && rows.length > 0) return;
    await runner.rollbackTransaction();
    throw new Error("no move yet");
  });
}

async function unlockMoves(): Promise<void> {
  for (const runner of locks.splice(0)) {
    if (runner.isTransactionActive) await runner.rollbackTransaction();
    await runner.release();
  }
}

/** Waits until so many connections wait for a lock on a move. */
async function untilWaiting(count: number): Promise<void> {
  await eventually(async () => {
    const rows = await fixture.database.dataSource.query<unknown[]>(
      `SELECT 1 FROM information_schema.processlist WHERE db = DATABASE()
        AND id <> CONNECTION_ID() AND info REGEXP 'appointment_reschedules.+FOR UPDATE'`,
    );
    expect(rows).toHaveLength(count);
  });
}

test("a worker killed in every step of a move at once leaves each appointment at one time, in MySQL and outside", async () => {
  const agendas = new Map<string, Agenda>();
  const ids = new Map<string, number>();
  for (const name of [...names, "arriving"]) agendas.set(name, await addAgenda(name));
  const agenda = (name: string): Agenda => agendas.get(name) ?? { resourceId: 0, calendarId: "" };
  for (const name of names) ids.set(name, await book(agenda(name)));
  const id = (name: string): number => ids.get(name) ?? 0;

  // Held: the patch of the first; the rows of the second and the fourth, once their patches are answered;
  // the delete on the old calendar of the third; and of the fifth, whose patch was refused, the one that
  // puts it back.
  const [gate, locked] = [createGate(), createGate()];
  let patches = 0;
  google.hook(({ call: what, calendarId }) => {
    if (what === "patch" && calendarId === "moving") return gate.passed;
    if (what === "patch" && calendarId === "committing") return locked.passed;
    if (what === "delete" && calendarId === "leaving") return gate.passed;
    if (what === "patch" && calendarId === "releasing")
      return locked.passed.then(() => "badRequest" as const);
    if (what !== "patch" || calendarId !== "returning") return null;
    return (patches += 1) === 1 ? "badRequest" : gate.passed;
  });
  const answers = Promise.all([
    move(id("moving")),
    move(id("committing")),
    move(id("leaving"), { resource_id: agenda("arriving").resourceId }),
    move(id("releasing")),
    move(id("returning")),
  ]);
  await Promise.all([lockMove(id("committing")), lockMove(id("releasing"))]);
  locked.open();
  await untilWaiting(2);
  const held = (calendarId: string, what: string, times: number) =>
    eventually(() => {
      const asked = google
        .requests()
        .filter((one) => one.calendarId === calendarId && one.call === what);
      expect(asked).toHaveLength(times);
    });
  await Promise.all([held("moving", "patch", 1), held("leaving", "delete", 1)]);
  await held("returning", "patch", 2);

  await worker.kill("SIGKILL");
  gate.open();
  google.hook(null);
  await unlockMoves();
  expect((await answers).map(({ status }) => status)).toEqual([202, 202, 200, 202, 422]);
  worker = await fixture.startWorker(google.settings);

  await eventually(async () => {
    const rows = await fixture.database.dataSource.query<{ state: string }[]>(
      "SELECT state FROM appointment_reschedules ORDER BY appointment_id",
    );
    expect(rows.map(({ state }) => state)).toEqual([
      "committed",
      "committed",
      "committed",
      "released",
      "released",
    ]);
    expect(shown(...agendas.values())).toEqual([
      `moving 18:00 ${id("moving")}`,
      `committing 18:00 ${id("committing")}`,
      `releasing 16:00 ${id("releasing")}`,
      `returning 16:00 ${id("returning")}`,
      `arriving 18:00 ${id("leaving")}`,
    ]);
  }, givenBackMs);
  const times = await Promise.all(names.map((name) => read(id(name))));
  expect(times.map((one) => [one.start_time, one.resource_id, one.reschedule])).toEqual([
    [at("18:00").toISOString(), agenda("moving").resourceId, null],
    [at("18:00").toISOString(), agenda("committing").resourceId, null],
    [at("18:00").toISOString(), agenda("arriving").resourceId, null],
    [at("16:00").toISOString(), agenda("releasing").resourceId, null],
    [at("16:00").toISOString(), agenda("returning").resourceId, null],
  ]);
  await eventually(() => {
    const events = fixture.sink.posts.map(({ body }) => JSON.parse(body.toString()));
    const moved = events.filter(({ event_type: type }) => type === "appointment.rescheduled");
    expect(new Set(moved.map(({ data }) => data.appointment_id))).toEqual(
      new Set([id("moving"), id("committing"), id("leaving")]),
    );
    expect(new Set(moved.map(({ event_id }) => event_id)).size).toBe(3);
  }, givenBackMs);
}, 240_000);

test("with Temporal down a move is accepted and held, and carried out once it is back", async () => {
  const agenda = await addAgenda("while-away");
  const id = await book(agenda);
  await temporal.kill();
  // Answered before Temporal is back.
  const { status, json } = await move(id);
  expect([status, json.data.state]).toEqual([202, "requested"]);
  const { json: taken } = await call("POST", "/appointments", {
    resource_id: agenda.resourceId,
    contact: { phone: freshPhone(), name: "Eva" },
    start_time: at("18:00"),
    duration_minutes: 30,
  });
  expect(taken.error.code).toBe("slot_taken");
  await temporal.start();
  await eventually(async () => {
    const { data } = (await call("GET", `/reschedules/${json.data.id}`)).json;
    expect(data).toMatchObject({ state: "committed", appointment: { id } });
  }, givenBackMs);
  expect(shown(agenda)).toEqual([`while-away 18:00 ${id}`]);
}, 180_000);
