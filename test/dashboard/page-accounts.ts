import {
  recordNotification,
  type NotificationRecord,
} from "../../core/services/notifications/notifications.ts";
import { disconnectConnection, saveConnection } from "../../core/services/calendars/connections.ts";
import {
  asSystem,
  createTestAccount,
  createTestSubscription,
  testSecretBox,
  type TestAccount,
} from "../support/accounts.ts";
import { at, createTestResource, createTestService, openFrom } from "../support/appointments.ts";
import { linkCalendar } from "../support/calendars.ts";
import type { DashboardFixture } from "../support/dashboard-fixture.ts";
import { oddNames } from "../support/odd-names.ts";
import { fillAgent } from "./page-agents.ts";
import { fillChannels, fillChannelsInUse } from "./page-channels.ts";
import { fillExports } from "./page-exports.ts";
import { fillImports, fillImportsInUse } from "./page-imports.ts";

/** How much an account holds that pages are looked at in. */
export const fillings = ["as in use", "empty", "one row", "50 rows"] as const;
export type Filling = (typeof fillings)[number];

/** Makes an account for each filling; what is in use is the fixture's own, so that its ids begin at 1. */
export async function createPageAccounts(
  fixture: DashboardFixture,
): Promise<Record<Filling, TestAccount>> {
  await fillAsInUse(fixture);
  const make = async (rows: number): Promise<TestAccount> => {
    const account = await createTestAccount(fixture.database.dataSource);
    await fill(fixture, account, rows);
    return account;
  };
  return {
    "as in use": fixture.account,
    empty: await make(0),
    "one row": await make(1),
    "50 rows": await make(50),
  };
}

const longName = `${"Wolfeschlegelsteinhausenbergerdorff ".repeat(5)}😀`;

/** Fills the fixture's own account as one that is in use; each list has few rows. */
export async function fillAsInUse(fixture: DashboardFixture): Promise<void> {
  await fixture.call("POST", "/invitations", { email: "luis@example.com", role: "agent" });
  const url = "https://hooks.example.com/parley";
  await createTestSubscription(fixture.database.dataSource, fixture.account.accountId, { url });
  const crm = { name: "CRM ".repeat(50).trim() };
  const { slug } = (await fixture.call("POST", "/inbound-endpoints", crm)).json.data;
  // A call that is refused: nobody signed it.
  await fixture.api.call("POST", `/api/webhooks/inbound/${slug}`, {
    body: { event: "x", data: {} },
  });
  const { accountId } = fixture.account;
  const resource = await createTestResource(fixture.database.dataSource, accountId, {
    weeklyHours: { ...openFrom("09:00", "17:00"), sunday: [] },
  });
  await createTestService(fixture.database.dataSource, accountId);
  const from = "5215512345678";
  const board = { name: "Sales", stages: ["New", "Won"], default: true };
  await fixture.call("POST", "/pipelines", board);
  for (const text of ["Hello", "مرحبا، هل لديكم طاولة؟", "x".repeat(300)]) {
    await fixture.call("POST", "/sandbox/messages", {
      channel: "whatsapp",
      from,
      name: longName,
      text,
    });
  }
  await fillAgenda(fixture, resource);
  await connectCalendars(fixture, resource);
  await fixture.call("POST", "/conversations/1/notes", { text: "Prefers the terrace" });
  await fixture.call("POST", "/conversations/1/messages", { content: "Good evening!" });
  await fixture.call("POST", "/sandbox/messages", {
    channel: "web",
    from: "visitor-7",
    text: "Hi",
  });
  await sendDeliveries(fixture, fixture.account);
  await tellInUse(fixture);
  await fillAgent(fixture, fixture.account, 7);
  await fillChannelsInUse(fixture);
  await fillImportsInUse(fixture);
  await fillExports(fixture, fixture.account, 7);
}

async function fillAgenda(fixture: DashboardFixture, resource: number): Promise<void> {
  await fixture.call("POST", `/resources/${resource}/closures`, {
    start_time: at("12:00"),
    end_time: at("13:00"),
    reason: "Lunch",
  });
  await fixture.call("POST", "/booking-links", { title: "Book a visit", resource_id: resource });
  const booking = { resource_id: resource, contact_id: 1, duration_minutes: 45 };
  for (const time of ["09:00", "10:30"]) {
    await fixture.call("POST", "/appointments", { ...booking, start_time: at(time) });
  }
  await fixture.call("POST", "/appointments/2/cancel", { reason: "Ill" });
  // Beside it another agenda, with an appointment at the same time and one that is hard to show.
  const weekly_hours = openFrom("00:00", "24:00");
  const other = await fixture.call("POST", "/resources", { name: longName, weekly_hours });
  const beside = { ...booking, resource_id: other.json.data.id };
  const titled = { ...beside, title: longName, start_time: at("14:00") };
  await fixture.call("POST", "/appointments", { ...beside, start_time: at("09:15") });
  await fixture.call("POST", "/appointments", titled);
}

