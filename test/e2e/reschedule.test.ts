import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createGoogleCalendar, type GoogleCalendar } from "../../activities/calendars/google.ts";
import { rescheduleFailure } from "../../api/reschedule-outcome.ts";
import { asSystem, createTestAccount } from "../support/accounts.ts";
import type { TestAnswer } from "../support/api.ts";
import { at, createTestResource } from "../support/appointments.ts";
import { linkCalendar } from "../support/calendars.ts";
import { freshPhone } from "../support/contact-load.ts";
import { eventually } from "../support/eventually.ts";
import { googleOptions, shownAt, startTestGoogle } from "../support/google-calendar.ts";
import { createGate } from "../workflows/fake-run.ts";
import { storyOf } from "../workflows/scripted-run.ts";
import {
  dashboard,
  keptOfAll,
  postsTo,
  shortWaits,
  startDeliveryFixture,
  subscribe,
  type DeliveryFixture,
} from "./delivery-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

let fixture: DeliveryFixture;
const calendarIds = Array.from({ length: 50 }, (_, n) => `agenda-${n}@group.calendar.google.com`);
const google = useFixture(async () => await startTestGoogle(calendarIds));
let port: GoogleCalendar;
let hook: string;
let agendas = 0;

beforeAll(async () => {
  port = createGoogleCalendar(googleOptions(google));
  fixture = await startDeliveryFixture(shortWaits, { calendarPorts: { google: port } });
});

/** An account of its own, so that each test hears of its own appointments alone. */
beforeEach(async () => {
  google.hook(null);
  fixture.account = await createTestAccount(fixture.database.dataSource);
  hook = `/appointments-${fixture.account.accountId}`;
  await subscribe(fixture, hook, { events: ["appointment.*"] });
});

afterAll(async () => {
  await fixture.stop();
  await port.close();
});

const call = async (method: string, path: string, body?: unknown): Promise<TestAnswer> =>
  await dashboard(fixture, method, path, body);
const move = async (id: number, body: object = {}) =>
  await call("POST", `/appointments/${id}/reschedule`, { start_time: at("18:00"), ...body });
const codeOf = ({ status, json }: TestAnswer) => [status, json.error?.code];

/** The end of a move: that of its answer, or of the link that a busy machine answers with. */
async function endOf(answering: Promise<TestAnswer>) {
  const { status, json } = await answering;
  if (status !== 202) return { code: json.error?.code, appointment: json.data };
  return await eventually(async () => {
    const { data } = (await call("GET", `/reschedules/${json.data.id}`)).json;
    expect(data.state).not.toBe("requested");
    const { failure_code: failure, appointment } = data;
    return { code: failure === null ? undefined : rescheduleFailure(failure).code, appointment };
  });
}

/** Moves an appointment. @returns the appointment at its new time. */
async function moved(id: number, body: object = {}) {
  const { code, appointment } = await endOf(move(id, body));
  expect(code).toBeUndefined();
  return appointment;
}

interface Agenda {
  resourceId: number;
  calendarId: string;
}

/** Adds a resource that is kept on a calendar of its own. */
async function addAgenda(): Promise<Agenda> {
  const { dataSource } = fixture.database;
  const { accountId } = fixture.account;
  const resourceId = await createTestResource(dataSource, accountId);
  const calendarId = calendarIds[(agendas += 1)] ?? "";
  await asSystem(dataSource, accountId, (tx) => linkCalendar(tx, { resourceId, calendarId }));
  return { resourceId, calendarId };
}

/** Books, and waits for the event. @returns the appointment's id. */
async function book(agenda: Agenda, time = "16:00", name = "Ana"): Promise<number> {
  const { status, json } = await call("POST", "/appointments", {
    resource_id: agenda.resourceId,
    contact: { phone: freshPhone(), name },
    start_time: at(time),
    duration_minutes: 30,
  });
  expect(status).toBe(201);
  const { id } = json.data;
  await eventually(async () => expect((await read(id)).google_event_id).not.toBeNull());
  return id;
}

async function read(id: number) {
  return (await call("GET", `/appointments/${id}`)).json.data;
}

/** What a calendar shows: `18:00 appointment`. */
function shown({ calendarId }: Agenda): string[] {
  return shownAt(google, calendarId).toSorted();
}

/** What the receiver was told, by type, once it has heard of so many events. */
async function told(count: number) {
  return await eventually(() => {
    const events = postsTo(fixture, hook).map(({ body }) => JSON.parse(body.toString()));
    expect(events).toHaveLength(count);
    // They arrive in any order; ids of events are in theirs.
    return events.toSorted((one, other) => (one.event_id < other.event_id ? -1 : 1));
  });
}

