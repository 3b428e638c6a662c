import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { awaitReschedule } from "../../../api/reschedule-outcome.ts";
import {
  commitReschedule,
  releaseReschedule,
} from "../../../core/services/appointments/appointment-reschedules.ts";
import { cancelAppointment } from "../../../core/services/appointments/appointment-status.ts";
import { eraseContact } from "../../../core/services/contact-lifecycle/contact-erasure.ts";
import { createDataSource } from "../../../db/data-source.ts";
import { startTestApi, type TestAnswer } from "../../support/api.ts";
import {
  at,
  createTestAgenda,
  createTestResource,
  type TestAgenda,
} from "../../support/appointments.ts";
import type { TestDatabase } from "../../support/database.ts";
import { eventually } from "../../support/eventually.ts";
import { startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

// No worker runs here: a move goes on when a test says so.

const fixture = useFixture(startApiFixture);
let agenda: TestAgenda;
/** Confirmed, at 16:00. */
let id: number;

beforeEach(async () => {
  agenda = await createTestAgenda(fixture.database.dataSource);
  ({ id } = await agenda.book());
  // A caller waits for the end of a move, and for no time, unless a test lets the clock go on.
  vi.spyOn(performance, "now").mockReturnValue(performance.now());
});

afterEach(() => {
  vi.restoreAllMocks();
});

const call = async (method: string, path: string, body?: unknown): Promise<TestAnswer> =>
  await fixture.api.call(method, `/dashboard/api${path}`, { cookie: agenda.account.cookie, body });
const move = async (body: object = {}, of = id) =>
  await call("POST", `/appointments/${of}/reschedule`, { start_time: at("18:00"), ...body });
const codeOf = ({ status, json }: TestAnswer) => [status, json.error?.code];

/** Waits until the move is held. @returns its id. */
async function held(of = id): Promise<number> {
  return await eventually(async () => {
    const { json } = await call("GET", `/appointments/${of}`);
    expect(json.data.reschedule).not.toBeNull();
    return json.data.reschedule.id;
  });
}

test("the answer is the appointment at its new time as soon as the move is committed", async () => {
  const answering = move();
  const reschedule = await held();
  await agenda.run((tx) => commitReschedule(tx, reschedule));
  const { status, json } = await answering;
  expect([status, json.data]).toMatchObject([
    200,
    { id, status: "confirmed", start_time: at("18:00").toISOString(), reschedule: null },
  ]);
});

test("in mode replace the answer is the new appointment", async () => {
  const answering = move({ mode: "replace", source: "agente" });
  const reschedule = await held();
  await agenda.run((tx) => commitReschedule(tx, reschedule));
  const { status, json } = await answering;
  expect([status, json.data]).toMatchObject([
    200,
    { replaces_appointment_id: id, source: "agente", start_time: at("18:00").toISOString() },
  ]);
  expect((await call("GET", `/appointments/${id}`)).json.data).toMatchObject({
    status: "rescheduled",
    replaced_by_appointment_id: json.data.id,
    start_time: at("16:00").toISOString(),
  });
});

test.each([
  { why: "calendar_unavailable", answer: [503, "calendar_unavailable"] },
  { why: "calendar_refused", answer: [422, "calendar_refused"] },
  { why: "slot_taken", answer: [409, "slot_taken"] },
  { why: "appointment_replaced", answer: [409, "appointment_replaced"] },
  { why: "cancelled_in_temporal", answer: [409, "reschedule_failed"] },
  { why: "hold_expired", answer: [409, "reschedule_failed"] },
])("a move given up for $why is $answer, and stays readable", async ({ why, answer }) => {
  const answering = move();
  const reschedule = await held();
  await agenda.run((tx) => releaseReschedule(tx, reschedule, why));
  expect(codeOf(await answering)).toEqual(answer);
  expect((await call("GET", `/reschedules/${reschedule}`)).json.data).toEqual({
    id: reschedule,
    appointment_id: id,
    state: "released",
    failure_code: why,
    start_time: at("18:00").toISOString(),
    end_time: at("18:30").toISOString(),
    resource_id: agenda.resourceId,
    source: "panel",
    created_at: expect.any(String),
    finished_at: expect.any(String),
    link: `/dashboard/api/reschedules/${reschedule}`,
    appointment: null,
  });
  expect((await agenda.read(id)).startTime).toEqual(at("16:00"));
});

test("live views hear that a move began, and how it ended; the appointment tells all its moves", async () => {
  const kinds = async () =>
    await fixture.query<{ kind: string }>(
      "SELECT kind FROM changes WHERE account_id = ? AND kind LIKE 'appointment.%' ORDER BY id",
      [agenda.account.accountId],
    );
  const before = (await kinds()).length;
  const first = move();
  const refused = await held();
  expect(await kinds()).toHaveLength(before + 1);
  await agenda.run((tx) => releaseReschedule(tx, refused, "calendar_refused"));
  await first;
  expect(await kinds()).toHaveLength(before + 2);
  const second = move();
  const taken = await held();
  await agenda.run((tx) => commitReschedule(tx, taken));
  await second;
  expect((await kinds()).slice(before).map(({ kind }) => kind)).toEqual(
    Array.from({ length: 4 }, () => "appointment.updated"),
  );
  const { json } = await call("GET", `/appointments/${id}/reschedules`);
  expect(json).toMatchObject({
    data: [
      { id: taken, state: "committed", failure_code: null, start_time: at("18:00").toISOString() },
      { id: refused, state: "released", failure_code: "calendar_refused", source: "panel" },
    ],
    meta: { total: 2, total_at_least: false, limit: 50, offset: 0 },
  });
});

test("times for a move are offered by the appointment's own length, and its own time is free", async () => {
  await agenda.book({ startTime: at("17:00"), durationMinutes: 60 });
  const range = "from=2030-03-05T16:00:00Z&to=2030-03-05T18:30:00Z";
  const starts = async (query: string) => {
    const { json } = await call("GET", `/slots?${range}&${query}`);
    return json.data.map(({ start_time: start }: { start_time: string }) => start.slice(11, 16));
  };
  expect(await starts("duration_minutes=30")).toEqual(["16:30", "18:00"]);
  expect(await starts(`appointment_id=${id}`)).toEqual(["16:00", "16:30", "18:00"]);
  const other = await createTestAgenda(fixture.database.dataSource);
  const foreign = await other.book();
  const refused = await call("GET", `/slots?${range}&appointment_id=${foreign.id}`);
  expect(codeOf(refused)).toEqual([404, "appointment_not_found"]);
});

test("an appointment cancelled while it is moved is 422, and its new time is free", async () => {
  const answering = move();
  await held();
  await agenda.run((tx) => cancelAppointment(tx, { appointmentId: id, source: "panel" }));
  expect(codeOf(await answering)).toEqual([422, "appointment_not_confirmed"]);
  await agenda.book({ startTime: at("18:00") });
});

test("an appointment erased with its contact while it is moved is 404, and so is its move", async () => {
  const answering = move();
  const reschedule = await held();
  const { contactId } = await agenda.read(id);
  await agenda.run((tx) => eraseContact(tx, contactId));
  expect(codeOf(await answering)).toEqual([404, "appointment_not_found"]);
  expect(codeOf(await call("GET", `/reschedules/${reschedule}`))).toEqual([
    404,
    "reschedule_not_found",
  ]);
});

test("with the database away during the wait the move stays accepted", async () => {
  vi.restoreAllMocks();
  const { dataSource } = await smallDatabase(fixture.database);
  await dataSource.destroy();
  const actor = { type: "system", accountId: agenda.account.accountId } as const;
  expect(await awaitReschedule({ dataSource }, actor, 1)).toEqual({ state: "requested" });
});

test("after 3 seconds the answer is 202 with a link, which tells the end once there is one", async () => {
  vi.restoreAllMocks();
  const startedAt = performance.now();
  const { status, headers, json } = await move();
  const tookMs = performance.now() - startedAt;
  expect(tookMs).toBeGreaterThan(2_700);
  const { link } = json.data;
  expect([status, headers.get("location"), json.data]).toMatchObject([
    202,
    link,
    { appointment_id: id, state: "requested", failure_code: null, appointment: null },
  ]);
  const path = link.replace("/dashboard/api", "");
  expect((await call("GET", path)).json.data).toEqual(json.data);
  await agenda.run((tx) => commitReschedule(tx, json.data.id));
  expect((await call("GET", path)).json.data).toMatchObject({
    state: "committed",
    appointment: { id, start_time: at("18:00").toISOString() },
  });
});

test("the move and the request for its workflow are one transaction, committed before the wait", async () => {
  const answering = move();
  const reschedule = await held();
  const rows = await fixture.query(
    "SELECT command ->> '$.workflowId' AS workflow, command ->> '$.appointmentId' AS appointment FROM outbox WHERE account_id = ? AND kind = 'request'",
    [agenda.account.accountId],
  );
  expect(rows).toEqual([{ workflow: `reschedule-${id}-${reschedule}`, appointment: String(id) }]);
  await agenda.run((tx) => commitReschedule(tx, reschedule));
  await answering;
});

test("refusals are answered at once, and hold nothing", async () => {
  const { id: other } = await agenda.book({ startTime: at("18:00") });
  expect(codeOf(await move())).toEqual([409, "slot_taken"]);
  expect(codeOf(await move({ start_time: "2020-01-01T10:00:00Z" }))).toEqual([422, "past_time"]);
  expect(codeOf(await move({ resource_id: 999_999 }))).toEqual([400, "validation_error"]);
  await agenda.run((tx) => cancelAppointment(tx, { appointmentId: other, source: null }));
  expect(codeOf(await move({ start_time: at("20:00") }, other))).toEqual([
    422,
    "appointment_not_confirmed",
  ]);
  expect(codeOf(await move({}, 999_999))).toEqual([404, "appointment_not_found"]);
  expect(
    await fixture.query("SELECT id FROM appointment_reschedules WHERE appointment_id IN (?)", [
      [id, other],
    ]),
  ).toEqual([]);
});

test("a replaced appointment is 409 and names its successor", async () => {
  const answering = move({ mode: "replace" });
  const reschedule = await held();
  await agenda.run((tx) => commitReschedule(tx, reschedule));
  const next = (await answering).json.data.id;
  const answer = await move({ start_time: at("20:00") });
  expect(codeOf(answer)).toEqual([409, "appointment_replaced"]);
  expect(answer.json.error.details).toEqual({ replaced_by_appointment_id: next });
});

test("the time it has already is 200 at once; a second move while one is under way is 409", async () => {
  const same = await move({ start_time: at("16:00") });
  expect([same.status, same.json.data.id]).toEqual([200, id]);
  const answering = move();
  const reschedule = await held();
  expect(codeOf(await move({ start_time: at("20:00") }))).toEqual([409, "reschedule_in_progress"]);
  await agenda.run((tx) => commitReschedule(tx, reschedule));
  expect((await answering).status).toBe(200);
});

test.each([
  { body: {}, path: "body.start_time" },
  { body: { start_time: "tomorrow" }, path: "body.start_time" },
  { body: { start_time: at("18:00"), mode: "twice" }, path: "body.mode" },
  { body: { start_time: at("18:00"), source: "Panel de Ana" }, path: "body.source" },
  { body: { start_time: at("18:00"), color: "red" }, path: "body.color" },
])("$body is 400", async ({ body, path }) => {
  const answer = await call("POST", `/appointments/${id}/reschedule`, body);
  expect(codeOf(answer)).toEqual([400, "validation_error"]);
  expect(answer.json.error.details).toMatchObject([{ path }]);
});

test("a move of another account's appointment, or to its resource, does not exist", async () => {
  const other = await createTestAgenda(fixture.database.dataSource);
  const { id: foreign } = await other.book();
  expect(codeOf(await move({}, foreign))).toEqual([404, "appointment_not_found"]);
  const resource = await createTestResource(fixture.database.dataSource, other.account.accountId);
  expect(codeOf(await move({ resource_id: resource }))).toEqual([400, "validation_error"]);
});

test("twenty callers who wait hold none of the two connections of their process", async () => {
  const small = await smallDatabase(fixture.database);
  const api = await startTestApi(small);
  const { cookie } = agenda.account;
  const on = async (method: string, path: string, body?: unknown) =>
    await api.call(method, `/dashboard/api${path}`, { cookie, body });
  try {
    const resources = await Promise.all(
      Array.from({ length: 20 }, () =>
        createTestResource(fixture.database.dataSource, agenda.account.accountId),
      ),
    );
    const rows = await Promise.all(resources.map((resourceId) => agenda.book({ resourceId })));
    let answered = 0;
    const waiting = rows.map(async (row) => {
      const body = { start_time: at("18:00") };
      const answer = await on("POST", `/appointments/${row.id}/reschedule`, body);
      answered += 1;
      return answer;
    });
    await Promise.all(rows.map((row) => held(row.id)));
    expect((await on("GET", `/appointments/${id}`)).status).toBe(200);
    expect(answered).toBe(0);
    vi.restoreAllMocks();
    const answers = await Promise.all(waiting);
    expect(answers.map(({ status }) => status)).toEqual(rows.map(() => 202));
  } finally {
    await api.stop();
    await small.dataSource.destroy();
  }
});

/** The same database, by a pool of two. */
async function smallDatabase(database: TestDatabase): Promise<TestDatabase> {
  const options = { url: database.url, poolSize: 2 };
  return { ...database, dataSource: await createDataSource(options).initialize() };
}
