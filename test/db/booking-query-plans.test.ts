import type { DataSource } from "typeorm";
import { beforeAll, expect, test } from "vitest";
import { getBookingLink, listBookingLinks } from "../../core/services/booking/booking-links.ts";
import {
  findBookingLink,
  listOffers,
  type OpenLink,
} from "../../core/services/booking/booking-offers.ts";
import { getBooking } from "../../core/services/booking/bookings.ts";
import { createTestDatabase } from "../support/database.ts";
import { explain, explainTable } from "../support/query-plans.ts";
import { useFixture } from "../support/use-fixture.ts";

const database = useFixture(createTestDatabase);
let dataSource: DataSource;
const token = "5".padStart(26, "0");
const link: OpenLink = {
  id: 5,
  accountId: 2,
  title: "t",
  resourceId: null,
  serviceId: null,
  open: true,
  accountTimeZone: "UTC",
  company: { name: "C", accent: null, address: null },
  locale: "en",
};

beforeAll(async () => {
  ({ dataSource } = database);
  await dataSource.query("SET SESSION cte_max_recursion_depth = 1000000");
  const fill = async (count: number, table: string, columns: string, select: string) =>
    await dataSource.query(
      `INSERT INTO ${table} (${columns}) WITH RECURSIVE n (i) AS
         (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count}) SELECT ${select} FROM n`,
    );
  const closed =
    '{"monday":[],"tuesday":[],"wednesday":[],"thursday":[],"friday":[],"saturday":[],"sunday":[]}';
  await fill(4, "accounts", "name, time_zone, locale, settings", "'a', 'UTC', 'en', '{}'");
  await fill(3_000, "booking_links", "account_id, slug, title", "1 + i % 4, LPAD(i, 26, '0'), 't'");
  await fill(
    20_000,
    "bookings",
    "account_id, link_id, appointment_id, token_hash",
    "2, 5, i, UNHEX(SHA2(LPAD(i, 26, '0'), 256))",
  );
  await fill(
    20_000,
    "appointments",
    "account_id, resource_id, start_time, end_time, blocked_from, blocked_until, contact_id, status, title, customer_name",
    "2, 2, '2090-01-01', '2090-01-02', '2090-01-01', '2090-01-02', i, 'confirmed', 't', 'n'",
  );
  await fill(
    400,
    "resources",
    "account_id, name, time_zone, weekly_hours",
    `1 + i % 40, 'r', 'UTC', '${closed}'`,
  );
  await fill(
    400,
    "services",
    "account_id, name, duration_minutes",
    "1 + i % 40, CONCAT('s', i), 30",
  );
  await fill(400, "service_resources", "service_id, resource_id, account_id", "i, i, 1 + i % 40");
  await dataSource.query(
    "ANALYZE TABLE booking_links, bookings, appointments, resources, services",
  );
});

test("links are listed in the order of their index, and one is read by its id", async () => {
  const list = await explainTable(
    dataSource,
    (tx) => listBookingLinks(tx, { limit: 50, offset: 0 }),
    "BookingLink",
  );
  expect(list).toEqual(new Set(["booking_links_account"]));
  const one = await explain(dataSource, (tx) => getBookingLink(tx, 5));
  expect(one).toMatchObject([{ key: "PRIMARY" }]);
});

test("a page finds its link by the slug", async () => {
  const steps = await explain(dataSource, (tx) => findBookingLink(tx, token));
  expect(steps.map(({ table, key }) => [table, key])).toEqual([
    ["booking_links", "booking_links_slug"],
    ["l", "PRIMARY"],
    ["a", "PRIMARY"],
  ]);
});

test("a booking is found by its token, and all that hangs on it by ids", async () => {
  const steps = await explain(dataSource, (tx) => getBooking(tx, 5, token));
  expect(steps.filter(({ type }) => type === "ALL" || type === "index")).toEqual([]);
  const [booking] = steps;
  expect(booking).toMatchObject({ key: "bookings_token", type: "const" });
});

test("what a link offers is read from the services and resources of its account alone", async () => {
  const steps = await explain(dataSource, (tx) => listOffers(tx, link));
  const own = steps.filter(({ table }) => table === "s" || table === "r");
  expect(own.map(({ table, key }) => [table, key])).toEqual(
    expect.arrayContaining([
      ["s", "services_account"],
      ["r", "resources_account"],
    ]),
  );
  expect(steps.filter(({ type }) => type === "ALL")).toEqual([]);
});
