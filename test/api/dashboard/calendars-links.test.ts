import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, expect, test } from "vitest";
import { connectionContext } from "../../../core/services/calendars/connections.ts";
import { createTestAccount, testSecretBox } from "../../support/accounts.ts";
import {
  createTestAgenda,
  createTestResource,
  type TestAgenda,
} from "../../support/appointments.ts";
import { linkCalendar } from "../../support/calendars.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { createCalendarsFixture } from "./calendars-fixture.ts";

const fixture = useFixture(createCalendarsFixture);
const room = "c_room2@group.calendar.google.example";
const holidays = "es.mexican#holiday@group.v.calendar.google.example";
let resourceId: number;
let otherId: number;

beforeEach(async () => {
  fixture.google.heal();
  const { dataSource } = fixture.database;
  for (const table of ["calendar_connections", "calendar_links", "outbox", "calendar_syncs"]) {
    await dataSource.query(`DELETE FROM ${table}`);
  }
  const { accountId } = fixture.account;
  resourceId = await createTestResource(dataSource, accountId);
  otherId = await createTestResource(dataSource, accountId);
});

const patch = async (id: number, links: object[]) =>
  await fixture.call("PATCH", `/calendars/google/${id}`, { links });
const faultsOf = (json: { error: { details: { path: string; code: string }[] } }) =>
  json.error.details.map(({ path, code }) => `${path}: ${code}`);
const sql = async <Row>(statement: string, values: unknown[] = []) =>
  await fixture.database.dataSource.query<Row[]>(statement, values);
const countRevocations = () =>
  fixture.google.requests().filter(({ call }) => call === "revoke").length;
const linkIds = async () =>
  (await sql<{ id: number }>("SELECT id FROM calendar_links ORDER BY id")).map(({ id }) => id);

test("the calendars of an account are listed with what may be done there", async () => {
  const id = await fixture.connect();
  const { json } = await fixture.call("GET", `/calendars/google/${id}/calendars`);
  expect(json.data.calendars).toEqual([
    { calendar_id: "ada@google.example", name: "Ada Ortega", primary: true, writable: true },
    { calendar_id: room, name: "Consultorio 2", primary: false, writable: true },
    { calendar_id: holidays, name: "Días festivos", primary: false, writable: false },
  ]);
});

test("agendas are given calendars, with their names, and the list replaces the one before", async () => {
  const id = await fixture.connect();
  const first = await patch(id, [
    { calendar_id: "primary", resource_id: resourceId },
    { calendar_id: holidays, resource_id: otherId, direction: "busy_only", other_events: "busy" },
  ]);
  expect(first.json.data.google.links).toMatchObject([
    {
      calendar_id: "ada@google.example",
      name: "Ada Ortega",
      resource_id: resourceId,
      direction: "two_way",
      other_events: "busy",
      state: "connected",
    },
    { calendar_id: holidays, resource_id: otherId, direction: "busy_only" },
  ]);
  const [kept] = await linkIds();
  const second = await patch(id, [
    { calendar_id: "ada@google.example", resource_id: resourceId, other_events: "ignore" },
  ]);
  expect(second.json.data.google.links).toMatchObject([
    { id: kept, resource_id: resourceId, other_events: "ignore" },
  ]);
  const actions = await sql<{ action: string }>(
    "SELECT action FROM audit_log WHERE target_type = 'calendar_link' AND account_id = ? ORDER BY id DESC LIMIT 4",
    [fixture.account.accountId],
  );
  expect(actions.map(({ action }) => action).toReversed()).toEqual([
    "calendar_link.created",
    "calendar_link.created",
    "calendar_link.deleted",
    "calendar_link.changed",
  ]);
});

test("known calendars can be changed while Google is away, new ones cannot", async () => {
  const id = await fixture.connect();
  await patch(id, [{ calendar_id: room, resource_id: resourceId }]);
  await fixture.google.down();
  const changed = await patch(id, [
    { calendar_id: room, resource_id: resourceId, direction: "write_only" },
  ]);
  const added = await patch(id, [{ calendar_id: "primary", resource_id: resourceId }]);
  await fixture.google.up();
  expect(changed.json.data.google.links).toMatchObject([{ direction: "write_only" }]);
  expect([added.status, added.json.error.code, added.json.error.details]).toEqual([
    422,
    "google_refused",
    { reason: "unreachable" },
  ]);
});

test("an agenda that has a calendar is archived rather than deleted", async () => {
  const id = await fixture.connect();
  await patch(id, [{ calendar_id: room, resource_id: resourceId }]);
  const remove = async () => await fixture.call("DELETE", `/resources/${resourceId}`);
  expect((await remove()).json.data).toMatchObject({ archived: true });
  const kept = await patch(id, [{ calendar_id: room, resource_id: resourceId }]);
  expect(kept.json.data.google.links).toMatchObject([{ resource_id: resourceId }]);
  await patch(id, []);
  expect((await remove()).json.data).toMatchObject({ archived: false });
});

