import { expect, test } from "vitest";
import { createWorkGate } from "../../../api/http/work-gate.ts";
import { createTestLink } from "../booking/booking-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { startApiFixture } from "../api-fixture.ts";
import { createTestWidget, openVisit } from "./widget-fixture.ts";

const fixture = useFixture(async () => await startApiFixture({ TRUST_PROXY: "true" }));

async function createBookingWidget() {
  const link = await createTestLink(fixture);
  const { account, slug } = link;
  const widget = await createTestWidget(fixture, { account, settings: { booking_slug: slug } });
  return { link, widget };
}

test("a visitor sees free times, and books one in the conversation", async () => {
  const { link, widget } = await createBookingWidget();
  const visitor = await openVisit(fixture, widget);
  await visitor.write("A haircut, please");
  const { status, json } = await visitor.call("GET", "/slots");
  expect([status, json.data.services]).toEqual([
    200,
    [{ id: link.serviceId, name: "First visit", duration_minutes: 30 }],
  ]);
  const [{ slot, start_time }] = json.data.slots;
  const body = {
    client_id: "b",
    service_id: link.serviceId,
    slot,
    name: "Ana",
    email: "ana@example.com",
  };
  const booked = await visitor.call("POST", "/bookings", body);
  expect([booked.status, booked.json.data]).toMatchObject([
    201,
    { start_time, service: "First visit" },
  ]);
  const page = await fixture.api.call("GET", new URL(booked.json.data.url).pathname);
  expect(page.status).toBe(200);
  const again = await visitor.call("POST", "/bookings", body);
  expect(again.json.data).toEqual(booked.json.data);
  const rows = await fixture.query(
    `SELECT p.source, p.customer_name AS name, p.contact_id = s.contact_id AS isOwn,
            p.conversation_id = s.conversation_id AS isHere
       FROM appointments p JOIN widget_sessions s ON s.widget_id = ? WHERE p.account_id = ?`,
    [widget.widgetId, link.account.accountId],
  );
  expect(rows).toEqual([{ source: "enlace", name: "Ana", isOwn: 1, isHere: 1 }]);
  expect(await link.contacts()).toEqual([{ name: "Ana", phone: null, email: "ana@example.com" }]);
  const taken = await (await openVisit(fixture, widget)).call("POST", "/bookings", body);
  expect([taken.status, taken.json.error.code]).toEqual([409, "slot_taken"]);
});

test("a search for times waits for the searches of its link's pages", async () => {
  const { link, widget } = await createBookingWidget();
  const visitor = await openVisit(fixture, widget);
  const gate = createWorkGate({ atOnce: 1, waiting: 0 });
  fixture.api.deps.slotSearches = gate;
  const { status, json } = await gate.run(String(link.linkId), () => visitor.call("GET", "/slots"));
  expect([status, json.error.code]).toEqual([429, "rate_limited"]);
  expect((await visitor.call("GET", "/slots")).status).toBe(200);
});

test("before the first message a booking needs an email or a phone, as the link does", async () => {
  const { link, widget } = await createBookingWidget();
  const visitor = await openVisit(fixture, widget);
  const [{ slot }] = (await visitor.call("GET", "/slots")).json.data.slots;
  const body = { client_id: "b", service_id: link.serviceId, slot, name: "Luis" };
  const bare = await visitor.call("POST", "/bookings", body);
  expect([bare.status, bare.json.error.details[0].path]).toEqual([400, "body.email"]);
  const given = Object.assign({ phone: "+52 55 1111 2222" }, body);
  expect((await visitor.call("POST", "/bookings", given)).status).toBe(201);
  expect(await link.contacts()).toEqual([{ name: "Luis", phone: "525511112222", email: null }]);
});

test("an email of somebody else books for the visitor alone", async () => {
  const { link, widget } = await createBookingWidget();
  await fixture.api.call("POST", "/api/v1/contacts", {
    apiKey: link.account.apiKey,
    body: { name: "Owner", email: "owner@example.com" },
  });
  const visitor = await openVisit(fixture, widget);
  await visitor.write("Hi");
  const [{ slot }] = (await visitor.call("GET", "/slots")).json.data.slots;
  const email = "owner@example.com";
  const body = { client_id: "b", service_id: link.serviceId, slot, name: "Eve", email };
  expect((await visitor.call("POST", "/bookings", body)).status).toBe(201);
  const [row] = await fixture.query(
    `SELECT c.name, c.email FROM appointments p JOIN contacts c ON c.id = p.contact_id
      WHERE p.account_id = ?`,
    [link.account.accountId],
  );
  expect(row).toEqual({ name: "Eve", email: null });
});

test("a booking by link with an email that a visitor typed first stays out of the visitor's chat", async () => {
  const { link, widget } = await createBookingWidget();
  const visitor = await openVisit(fixture, widget);
  await visitor.write("Hi");
  const email = "victim@example.com";
  expect((await visitor.call("POST", "/contact", { email })).status).toBe(200);
  await link.book({ name: "Eva", email });
  const rows = await fixture.query(
    `SELECT p.source, p.contact_id = s.contact_id AS isTheirs, p.conversation_id AS place
       FROM appointments p JOIN widget_sessions s ON s.widget_id = ? WHERE p.account_id = ?`,
    [widget.widgetId, link.account.accountId],
  );
  expect(rows).toEqual([{ source: "enlace", isTheirs: 1, place: null }]);
});

test("a widget without a booking link, or with one of another account, shows no times", async () => {
  const { link } = await createBookingWidget();
  for (const settings of [{}, { booking_slug: link.slug }]) {
    const visitor = await openVisit(fixture, await createTestWidget(fixture, { settings }));
    const answer = await visitor.call("GET", "/slots");
    expect([answer.status, answer.json.error.code]).toEqual([404, "booking_link_not_found"]);
  }
});
