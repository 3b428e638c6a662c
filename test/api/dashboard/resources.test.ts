import { beforeEach, expect, test } from "vitest";
import { createTestAccount } from "../../support/accounts.ts";
import { callApi, type TestAnswer } from "../../support/api.ts";
import { openFrom } from "../../support/appointments.ts";
import { freshPhone } from "../../support/contact-load.ts";
import { startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(startApiFixture);
let cookie: string;
let accountId: number;

beforeEach(async () => {
  ({ cookie, accountId } = await createTestAccount(fixture.database.dataSource));
});

const call = async (method: string, path: string, body?: unknown): Promise<TestAnswer> =>
  await callApi(fixture.api.url, method, `/dashboard/api${path}`, { cookie, body });
const add = async (given: object = {}): Promise<number> => {
  const body = { name: "Room 1", weekly_hours: openFrom("09:00", "17:00"), ...given };
  return (await call("POST", "/resources", body)).json.data.id;
};
const addService = async (given: object = {}): Promise<number> =>
  (await call("POST", "/services", { name: "Cut", duration_minutes: 30, ...given })).json.data.id;
const book = async (resourceId: number, hour: string, given: object = {}): Promise<TestAnswer> =>
  await call("POST", "/appointments", {
    resource_id: resourceId,
    contact: { phone: freshPhone() },
    start_time: `2030-03-05T${hour}:00Z`,
    ...given,
  });
const half = { duration_minutes: 30 };
const audits = async (): Promise<string[]> => {
  const sql =
    "SELECT action FROM audit_log WHERE account_id = ? AND actor_type = 'user' ORDER BY id";
  return (await fixture.query<{ action: string }>(sql, [accountId])).map(({ action }) => action);
};
const issues = ({ status, json }: TestAnswer) => [
  status,
  json.error?.details?.map(({ path, code }: { path: string; code: string }) => [path, code]),
];

test("a resource is added with its hours, in the account's zone, and read back", async () => {
  const weekly = {
    ...openFrom("09:00", "17:00"),
    sunday: [],
    saturday: [{ from: "10:00", to: "24:00" }],
  };
  const added = await call("POST", "/resources", { name: " Dr. Peña ", weekly_hours: weekly });
  expect(added.status).toBe(201);
  const { id } = added.json.data;
  const view = {
    id,
    name: "Dr. Peña",
    time_zone: "UTC",
    weekly_hours: weekly,
    archived_at: null,
    created_at: expect.any(String),
    updated_at: expect.any(String),
  };
  expect(added.json.data).toEqual(view);
  const read = await call("GET", `/resources/${id}`);
  expect(read.json.data).toEqual(view);
  expect(Object.keys(read.json.data.weekly_hours)).toEqual(Object.keys(openFrom("1", "2")));
  expect((await call("GET", "/resources")).json).toMatchObject({
    data: [view],
    meta: { total: 1 },
  });
});

test("a change of hours moves nothing and tells how many appointments lie outside now", async () => {
  const id = await add();
  for (const hour of ["09:00", "12:00", "16:30"]) await book(id, hour, half);
  const { id: cancelled } = (await book(id, "16:00", half)).json.data;
  await call("POST", `/appointments/${cancelled}/cancel`);
  const later = await call("PATCH", `/resources/${id}`, {
    weekly_hours: openFrom("10:00", "16:45"),
  });
  expect(later.json.data).toMatchObject({ appointments_outside: 2 });
  const noon = {
    start_time: "2030-03-05T12:15:00Z",
    end_time: "2030-03-05T13:00:00Z",
    reason: "Fair",
  };
  const closed = await call("POST", `/resources/${id}/closures`, noon);
  expect([closed.status, closed.json.data]).toEqual([
    201,
    {
      id: expect.any(Number),
      resource_id: id,
      start_time: "2030-03-05T12:15:00.000Z",
      end_time: "2030-03-05T13:00:00.000Z",
      reason: "Fair",
      created_at: expect.any(String),
      appointments_outside: 3,
    },
  ]);
  const closures = await call("GET", `/resources/${id}/closures`);
  expect(closures.json).toMatchObject({ data: [{ reason: "Fair" }], meta: { total: 1 } });
  await call("DELETE", `/closures/${closed.json.data.id}`);
  const zone = await call("PATCH", `/resources/${id}`, { time_zone: "America/Mexico_City" });
  // Ten o'clock there is 16:00 UTC: what begins at 16:30 is inside.
  expect(zone.json.data).toMatchObject({ appointments_outside: 2 });
  const list = await call("GET", `/appointments?resource_id=${id}&status=confirmed`);
  expect(list.json.data.map((row: { start_time: string }) => row.start_time.slice(11, 16))).toEqual(
    ["09:00", "12:00", "16:30"],
  );
  expect(await audits()).toEqual([
    "resource.created",
    "resource.updated",
    "resource.closure_added",
    "resource.closure_removed",
    "resource.updated",
  ]);
});

test("opening times are the weekly hours less the closures, cut at the range, closures that are over too", async () => {
  const id = await add();
  const archived = await add();
  await call("PATCH", `/resources/${archived}`, { archived: true });
  const closure = { start_time: "2030-03-05T12:00:00Z", end_time: "2030-03-05T13:00:00Z" };
  await call("POST", `/resources/${id}/closures`, { ...closure, reason: "Lunch" });
  const past = { start_time: "2020-03-05T12:00:00Z", end_time: "2020-03-05T13:00:00Z" };
  await call("POST", `/resources/${id}/closures`, past);
  const day = async (year: number) =>
    (await call("GET", `/opening-times?from=${year}-03-05T00:00:00Z&to=${year}-03-05T14:00:00Z`))
      .json.data;
  expect(await day(2030)).toMatchObject([
    {
      resource_id: id,
      open: [
        { start_time: "2030-03-05T09:00:00.000Z", end_time: "2030-03-05T12:00:00.000Z" },
        { start_time: "2030-03-05T13:00:00.000Z", end_time: "2030-03-05T14:00:00.000Z" },
      ],
      closures: [{ resource_id: id, reason: "Lunch", start_time: "2030-03-05T12:00:00.000Z" }],
    },
  ]);
  expect(await day(2020)).toMatchObject([{ closures: [{ reason: null }] }]);
  const months = "/opening-times?from=2030-01-01T00:00:00Z&to=2030-06-01T00:00:00Z";
  expect(issues(await call("GET", months))).toEqual([400, [["query.to", "invalid_range"]]]);
});

test("live views hear of every change of what can be booked", async () => {
  const told = async () =>
    (
      await fixture.query<{ kind: string }>(
        "SELECT kind FROM changes WHERE account_id = ? ORDER BY id",
        [accountId],
      )
    ).map(({ kind }) => kind);
  const id = await add();
  const service = await addService();
  const { json } = await call("POST", "/booking-links", { title: "Book", resource_id: id });
  await call("PATCH", `/booking-links/${json.data.id}`, { enabled: false });
  await call("DELETE", `/services/${service}`);
  expect(await told()).toEqual(Array.from({ length: 5 }, () => "agenda.updated"));
});

test("the same values again are no change", async () => {
  const id = await add();
  const service = await addService({ resource_ids: [id] });
  const before = await audits();
  const same = { name: "Room 1", weekly_hours: openFrom("09:00", "17:00"), archived: false };
  expect((await call("PATCH", `/resources/${id}`, same)).status).toBe(200);
  const sameService = { duration_minutes: 30, step_minutes: null, resource_ids: [id, id] };
  expect((await call("PATCH", `/services/${service}`, sameService)).status).toBe(200);
  expect(await audits()).toEqual(before);
});

test("what is in use is archived, what is not is deleted", async () => {
  const [used, unused, named] = [await add(), await add(), await add()];
  const [service, spare] = [
    await addService({ resource_ids: [used, named] }),
    await addService({ name: "Dye" }),
  ];
  const { id } = (await book(used, "10:00", { service_id: service })).json.data;
  await call("POST", `/appointments/${id}/cancel`);
  const remove = async (path: string) => (await call("DELETE", path)).json.data;
  expect(await remove(`/resources/${used}`)).toEqual({ id: used, archived: true });
  expect(await remove(`/resources/${named}`)).toEqual({ id: named, archived: true });
  expect(await remove(`/resources/${unused}`)).toEqual({ id: unused, archived: false });
  expect(await remove(`/services/${service}`)).toEqual({ id: service, archived: true });
  expect(await remove(`/services/${spare}`)).toEqual({ id: spare, archived: false });
  expect((await call("GET", `/resources/${unused}`)).status).toBe(404);
  expect((await call("GET", `/services/${service}`)).json.data.resource_ids).toEqual([used, named]);
  const ids = async (path: string) =>
    (await call("GET", path)).json.data.map((row: { id: number }) => row.id);
  expect(await ids("/resources")).toEqual([]);
  expect(await ids("/resources?archived=true")).toEqual([used, named]);
  expect(await ids("/services?archived=true")).toEqual([service]);
  const slots = "/slots?from=2030-03-05T00:00:00Z&to=2030-03-06T00:00:00Z";
  expect((await call("GET", slots)).json.data).toEqual([]);
  expect((await book(used, "10:00", half)).json.error.code).toBe("resource_archived");
  const again = await call("POST", `/appointments/${id}/reactivate`);
  expect(again.json.error.code).toBe("resource_archived");
  await call("PATCH", `/resources/${used}`, { archived: false });
  expect((await call("POST", `/appointments/${id}/reactivate`)).status).toBe(200);
  expect((await book(used, "11:00", { service_id: service })).json.error.code).toBe(
    "service_not_offered",
  );
});

test("a change of a service leaves what is booked as it is, and says how much that is", async () => {
  const id = await add();
  const service = await addService({ buffer_after_minutes: 10 });
  const first = (await book(id, "10:00", { service_id: service })).json.data;
  await book(id, "12:00", { service_id: service, duration_minutes: 45 });
  const change = { duration_minutes: 45, buffer_after_minutes: 0, step_minutes: 15 };
  const changed = await call("PATCH", `/services/${service}`, change);
  expect(changed.json.data).toMatchObject({ ...change, appointments_of_other_length: 1 });
  expect((await call("GET", `/appointments/${first.id}`)).json.data).toMatchObject({
    end_time: "2030-03-05T10:30:00.000Z",
  });
  // Its buffer is that of when it was booked.
  expect((await book(id, "10:35", half)).json.error.code).toBe("slot_taken");
  expect((await book(id, "10:40", half)).status).toBe(201);
});

test("a service is slate until somebody chooses a hue, which its appointments show", async () => {
  const id = await add();
  const service = await addService({});
  const first = (await book(id, "10:00", { service_id: service })).json.data;
  const plain = (await book(id, "12:00", half)).json.data;
  expect([first.service_hue, plain.service_hue]).toEqual(["slate", "slate"]);
  const changed = await call("PATCH", `/services/${service}`, { hue: "plum" });
  expect(changed.json.data.hue).toBe("plum");
  const hueOf = async (appointment: number) =>
    (await call("GET", `/appointments/${appointment}`)).json.data.service_hue;
  expect([await hueOf(first.id), await hueOf(plain.id)]).toEqual(["plum", "slate"]);
  const odd = await call("PATCH", `/services/${service}`, { hue: "#ff0000" });
  expect(odd.status).toBe(400);
});

test("hours, zones, lengths and resources that cannot be are refused field by field", async () => {
  const stranger = await createTestAccount(fixture.database.dataSource);
  const foreign = await callApi(fixture.api.url, "POST", "/dashboard/api/resources", {
    cookie: stranger.cookie,
    body: { name: "x", weekly_hours: openFrom("09:00", "17:00") },
  });
  const id = await add();
  const before = await audits();
  const hours = { weekly_hours: openFrom("09:00", "17:00") };
  const cases: [path: string, body: object, details: [string, string][]][] = [
    ["/resources", { ...hours, name: " " }, [["body.name", "too_small"]]],
    ["/resources", { name: "x" }, [["body.weekly_hours", "required"]]],
    [
      "/resources",
      {
        name: "x",
        weekly_hours: { ...hours.weekly_hours, monday: [{ from: "17:00", to: "09:00" }] },
      },
      [["body.weekly_hours.monday.0.to", "invalid_range"]],
    ],
    [
      "/resources",
      { ...hours, name: "x", time_zone: "Mars/Olympus" },
      [["body.time_zone", "invalid_value"]],
    ],
    [
      `/resources/${id}/closures`,
      { start_time: "2030-03-05T12:00:00Z", end_time: "2030-03-05T12:00:00Z" },
      [["body.end_time", "invalid_range"]],
    ],
    ["/services", { name: "x", duration_minutes: 0 }, [["body.duration_minutes", "too_small"]]],
    [
      "/services",
      { name: "x", duration_minutes: 30, step_minutes: 4 },
      [["body.step_minutes", "too_small"]],
    ],
    [
      "/services",
      { name: "x", duration_minutes: 30, buffer_after_minutes: 241 },
      [["body.buffer_after_minutes", "too_big"]],
    ],
    [
      "/services",
      { name: "x", duration_minutes: 30, resource_ids: [id, foreign.json.data.id] },
      [["body.resource_ids", "unknown_resource"]],
    ],
  ];
  for (const [path, body, details] of cases) {
    expect([path, issues(await call("POST", path, body))]).toEqual([path, [400, details]]);
  }
  expect(await audits()).toEqual(before);
});

test("an account has at most 200 resources that are not archived", async () => {
  await fixture.query(
    `INSERT INTO resources (account_id, name, time_zone, weekly_hours)
     WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 199)
     SELECT ?, i, 'UTC', '{}' FROM n`,
    [accountId],
  );
  const last = await add();
  const refused = await call("POST", "/resources", {
    name: "One more",
    weekly_hours: openFrom("09:00", "17:00"),
  });
  expect([refused.status, refused.json.error.details[0].code]).toEqual([400, "too_many_resources"]);
  await call("PATCH", `/resources/${last}`, { archived: true });
  await add();
  const back = await call("PATCH", `/resources/${last}`, { archived: false });
  expect([back.status, back.json.error.details[0].code]).toEqual([400, "too_many_resources"]);
});

test("an answer holds at most 20,000 free times, and says what to do about more", async () => {
  const open = { weekly_hours: openFrom("00:00", "24:00") };
  const first = await add(open);
  const path = "/slots?from=2030-03-01T00:00:00Z&to=2030-05-02T00:00:00Z&duration_minutes=5";
  const one = await call("GET", path);
  expect([one.status, one.json.data.length > 10_000]).toEqual([200, true]);
  await add(open);
  const both = await call("GET", path);
  expect(both.status).toBe(400);
  expect(both.json.error.details[0]).toMatchObject({
    path: "query.to",
    code: "too_many_slots",
    message: expect.stringContaining("Narrow the range"),
  });
  expect((await call("GET", `${path}&resource_id=${first}`)).json.data).toEqual(one.json.data);
});