/** Two Google accounts: one in step with an agenda, one that Google has ended. */
async function connectCalendars(fixture: DashboardFixture, resourceId: number): Promise<void> {
  const { dataSource } = fixture.database;
  const { accountId } = fixture.account;
  const calendarId = `${"wolfeschlegelsteinhausenbergerdorff".repeat(4)}@group.calendar.google.com`;
  await asSystem(dataSource, accountId, async (tx) => {
    await linkCalendar(tx, { resourceId, calendarId });
    const grant = { provider: "google", credentials: {}, scopes: [], name: "" } as const;
    const email = "agenda@sonrisadental.mx";
    const ended = await saveConnection(tx, testSecretBox, { ...grant, externalId: "2", email });
    await disconnectConnection(tx, ended, "testing_expired");
  });
}

/** Each kind of notification: one cause told of three times, one with its remedy in place, one read. */
async function tellInUse(fixture: DashboardFixture): Promise<void> {
  const { account } = fixture;
  const url = "https://hooks.example.com/disabled";
  const { id } = await createTestSubscription(fixture.database.dataSource, account.accountId, {
    url,
  });
  await fixture.call("PATCH", `/subscriptions/${id}`, { state: "disabled" });
  const failed = {
    subscription_name: oddNames[0],
    event_type: "conversation.created",
    attempts: 6,
    status_code: null,
    error_class: "timeout",
  };
  for (const deliveryId of [1, 2, 3]) {
    const about = { params: failed, groupKey: "discarded:1", deliveryId, subscriptionId: 1 };
    await tell(fixture, account, { kind: "delivery_discarded", ...about });
  }
  const exhausted = { ...failed, status_code: 503 };
  const last = { params: exhausted, deliveryId: 1, subscriptionId: 1 };
  await tell(fixture, account, { kind: "delivery_exhausted_warning", ...last });
  const gone = { subscription_name: "hooks.example.com", reason: "receiver_gone" };
  await tell(fixture, account, { kind: "subscription_disabled", params: gone, subscriptionId: id });
  for (const kind of ["conversation_handed_off", "handoff_reminder", "handoff_escalation"] as const)
    await tell(fixture, account, { kind, conversationId: 1 });
  const resource = { resource_name: longName };
  await tell(fixture, account, { kind: "calendar_disconnected", params: resource });
  const { data } = (await fixture.call("GET", "/notifications")).json;
  const ids = (data as { id: number }[]).slice(0, 2).map((one) => one.id);
  await fixture.call("POST", "/notifications/read", { ids });
}

let told = 0;

async function tell(
  fixture: DashboardFixture,
  { accountId }: TestAccount,
  about: Partial<NotificationRecord> & Pick<NotificationRecord, "kind">,
): Promise<void> {
  const dedupeKey = `told:${(told += 1)}`;
  const plain = { params: {}, groupKey: dedupeKey, deliveryId: null, subscriptionId: null };
  await asSystem(fixture.database.dataSource, accountId, (tx) =>
    recordNotification(tx, { ...plain, dedupeKey, ...about }),
  );
}

/**
 * As a worker would leave the account's deliveries: the first waits after two failed attempts, the
 * second is delivered, and so on through all states.
 */
