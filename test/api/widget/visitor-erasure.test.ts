import { expect, test } from "vitest";
import { useFixture } from "../../support/use-fixture.ts";
import { insertRow, startApiFixture } from "../api-fixture.ts";
import { whileLocked } from "../dashboard/people-fixture.ts";
import {
  createTestWidget,
  openVisit,
  type TestVisitor,
  type TestWidget,
} from "./widget-fixture.ts";

const fixture = useFixture(async () => await startApiFixture({ TRUST_PROXY: "true" }));

const email = "real@example.com";
const phone = "525512345678";

interface Visit {
  widget: TestWidget;
  visitor: TestVisitor;
  contactId: number;
}

/** A visitor who may delete the chat, and who claims to be somebody else. */
async function openClaim(): Promise<Visit> {
  const widget = await createTestWidget(fixture, { settings: { lets_visitor_erase: true } });
  const visitor = await openVisit(fixture, widget);
  await visitor.write("Hi");
  const said = await visitor.call("POST", "/contact", { name: "urgent", email, phone });
  expect(said.status).toBe(200);
  const [contact] = await fixture.query<{ id: number }>(
    "SELECT id FROM contacts WHERE account_id = ? AND email = ? AND phone = ?",
    [widget.account.accountId, email, phone],
  );
  return { widget, visitor, contactId: Number(contact?.id) };
}

const erase = async ({ visitor }: Visit): Promise<unknown> =>
  (await visitor.call("POST", "/erase")).json.data;

async function insertImport(accountId: number, kind: string, state: string): Promise<number> {
  return await insertRow(fixture, "imports", {
    account_id: accountId,
    kind,
    state,
    size: 1,
    sha256: Buffer.alloc(32),
    phone_key: kind === "chat" ? phone : null,
    counts: "{}",
    reasons: "[]",
  });
}

async function insertImportRow({ widget, contactId }: Visit, state: string): Promise<void> {
  const { accountId } = widget.account;
  await insertRow(fixture, "import_rows", {
    import_id: await insertImport(accountId, "contacts", "planned"),
    number: 1,
    account_id: accountId,
    raw: JSON.stringify(["Real", phone, email]),
    plan: "update",
    state,
    phone_key: phone,
    email,
    contact_id: contactId,
  });
}

/** A booking of Calendly that waits for an agenda. */
async function insertWaitingBooking(accountId: number): Promise<void> {
  await insertRow(fixture, "calendly_invitees", {
    account_id: accountId,
    connection_id: 1,
    external_id: `invitee-${accountId}`,
    event_id: "event",
    state: "unmapped",
    booking: JSON.stringify({ email, phone }),
    start_time: new Date(),
    changed_at: new Date(),
  });
}

/** An event that a reading of a calendar has kept. */
async function insertStagedEvent(accountId: number): Promise<void> {
  const linkId = await insertRow(fixture, "calendar_links", {
    account_id: accountId,
    connection_id: 1,
    resource_id: accountId,
    provider: "google",
    calendar_id: `calendar-${accountId}`,
  });
  await insertRow(fixture, "calendar_changes", {
    account_id: accountId,
    link_id: linkId,
    event_id: "event",
    series_id: "series",
    kind: "appeared",
    body: JSON.stringify({ customer: { email, phone } }),
  });
}

/** A booking that somebody has made for the visitor's contact. */
function bookingOf(
  { widget, contactId }: Pick<Visit, "widget" | "contactId">,
  source: string | null,
): Record<string, unknown> {
  const now = new Date();
  return {
    account_id: widget.account.accountId,
    resource_id: 1,
    contact_id: contactId,
    status: "confirmed",
    title: "Visit",
    customer_name: "Real",
    start_time: now,
    end_time: now,
    blocked_from: now,
    blocked_until: now,
    source,
  };
}

/** Rows of the account that an erasure of the real person would change. */
async function readMatches(accountId: number): Promise<unknown[]> {
  const statements = [
    "SELECT name FROM inbox_views WHERE account_id = ?",
    "SELECT contact_filters FROM memberships WHERE account_id = ?",
    "SELECT state, error_code FROM exports WHERE account_id = ?",
    "SELECT state, booking FROM calendly_invitees WHERE account_id = ?",
    "SELECT body FROM calendar_changes WHERE account_id = ?",
    "SELECT kind, state, phone_key FROM imports WHERE account_id = ? ORDER BY id",
    "SELECT state, raw, email FROM import_rows WHERE account_id = ?",
  ];
  return await Promise.all(statements.map((sql) => fixture.query(sql, [accountId])));
}

