import { expect, test } from "vitest";
import { freshPhone } from "../../support/contact-load.ts";
import { connectWhatsApp, receive } from "../../support/conversations.ts";
import { startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { createTestLink, type TestLink } from "./booking-fixture.ts";

const fixture = useFixture(async () => await startApiFixture({ TRUST_PROXY: "true" }));
const aDayBefore = "We remind you a day before.";

/** A link of an account with these settings. */
async function createLink(settings: object): Promise<TestLink> {
  const link = await createTestLink(fixture);
  await set(link, settings);
  return link;
}

async function set({ account: { cookie } }: TestLink, settings: object): Promise<void> {
  const body = { settings };
  const answer = await fixture.api.call("PATCH", "/dashboard/api/account", { cookie, body });
  expect(answer.status).toBe(200);
}

/** Books the first or the last time of the page. @returns the path of the appointment's page */
async function book(link: TestLink, phone: string, place: 0 | -1): Promise<string> {
  const slot = (await link.slots()).at(place) ?? "";
  const who = { name: "Ana Torres", phone: `+${phone}`, email: "" };
  const sent = await link.post("/new", Object.assign(await link.form(slot), who));
  expect(sent.status).toBe(303);
  return sent.headers.get("location")?.replace(`/book/${link.slug}`, "") ?? "";
}

const write = async ({ account }: TestLink, from: string) =>
  await receive(fixture.database.dataSource, account.accountId, { from });

test("the page promises a reminder once there is a conversation by which it can go", async () => {
  const link = await createLink({ reminder_hours_before: 24 });
  const phone = freshPhone();
  const place = await book(link, phone, -1);
  expect((await link.get(place)).text).not.toContain("We remind you");
  await write(link, phone);
  expect((await link.get(place)).text).toContain(aDayBefore);
  // The reminder keeps its time, and a later setting is for later bookings.
  await set(link, { reminder_hours_before: 2 });
  expect((await link.get(place)).text).toContain(aDayBefore);
  await set(link, { reminder_hours_before: null });
  expect((await link.get(place)).text).not.toContain("We remind you");
});

test("a booking nearer than the reminder promises none", async () => {
  const link = await createLink({ reminder_hours_before: 168 });
  const phone = freshPhone();
  await write(link, phone);
  const place = await book(link, phone, 0);
  expect((await link.get(place)).text).not.toContain("We remind you");
});

test("a reminder that meets a closed window is promised with a template alone", async () => {
  const { dataSource } = fixture.database;
  const link = await createLink({ reminder_hours_before: 24 });
  await connectWhatsApp(dataSource, link.account.accountId);
  const phone = freshPhone();
  await write(link, phone);
  const place = await book(link, phone, -1);
  expect((await link.get(place)).text).not.toContain("We remind you");
  await set(link, { reminder_template: { name: "appointment_reminder", language: "es_MX" } });
  expect((await link.get(place)).text).toContain(aDayBefore);
});