async function sendDeliveries(
  { database: { dataSource } }: DashboardFixture,
  { accountId }: TestAccount,
): Promise<void> {
  const states = "'waiting', 'delivered', 'discarded', 'cancelled', 'held', 'skipped', 'sending'";
  await dataSource.query(
    `UPDATE deliveries SET state = ELT(1 + (id - 1) % 8, ${states}, 'queued') WHERE account_id = ?`,
    [accountId],
  );
  await dataSource.query(
    `UPDATE deliveries SET
       reason = CASE state WHEN 'cancelled' THEN 'cancelled_by_operator'
         WHEN 'held' THEN 'subscription_paused' WHEN 'skipped' THEN 'subscription_disabled' END,
       attempts_made = IF(state IN ('waiting', 'delivered', 'discarded'), 2, 0),
       last_status_code = CASE state WHEN 'delivered' THEN 204 WHEN 'waiting' THEN 500 WHEN 'discarded' THEN 500 END,
       last_error_class = IF(state IN ('waiting', 'discarded'), 'http_status', NULL),
       next_attempt_at = IF(state = 'waiting', UTC_TIMESTAMP(3) + INTERVAL 1 HOUR, NULL),
       finished_at = IF(state IN ('delivered', 'discarded', 'cancelled', 'skipped'), UTC_TIMESTAMP(3), NULL)
     WHERE account_id = ?`,
    [accountId],
  );
  const hour = Math.floor(Date.now() / 3_600_000);
  const headers = JSON.stringify({
    "content-type": "text/plain",
    "x-trace": "0123456789".repeat(20),
  });
  await dataSource.query(
    `INSERT INTO delivery_attempts (account_id, delivery_id, subscription_id, run, seq, number, started_at,
            started_hour, duration_ms, status_code, error_class, request_url, response_headers, response_excerpt)
     SELECT account_id, id, subscription_id, 1, seq, seq, UTC_TIMESTAMP(3) - INTERVAL 5 - seq MINUTE, ?,
            IF(seq = 1, 8000, 431), IF(seq = 1, NULL, last_status_code),
            IF(seq = 1, 'timeout', last_error_class), 'https://hooks.example.com/parley',
            IF(seq = 1, NULL, CAST(? AS JSON)), IF(seq = 1 OR state = 'delivered', NULL, ?)
       FROM deliveries JOIN (SELECT 1 AS seq UNION ALL SELECT 2) AS attempts
      WHERE account_id = ? AND attempts_made = 2`,
    [hour, headers, `Out of order: ${"x".repeat(300)}`, accountId],
  );
}

/** A call of an account's admin that must succeed. @returns what it made. */
type Call = (path: string, body: object) => Promise<{ id: number }>;

/** Rows of everything that lists show, under names that are hard to show. */
async function fill(fixture: DashboardFixture, account: TestAccount, rows: number): Promise<void> {
  const call: Call = async (path, body) => {
    const options = { cookie: account.cookie, body };
    const { status, text, json } = await fixture.api.call("POST", `/dashboard/api${path}`, options);
    if (status >= 300) throw new Error(`${path} answered ${status}: ${text}`);
    return json.data;
  };
  const board = { name: "Sales", stages: ["New", "Won"], default: true };
  if (rows > 0) await call("/pipelines", board);
  for (let row = 0; row < rows; row += 1) {
    const name = oddNames[row % oddNames.length];
    const named = name === undefined ? {} : { name };
    const from = String(5_215_500_000_000 + row);
    const text = name ?? "x".repeat(300);
    await call("/sandbox/messages", { channel: "whatsapp", from, text, ...named });
    await call("/invitations", { email: `person-${row}@example.com`, role: "agent", ...named });
    if (row < 20) await call("/inbound-endpoints", { name: name ?? `System ${row}` });
    await call("/api-keys", { name: name ?? `Key ${row}`, scopes: ["contacts:read"] });
    // An account has at most 20.
    if (row < 20) await addSubscription(fixture, account, row);
    if (row > 0 && row < 20)
      await call("/pipelines", { name: `${row} ${name ?? ""}`.slice(0, 200), stages: ["New"] });
    await addAgenda(call, name ?? `Agenda ${row}`);
    const failed = { event_type: "contact.created", status_code: 500 };
    const params = { subscription_name: name ?? "CRM", ...failed };
    await tell(fixture, account, { kind: "delivery_discarded", params });
  }
  if (rows > 0) await fillAgent(fixture, account, rows);
  await fillChannels(fixture, account, rows);
  await fillImports(fixture, account, rows);
  await fillExports(fixture, account, rows);
  await sendDeliveries(fixture, account);
}

/** An agenda, a service of it and a link to book both. */
async function addAgenda(call: Call, name: string): Promise<void> {
  const agenda = await call("/resources", { name, weekly_hours: openFrom("09:00", "17:00") });
  const resource_ids = [agenda.id];
  const service = await call("/services", { name, duration_minutes: 30, resource_ids });
  const offered = { resource_id: agenda.id, service_id: service.id };
  await call("/booking-links", { title: name, ...offered });
}

async function addSubscription(
  fixture: DashboardFixture,
  account: TestAccount,
  row: number,
): Promise<void> {
  const url = `https://hooks-${row}.${"sub.".repeat(20)}example.com/${"path/".repeat(40)}`;
  await createTestSubscription(fixture.database.dataSource, account.accountId, { url });
}