test("an agenda that is deleted meanwhile gets no calendar", async () => {
  const id = await fixture.connect();
  const deletion = fixture.database.dataSource.createQueryRunner();
  await deletion.startTransaction();
  await deletion.query("DELETE FROM resources WHERE id = ?", [resourceId]);
  const answering = patch(id, [{ calendar_id: room, resource_id: resourceId }]);
  await sleep(300);
  await deletion.commitTransaction();
  await deletion.release();
  const answer = await answering;
  expect([answer.status, faultsOf(answer.json)]).toEqual([
    400,
    ["body.links.0.resource_id: unknown_resource"],
  ]);
});

test("every wrong line of the list is named, and nothing is changed", async () => {
  const id = await fixture.connect();
  const answer = await patch(id, [
    { calendar_id: room, resource_id: resourceId },
    { calendar_id: room, resource_id: otherId },
    { calendar_id: "nobody@google.example", resource_id: resourceId },
    { calendar_id: holidays, resource_id: 1_000_000 },
  ]);
  expect([answer.status, faultsOf(answer.json)]).toEqual([
    400,
    [
      "body.links.1.calendar_id: duplicate_calendar",
      "body.links.2.resource_id: duplicate_resource",
      "body.links.2.calendar_id: calendar_unknown",
      "body.links.3.direction: calendar_not_writable",
    ],
  ]);
  const unknown = await patch(id, [{ calendar_id: room, resource_id: 1_000_000 }]);
  expect(faultsOf(unknown.json)).toEqual(["body.links.0.resource_id: unknown_resource"]);
  expect(await linkIds()).toEqual([]);
});

test("an agenda leaves another account's calendar only once that account is disconnected", async () => {
  const ada = await fixture.connect();
  const bruno = await fixture.connect("bruno@google.example");
  await patch(ada, [{ calendar_id: room, resource_id: resourceId }]);
  const links = [{ calendar_id: "bruno@google.example", resource_id: resourceId }];
  expect(faultsOf((await patch(bruno, links)).json)).toEqual([
    "body.links.0.resource_id: resource_linked",
  ]);
  await fixture.call("POST", `/calendars/${ada}/disconnect`);
  expect((await patch(bruno, links)).json.data.google.links).toMatchObject([
    { calendar_id: "bruno@google.example", resource_id: resourceId },
  ]);
  expect(await linkIds()).toHaveLength(1);
});

test("appointments to come get their events when the agenda gets a calendar", async () => {
  const agenda: TestAgenda = await createTestAgenda(fixture.database.dataSource);
  const { id: appointmentId } = await agenda.book();
  await agenda.run((tx) =>
    linkCalendar(tx, { resourceId: agenda.resourceId, calendarId: room, direction: "two_way" }),
  );
  const cookie = agenda.account.cookie;
  const [row] = await sql<{ connection_id: number }>("SELECT connection_id FROM calendar_links");
  // A change begins the link as a new one does.
  const body = {
    links: [{ calendar_id: room, resource_id: agenda.resourceId, direction: "write_only" }],
  };
  const path = `/dashboard/api/calendars/google/${row?.connection_id}`;
  expect((await fixture.api.call("PATCH", path, { cookie, body })).status).toBe(200);
  const [asked] = await sql<{ command: { workflowId: string; again: boolean } }>(
    "SELECT command FROM outbox WHERE command ->> '$.workflow' = 'syncAppointment'",
  );
  expect(asked?.command).toMatchObject({
    workflowId: `sync-appointment-${appointmentId}-1`,
    again: true,
  });
  expect(await sql("SELECT appointment_id FROM calendar_syncs")).toEqual([
    { appointment_id: appointmentId },
  ]);
});

test("a grant that was revoked at Google ends the connection, and the admins hear of it", async () => {
  const id = await fixture.connect();
  fixture.google.endConsent("ada@google.example");
  const { status, json } = await fixture.call("GET", `/calendars/google/${id}/calendars`);
  expect([status, json.error.code, json.error.details]).toEqual([
    422,
    "google_refused",
    { reason: "grant_revoked" },
  ]);
  const list = await fixture.call("GET", "/calendars");
  expect(list.json.data.connections).toMatchObject([
    { id, state: "disconnected", error_code: "grant_revoked" },
  ]);
  const [notice] = (await fixture.call("GET", "/notifications")).json.data;
  expect(notice).toMatchObject({
    kind: "calendar_disconnected",
    title: "The calendar of ada@google.example is disconnected",
  });
  const again = await fixture.call("GET", `/calendars/google/${id}/calendars`);
  expect(again.json.error.code).toBe("calendar_disconnected");
});

test("disconnecting revokes the grant, deletes the credentials and keeps the links", async () => {
  const id = await fixture.connect();
  await patch(id, [{ calendar_id: room, resource_id: resourceId }]);
  const [link] = await linkIds();
  expect((await fixture.call("POST", `/calendars/${id}/disconnect`)).json.data).toEqual({ id });
  expect(fixture.google.requests().at(-1)).toMatchObject({ call: "revoke", answered: 200 });
  expect(await sql("SELECT sealed, key_id, state FROM calendar_connections")).toEqual([
    { sealed: null, key_id: null, state: "disconnected" },
  ]);
  expect(await sql("SELECT id, state FROM calendar_links")).toEqual([
    { id: link, state: "disconnected" },
  ]);
  const again = await fixture.connect();
  expect(again).toBe(id);
  expect(await sql("SELECT id, state FROM calendar_links")).toEqual([
    { id: link, state: "connected" },
  ]);
});

