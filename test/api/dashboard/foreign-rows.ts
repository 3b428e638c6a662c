import { createBookingLink } from "../../../core/services/booking/booking-links.ts";
import { requestReschedule } from "../../../core/services/appointments/appointment-reschedules.ts";
import { bookAppointment } from "../../../core/services/appointments/appointments.ts";
import { addClosure } from "../../../core/services/appointments/resource-closures.ts";
import { asSystem, createTestAccount, createTestSubscription } from "../../support/accounts.ts";
import { at, createTestResource, createTestService } from "../../support/appointments.ts";
import type { ApiFixture } from "../api-fixture.ts";

/**
 * Makes an account with a row of each kind. No call of a test may change one.
 * @param session turns a cookie into the one that the fixture reads
 * @returns ids by the noun of the row
 */
export async function createForeignRows(
  fixture: ApiFixture,
  session: (cookie: string) => string,
): Promise<Record<string, number>> {
  const foreign = await createTestAccount(fixture.database.dataSource);
  const { dataSource } = fixture.database;
  const { id } = await createTestSubscription(dataSource, foreign.accountId, {
    url: "https://r.example/",
  });
  const [login] = await fixture.query<{ id: number }>("SELECT id FROM sessions WHERE user_id = ?", [
    foreign.userId,
  ]);
  const invitation = await fixture.api.call("POST", "/dashboard/api/invitations", {
    cookie: session(foreign.cookie),
    body: { email: "invited@example.com", role: "agent" },
  });
  const contact = await fixture.api.call("POST", "/dashboard/api/contacts", {
    cookie: session(foreign.cookie),
    body: { email: "foreign@example.com" },
  });
  const agenda = await createForeignAgenda(
    fixture,
    foreign.accountId,
    Number(contact.json.data.id),
  );
  const pipeline = await fixture.api.call("POST", "/dashboard/api/pipelines", {
    cookie: session(foreign.cookie),
    body: { name: "Foreign", stages: ["New", "Won"] },
  });
  const inboxView = await fixture.api.call("POST", "/dashboard/api/inbox-views", {
    cookie: session(foreign.cookie),
    body: { name: "Foreign", view: "all", shared: true },
  });
  const [channel] = await fixture.query<{ id: number }>(
    "SELECT id FROM channel_accounts WHERE account_id = ? LIMIT 1",
    [foreign.accountId],
  );
  return {
    channel_account: Number(channel?.id),
    inbox_view: Number(inboxView.json.data.id),
    ...agenda,
    contact: Number(contact.json.data.id),
    pipeline: Number(pipeline.json.data.id),
    stage: Number(pipeline.json.data.stages[0].id),
    subscription: id,
    api_key: foreign.apiKeyId,
    user: foreign.userId,
    invitation: Number(invitation.json.data.id),
    session: Number(login?.id),
  };
}

/** An appointment with its resource, a closure and a service, and a link to book there. */
async function createForeignAgenda(fixture: ApiFixture, accountId: number, contactId: number) {
  const { dataSource } = fixture.database;
  const resource = await createTestResource(dataSource, accountId);
  const service = await createTestService(dataSource, accountId);
  return await asSystem(dataSource, accountId, async (tx) => {
    const startTime = at("10:00");
    const closed = { start_time: at("12:00"), end_time: at("13:00") };
    const { id: closure } = await addClosure(tx, resource, closed);
    const booking = { resourceId: resource, serviceId: service, startTime, source: null };
    const row = await bookAppointment(tx, { ...booking, customer: { contactId } });
    const offered = { title: "x", resource_id: resource, service_id: null, enabled: true };
    const link = await createBookingLink(tx, { ...offered, own_slug: null });
    const move = { startTime: at("15:00"), mode: "same", source: null } as const;
    const reschedule = await requestReschedule(tx, { appointmentId: row.id, ...move });
    const ids = { resource, service, closure, appointment: row.id, booking_link: link.id };
    return { ...ids, reschedule: reschedule?.id ?? 0 };
  });
}