test("a move from the Dashboard: same id and event, one appointment.rescheduled, a run that operators find", async () => {
  const agenda = await addAgenda();
  const id = await book(agenda);
  const before = await read(id);
  expect(await moved(id)).toMatchObject({
    id,
    start_time: at("18:00").toISOString(),
    google_event_id: before.google_event_id,
  });
  expect(shown(agenda)).toEqual([`18:00 ${id}`]);
  const [created, rescheduled] = await told(2);
  expect([created.event_type, rescheduled.event_type]).toEqual([
    "appointment.created",
    "appointment.rescheduled",
  ]);
  expect(rescheduled.data).toMatchObject({
    appointment_id: id,
    status: "confirmed",
    source: "panel",
    start_time: at("18:00").toISOString(),
    previous_start_time: at("16:00").toISOString(),
    previous_resource_id: agenda.resourceId,
    google_event_id: before.google_event_id,
    replaced_by_appointment_id: null,
  });

  const query = `AppointmentId = "${id}" AND AccountId = "${fixture.account.accountId}"`;
  const runs = await eventually(async () => {
    const found: string[] = [];
    for await (const run of fixture.temporal.workflow.list({ query })) {
      found.push(`${run.type} ${run.status.name}`);
    }
    expect(found.toSorted()).toEqual(["reschedule COMPLETED", "syncAppointment COMPLETED"]);
    return fixture.temporal.workflow.list({ query: `${query} AND WorkflowType = "reschedule"` });
  });
  for await (const { workflowId } of runs) {
    expect(workflowId).toMatch(new RegExp(`^reschedule-${id}-\\d+$`));
    const handle = fixture.temporal.workflow.getHandle(workflowId);
    expect(await (await handle.describe()).staticSummary()).toBe(`move appointment ${id}`);
    expect(await storyOf(handle)).toEqual([
      "moveCalendarEvent",
      "commitReschedule",
      "syncCalendarEvents",
    ]);
  }
});

test("a move by the AI agent: a new appointment with the event, and the old one points to it", async () => {
  const agenda = await addAgenda();
  const id = await book(agenda);
  const { google_event_id: event } = await read(id);
  const { id: next } = await moved(id, { mode: "replace", source: "agente" });
  expect(next).not.toBe(id);
  const events = await told(3);
  expect(
    events.map(({ event_type, data }) => [
      event_type,
      data.appointment_id,
      data.status,
      data.start_time,
      data.replaced_by_appointment_id,
      data.google_event_id,
    ]),
  ).toEqual([
    ["appointment.created", id, "confirmed", at("16:00").toISOString(), null, null],
    ["appointment.created", next, "confirmed", at("18:00").toISOString(), null, event],
    ["appointment.rescheduled", id, "rescheduled", at("16:00").toISOString(), next, null],
  ]);
  await eventually(() => expect(shown(agenda)).toEqual([`18:00 ${next}`]));
  expect(codeOf(await move(id, { start_time: at("20:00") }))).toEqual([
    409,
    "appointment_replaced",
  ]);
});

test("a move to another agenda: the event is on the other calendar, and on no other", async () => {
  const [from, to] = [await addAgenda(), await addAgenda()];
  const id = await book(from);
  const { resource_id: resourceId } = await moved(id, { resource_id: to.resourceId });
  expect(resourceId).toBe(to.resourceId);
  await eventually(() => expect([shown(from), shown(to)]).toEqual([[], [`18:00 ${id}`]]));
});

test("a calendar that stays down: 202, given up within a minute, the old time stands and the new one is free", async () => {
  const agenda = await addAgenda();
  const id = await book(agenda);
  google.hook(() => "unavailable");
  const { status, json } = await move(id);
  expect([status, json.data.state]).toEqual([202, "requested"]);
  const end = await eventually(async () => {
    const { data } = (await call("GET", `/reschedules/${json.data.id}`)).json;
    expect(data.state).not.toBe("requested");
    return data;
  });
  expect(end).toMatchObject({ state: "released", failure_code: "calendar_unavailable" });
  expect(await read(id)).toMatchObject({ start_time: at("16:00").toISOString(), reschedule: null });
  google.hook(null);
  const other = await book(agenda, "18:00");
  // What was tried and not answered is put right once the calendar is back.
  await eventually(() => expect(shown(agenda)).toEqual([`16:00 ${id}`, `18:00 ${other}`]), 60_000);
  expect((await told(2)).map(({ event_type }) => event_type)).toEqual([
    "appointment.created",
    "appointment.created",
  ]);
});