test("a visitor who deletes the chat erases nothing that only the typed name, email or phone matches", async () => {
  const visit = await openClaim();
  const { accountId, cookie } = visit.widget.account;
  const ask = async (path: string, body: object) => {
    const { status } = await fixture.api.call("POST", `/dashboard/api${path}`, { cookie, body });
    expect(status).toBeLessThan(300);
  };
  await ask("/inbox-views", { name: "Urgent", view: "all", shared: true });
  await ask("/me/contact-filters", { name: "By tag", tag: "urgent" });
  await ask("/exports", { kind: "contacts", filters: { search: "urgent" } });
  await insertWaitingBooking(accountId);
  await insertStagedEvent(accountId);
  await insertImport(accountId, "chat", "paused");
  await insertImportRow(visit, "pending");
  const before = await readMatches(accountId);
  expect(JSON.stringify(before)).toContain("unmapped");
  expect(await erase(visit)).toEqual({ outcome: "erased" });
  expect(await readMatches(accountId)).toEqual(before);
  // The commit of the import judges the row again, for a contact of its own.
  const rows = await fixture.query("SELECT contact_id FROM import_rows WHERE account_id = ?", [
    accountId,
  ]);
  expect(rows).toEqual([{ contact_id: null }]);
  const contacts = await fixture.query("SELECT id FROM contacts WHERE account_id = ?", [accountId]);
  expect(contacts).toEqual([]);
  const searches = await fixture.query(
    "SELECT emails, phone_endings FROM contact_erasures WHERE account_id = ?",
    [accountId],
  );
  expect(searches).toEqual([{ emails: [], phone_endings: [] }]);
});

test.each(["updated", "kept"])(
  "an admin is asked where an import has changed the visitor's contact: %s",
  async (state) => {
    const visit = await openClaim();
    await insertImportRow(visit, state);
    expect(await erase(visit)).toEqual({ outcome: "requested" });
  },
);

test.each(["calendly", "enlace", "voz", "panel", null])(
  "an admin is asked where somebody may have booked for the visitor's contact: %s",
  async (source) => {
    const visit = await openClaim();
    await insertRow(fixture, "appointments", bookingOf(visit, source));
    expect(await erase(visit)).toEqual({ outcome: "requested" });
  },
);

test("a visitor who deletes the chat erases a booking of the agent in it", async () => {
  const visit = await openClaim();
  const id = await insertRow(fixture, "appointments", bookingOf(visit, "agente"));
  expect(await erase(visit)).toEqual({ outcome: "erased" });
  expect(await fixture.query("SELECT id FROM appointments WHERE id = ?", [id])).toEqual([]);
});

test("an admin is asked where the visitor's contact has another conversation", async () => {
  const visit = await openClaim();
  const other = await openVisit(fixture, visit.widget);
  await other.write("Hello");
  await fixture.query("UPDATE conversations SET contact_id = ? WHERE account_id = ?", [
    visit.contactId,
    visit.widget.account.accountId,
  ]);
  expect(await erase(visit)).toEqual({ outcome: "requested" });
});

test("an admin is asked where the visitor's contact has a tag", async () => {
  const visit = await openClaim();
  const { accountId } = visit.widget.account;
  await fixture.query("INSERT INTO contact_tags SET account_id = ?, contact_id = ?, tag = 'vip'", [
    accountId,
    visit.contactId,
  ]);
  expect(await erase(visit)).toEqual({ outcome: "requested" });
});

test("an admin is asked where a booking is made while the visitor deletes the chat", async () => {
  const visit = await openClaim();
  const booking = bookingOf({ widget: visit.widget, contactId: 0 }, "calendly");
  const id = await insertRow(fixture, "appointments", booking);
  const statements: [string, unknown[]][] = [
    ["SELECT id FROM contacts WHERE id = ? FOR UPDATE", [visit.contactId]],
    ["UPDATE appointments SET contact_id = ? WHERE id = ?", [visit.contactId, id]],
  ];
  const outcome = await whileLocked(fixture, statements, async () => await erase(visit));
  expect(outcome).toEqual({ outcome: "requested" });
});

test("a visitor who waits for an import holds no session that an admin's erasure needs", async () => {
  const visit = await openClaim();
  const id = await insertImport(visit.widget.account.accountId, "contacts", "planned");
  const sessions = "SELECT id FROM widget_sessions WHERE contact_id = ? FOR UPDATE NOWAIT";
  const outcome = await whileLocked(
    fixture,
    [["SELECT id FROM imports WHERE id = ? FOR UPDATE", [id]]],
    async () => await erase(visit),
    [[sessions, [visit.contactId]]],
  );
  expect(outcome).toEqual({ outcome: "erased" });
});

test("a visitor who deletes the chat ends an export of that contact, and no other export", async () => {
  const visit = await openClaim();
  const { accountId, cookie } = visit.widget.account;
  for (const body of [{ kind: "contacts" }, { kind: "contact", contact_id: visit.contactId }]) {
    await fixture.api.call("POST", "/dashboard/api/exports", { cookie, body });
  }
  await erase(visit);
  const exports = await fixture.query(
    "SELECT kind, state FROM exports WHERE account_id = ? ORDER BY id",
    [accountId],
  );
  expect(exports).toEqual([
    { kind: "contacts", state: "queued" },
    { kind: "contact", state: "failed" },
  ]);
});