test("a grant that another tenant uses too is not revoked before the last one goes", async () => {
  const id = await fixture.connect();
  const other = await createTestAccount(fixture.database.dataSource);
  const get = async (path: string, method = "GET") =>
    await fixture.api.call(method, path, { cookie: other.cookie });
  const begun = await get("/dashboard/api/calendars/google/connect");
  const callback = await fixture.choose(new URL(begun.json.data.url));
  expect(await fixture.comeBack(callback, other.cookie)).toMatch(/connected$/u);
  const before = countRevocations();
  await fixture.call("POST", `/calendars/${id}/disconnect`);
  expect(countRevocations()).toBe(before);
  const [theirs] = (await get("/dashboard/api/calendars")).json.data.connections;
  await get(`/dashboard/api/calendars/${theirs.id}/disconnect`, "POST");
  expect(countRevocations()).toBe(before + 1);
});

/** Makes a connection as the migration made it of a link: nobody knows its account. */
async function makeUnknown(id: number, boundTo: number): Promise<void> {
  const { accountId } = fixture.account;
  const [row] = await sql<{ sealed: string }>(
    "SELECT sealed FROM calendar_connections WHERE id = ?",
    [id],
  );
  const credentials = testSecretBox.open(row?.sealed ?? "", connectionContext(accountId, id));
  const sealed = testSecretBox.seal(credentials, connectionContext(accountId, -boundTo));
  await sql(
    `UPDATE calendar_connections
        SET external_id = 'link-1', sealed = ?, bound_resource_id = ? WHERE id = ?`,
    [sealed, boundTo, id],
  );
}

test("a connection of an unknown account ends no grant that others may share", async () => {
  const id = await fixture.connect();
  await makeUnknown(id, resourceId);
  await fixture.connect();
  const others = await sql<{ id: number }>("SELECT id FROM calendar_connections WHERE id <> ?", [
    id,
  ]);
  const before = countRevocations();
  expect(others).toHaveLength(1);
  await fixture.call("POST", `/calendars/${others[0]?.id}/disconnect`);
  await fixture.call("POST", `/calendars/${id}/disconnect`);
  expect(countRevocations()).toBe(before);
  expect(await sql("SELECT state, sealed FROM calendar_connections")).toEqual([
    { state: "disconnected", sealed: null },
    { state: "disconnected", sealed: null },
  ]);
});

test("a connection of an unknown account takes the account of its next consent", async () => {
  const id = await fixture.connect();
  await patch(id, [{ calendar_id: room, resource_id: resourceId }]);
  await makeUnknown(id, resourceId);
  await fixture.call("POST", `/calendars/${id}/disconnect`);
  const consent = async () =>
    await fixture.comeBack(
      await fixture.choose(await fixture.begin(`?connection_id=${id}`), {
        email: "bruno@google.example",
      }),
    );
  const bruno = await fixture.connect("bruno@google.example");
  expect(await consent(), "Bruno has a connection").toMatch(/other_account$/u);
  await sql("DELETE FROM calendar_connections WHERE id = ?", [bruno]);
  expect(await consent()).toMatch(/connected$/u);
  const rows = await sql(
    "SELECT id, state, email, bound_resource_id AS bound FROM calendar_connections",
  );
  expect(rows).toEqual([{ id, state: "connected", email: "bruno@google.example", bound: null }]);
  expect(await sql("SELECT state FROM calendar_links")).toEqual([{ state: "connected" }]);
  const ada = await fixture.choose(await fixture.begin(`?connection_id=${id}`));
  expect(await fixture.comeBack(ada)).toMatch(/other_account$/u);
});

test("a Google that is away does not hold a disconnect up", async () => {
  const id = await fixture.connect();
  await fixture.google.down();
  const answer = await fixture.call("POST", `/calendars/${id}/disconnect`);
  await fixture.google.up();
  expect(answer.status).toBe(200);
  expect(await sql("SELECT state FROM calendar_connections")).toEqual([{ state: "disconnected" }]);
});

test("no account sees or changes a connection of another", async () => {
  const id = await fixture.connect();
  const { cookie } = await createTestAccount(fixture.database.dataSource);
  const calls: [string, string, object?][] = [
    ["GET", `/calendars/google/${id}/calendars`],
    ["PATCH", `/calendars/google/${id}`, { links: [] }],
    ["POST", `/calendars/${id}/disconnect`],
    ["GET", `/calendars/google/connect?connection_id=${id}`],
  ];
  for (const [method, path, body] of calls) {
    const answer = await fixture.api.call(method, `/dashboard/api${path}`, { cookie, body });
    expect([path, answer.status, answer.json.error.code]).toEqual([
      path,
      404,
      "calendar_connection_not_found",
    ]);
  }
  const list = await fixture.api.call("GET", "/dashboard/api/calendars", { cookie });
  expect(list.json.data.connections).toEqual([]);
});