test("a calendar that refuses: the move ends with that, and the old time stands", async () => {
  const agenda = await addAgenda();
  const id = await book(agenda);
  google.hook(({ call: what }) => (what === "patch" ? "badRequest" : null));
  expect((await endOf(move(id))).code).toBe("calendar_refused");
  expect(await read(id)).toMatchObject({ start_time: at("16:00").toISOString(), reschedule: null });
  expect(shown(agenda)).toEqual([`16:00 ${id}`]);
});

test("a calendar that is slow: 202 after 3 seconds, and the link tells the end", async () => {
  const agenda = await addAgenda();
  const id = await book(agenda);
  const gate = createGate();
  google.hook(({ call: what }) => (what === "patch" ? gate.passed : null));
  const startedAt = performance.now();
  const { status, json } = await move(id);
  const tookMs = performance.now() - startedAt;
  expect(status).toBe(202);
  expect(tookMs).toBeGreaterThan(2_700);
  gate.open();
  await eventually(async () => {
    expect((await call("GET", `/reschedules/${json.data.id}`)).json.data).toMatchObject({
      state: "committed",
      appointment: { id, start_time: at("18:00").toISOString() },
    });
  });
  expect(shown(agenda)).toEqual([`18:00 ${id}`]);
});

test("a cancellation while the event moves: no appointment, no event, no move", async () => {
  const agenda = await addAgenda();
  const id = await book(agenda);
  const gate = createGate();
  google.hook(({ call: what }) => (what === "patch" ? gate.passed : null));
  const answering = endOf(move(id));
  await eventually(() => expect(google.requests().at(-1)?.call).toBe("patch"));
  google.hook(null);
  expect((await call("POST", `/appointments/${id}/cancel`, {})).status).toBe(200);
  expect((await answering).code).toBe("appointment_not_confirmed");
  gate.open();
  await eventually(() => expect(shown(agenda)).toEqual([]), 40_000);
  expect((await told(2)).map(({ event_type }) => event_type)).toEqual([
    "appointment.created",
    "appointment.cancelled",
  ]);
});

test("two that want each other's time at once both stay; two that want the same free time make one move", async () => {
  const agenda = await addAgenda();
  const [one, other] = [await book(agenda, "16:00"), await book(agenda, "17:00")];
  const swap = [move(one, { start_time: at("17:00") }), move(other, { start_time: at("16:00") })];
  expect((await Promise.all(swap)).map(codeOf)).toEqual([
    [409, "slot_taken"],
    [409, "slot_taken"],
  ]);
  expect(shown(agenda)).toEqual([`16:00 ${one}`, `17:00 ${other}`]);
  const race = await Promise.all([endOf(move(one)), endOf(move(other))]);
  expect(new Set(race.map(({ code }) => code))).toEqual(new Set([undefined, "slot_taken"]));
  const winner = race[0]?.code === undefined ? one : other;
  const loser = winner === one ? `17:00 ${other}` : `16:00 ${one}`;
  expect(shown(agenda)).toEqual([loser, `18:00 ${winner}`]);
});

test("a cancelled appointment loses its event, a reactivated one gets it back", async () => {
  const agenda = await addAgenda();
  const id = await book(agenda);
  await call("POST", `/appointments/${id}/cancel`, {});
  await eventually(() => expect(shown(agenda)).toEqual([]));
  await call("POST", `/appointments/${id}/reactivate`);
  await eventually(() => expect(shown(agenda)).toEqual([`16:00 ${id}`]));
});

test("Temporal is told nothing of a customer, a calendar or its credentials", async () => {
  const agenda = await addAgenda();
  const id = await book(agenda, "16:00", "Canary-Name-7731");
  google.hook(({ call: what }) => (what === "patch" ? "backend" : null));
  const answering = endOf(move(id));
  await eventually(() => expect(google.requests().at(-1)?.call).toBe("patch"));
  google.hook(null);
  expect((await answering).code).toBeUndefined();
  const everything = (await keptOfAll(fixture)).join("\n");
  // What is not secret is found, so the search itself works.
  expect(everything).toContain(`"appointmentId":${id}`);
  expect(everything).toContain("http_500");
  const { google_event_id: eventId } = await read(id);
  const secrets = ["Canary-Name-7731", agenda.calendarId, eventId, "refresh-1", "Bearer"];
  expect(secrets.filter((text) => everything.includes(text))).toEqual([]);
});
