import { expect, test } from "vitest";
import {
  ana,
  choicesIn,
  createResource,
  createService,
  createTestLink,
  headingOf,
  hiddenIn,
  openPage,
  shownIn,
  slotsIn,
  withoutOwnScript,
  weekOf,
} from "./booking-fixture.ts";
import { checksum, startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(async () => await startApiFixture({ TRUST_PROXY: "true" }));

const payload = `"><script>alert(1)</script><img src=x onerror='x()'>&amp;`;
const escaped =
  "&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=&#39;x()&#39;&gt;&amp;amp;";

test("a form makes an appointment and a contact, and leads to the appointment's page", async () => {
  const link = await createTestLink(fixture);
  const place = await link.book();
  expect(place).toMatch(/^\/a\/[0-9A-Za-z]{26}$/);
  expect(await link.appointments()).toEqual([
    {
      id: expect.any(Number),
      resource_id: link.resourceId,
      service_id: link.serviceId,
      status: "confirmed",
      title: "First visit",
      customer_name: "Ana Torres",
      customer_phone: "5215512345678",
      source: "enlace",
    },
  ]);
  expect(await link.contacts()).toEqual([
    { name: "Ana Torres", phone: "5215512345678", email: "ana@example.com" },
  ]);
  expect(await link.events()).toEqual(["contact.created", "appointment.created"]);
  const page = await link.get(place);
  expect([page.status, headingOf(page.text)]).toEqual([200, "You are booked"]);
  expect(page.text).toContain("Dr. Lucía Peña");
  expect(page.text).not.toContain("Ana");
  expect(page.text).not.toContain("55123");
  const [row] = await fixture.query<{ token_hash: Buffer }>(
    "SELECT * FROM bookings WHERE link_id = ?",
    [link.linkId],
  );
  expect(JSON.stringify(row)).not.toContain(place.split("/").at(-1));
});

test("a form sent twice books once and leads to the same page, also at the same time", async () => {
  const link = await createTestLink(fixture);
  const [slot = ""] = await link.slots();
  const form = { ...(await link.form(slot)), ...ana };
  const answers = await Promise.all(Array.from({ length: 8 }, () => link.post("/new", form)));
  const again = await link.post("/new", { ...form, name: "Somebody else" });
  const places = [...answers, again].map((one) => [one.status, one.headers.get("location")]);
  expect(new Set(places.map((one) => JSON.stringify(one))).size).toBe(1);
  expect(places[0]?.[0]).toBe(303);
  expect(await link.appointments()).toHaveLength(1);
  expect(await link.events()).toEqual(["contact.created", "appointment.created"]);
});

test("of many who want one time, one gets it; the others keep what they typed and read what is free", async () => {
  const link = await createTestLink(fixture);
  const [slot = "", second = ""] = await link.slots();
  const forms = await Promise.all(
    Array.from({ length: 6 }, async (_, index): Promise<Record<string, string>> => ({
      ...(await link.form(slot)),
      name: `Visitor "${index}"`,
      email: `visitor${index}@example.com`,
      phone: "",
    })),
  );
  const answers = await Promise.all(forms.map((form) => link.post("/new", form)));
  expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
    303, 409, 409, 409, 409, 409,
  ]);
  expect(await link.appointments()).toHaveLength(1);
  expect(await link.contacts()).toHaveLength(1);
  const index = answers.findIndex(({ status }) => status === 409);
  const page = answers[index]?.text ?? "";
  expect(page).toContain("That time is no longer free.");
  expect(shownIn(page, "name")).toBe(`Visitor &quot;${index}&quot;`);
  expect(shownIn(page, "email")).toBe(`visitor${index}@example.com`);
  expect(hiddenIn(page)).toEqual({
    service: forms[index]?.["service"],
    token: forms[index]?.["token"],
  });
  expect(choicesIn(page)).toContain(second);
  expect(choicesIn(page)).not.toContain(slot);
  const moved = await link.post("/new", { ...forms[index], slot: second });
  expect(moved.status).toBe(303);
  expect(await link.appointments()).toHaveLength(2);
});

test("a time that is not offered is not booked, whatever the form says", async () => {
  const link = await createTestLink(fixture, {
    weeklyHours: weekOf([{ from: "09:00", to: "17:00" }]),
  });
  const other = await createTestLink(fixture);
  const [slot = ""] = await link.slots();
  const form = { ...(await link.form(slot)), ...ana };
  const [resource, seconds] = slot.split("-").map(Number) as [number, number];
  const night = Math.floor(seconds / 86_400) * 86_400 + 86_400 + 3 * 3600;
  const before = await checksum(fixture);
  const times = [
    `${resource}-${seconds + 60}`,
    `${resource}-${night}`,
    `${resource}-${seconds - 30 * 86_400}`,
    `${resource}-${seconds + 61 * 86_400}`,
    `${other.resourceId}-${seconds}`,
    `999999-${seconds}`,
  ];
  for (const one of times) {
    const answer = await link.post("/new", { ...form, slot: one });
    expect([one, answer.status]).toEqual([one, 409]);
  }
  for (const one of ["", "x", "0-0", "1e3-5", "7-99999999999999", "-1--1"]) {
    const answer = await link.post("/new", { ...form, slot: one });
    expect([one, answer.status]).toEqual([one, 400]);
  }
  for (const service of [String(other.serviceId), "999999", "x", "", "-1", "1e3"]) {
    const answer = await link.post("/new", { ...form, service });
    expect([service, answer.status]).toEqual([service, 404]);
  }
  expect(await checksum(fixture)).toBe(before);
});

test("a link for anyone is booked however many agendas give the service, also after its time is taken", async () => {
  const link = await createTestLink(fixture);
  const { accountId, cookie } = link.account;
  for (let count = 1; count < 12; count += 1) await createResource(fixture, accountId);
  const named = await createResource(fixture, accountId, { resourceName: "Dr. Iván Ruiz" });
  await fixture.query("UPDATE services SET step_minutes = 5 WHERE id = ?", [link.serviceId]);
  const path = `/dashboard/api/booking-links/${link.linkId}`;
  const body = { resource_id: null, service_id: link.serviceId };
  await fixture.api.call("PATCH", path, { cookie, body });
  const [slot = ""] = await link.slots();
  const page = await link.get(`/new?service=${link.serviceId}&slot=${slot}`);
  expect([page.status, hiddenIn(page.text)["slot"]]).toEqual([200, slot]);
  const late = { ...(await link.form(slot)), ...ana };
  expect((await link.post("/new", { ...hiddenIn(page.text), ...ana })).status).toBe(303);
  const taken = await link.post("/new", late);
  expect([taken.status, shownIn(taken.text, "name")]).toEqual([409, ana.name]);
  expect(shownIn(taken.text, "phone")).toBe(ana.phone);
  const choices = choicesIn(taken.text);
  const times = choices.map((choice) => choice.split("-")[1]);
  expect([choices.length, new Set(times).size]).toEqual([12, 12]);
  // Another agenda is still free at that very time.
  expect(times[0]).toBe(slot.split("-")[1]);
  const unknown = await link.post("/new", { ...late, slot: `999999-${times[0]}` });
  expect([unknown.status, choicesIn(unknown.text)]).toEqual([409, choices]);
  const other = await link.post("/new", { ...late, slot: choices[0] ?? "" });
  expect(other.status).toBe(303);
  const [ofNamed = ""] = slotsIn((await link.get(`?with=${named}`)).text);
  const form = await link.get(`/new?service=${link.serviceId}&slot=${ofNamed}`);
  expect(hiddenIn(form.text)["slot"]).toBe(ofNamed);
  expect(form.text).toContain("Dr. Iván Ruiz");
  const wrong = await link.post("/new", { ...hiddenIn(form.text), ...ana, name: "" });
  expect([wrong.status, hiddenIn(wrong.text)["slot"]]).toEqual([400, ofNamed]);
});

test("a time of a chosen agenda that is taken meanwhile is replaced by times of that agenda", async () => {
  const link = await createTestLink(fixture);
  const { accountId, cookie } = link.account;
  const named = await createResource(fixture, accountId, { resourceName: "Dr. Iván Ruiz" });
  const path = `/dashboard/api/booking-links/${link.linkId}`;
  const body = { resource_id: null, service_id: link.serviceId };
  await fixture.api.call("PATCH", path, { cookie, body });
  await link.slots();
  const times = (await link.get(`?with=${named}`)).text;
  const [slot = ""] = slotsIn(times);
  const [href = ""] = times.match(/\/new\?[^"]*slot=[^"]*/) ?? [];
  const form = hiddenIn((await link.get(href.replaceAll("&amp;", "&"))).text);
  expect((await link.post("/new", { ...form, ...ana })).status).toBe(303);
  const late = await link.get(href.replaceAll("&amp;", "&"));
  const sent = await link.post("/new", { ...hiddenIn(late.text), ...ana, slot });
  for (const { status, text } of [late, sent]) {
    expect(status).toBe(409);
    const resources = choicesIn(text).map((choice) => choice.split("-")[0]);
    expect(new Set(resources)).toEqual(new Set([String(named)]));
    expect(text).toMatch(new RegExp(`href="[^"]*with=${named}[^"]*">Another time`));
  }
  const [other = ""] = choicesIn(sent.text);
  expect((await link.post("/new", { ...hiddenIn(sent.text), ...ana, slot: other })).status).toBe(
    303,
  );
});

test.each([
  ["no name", { name: " " }, "name", "Please tell us your name."],
  ["a name that is too long", { name: "x".repeat(201) }, "name", "Use at most 200 characters."],
  ["a phone that is none", { phone: "12" }, "phone", "Use 8 to 15 digits with the country code."],
  ["an email that is none", { email: "ana@" }, "email", "Use an email address such as"],
  ["no phone and no email", { phone: "", email: " " }, "phone", "Please leave a phone number or"],
])("%s is told at its field, and the rest stays", async (_, wrong, field, message) => {
  const link = await createTestLink(fixture);
  const [slot = ""] = await link.slots();
  const form = { ...(await link.form(slot)), ...ana, ...wrong };
  const answer = await link.post("/new", form);
  expect(answer.status).toBe(400);
  expect(answer.text).toContain(`id="${field}-fault">${message}`);
  expect(answer.text.match(/aria-invalid="true"/g)).toHaveLength(1);
  const { service, token } = form as Record<string, string>;
  expect(hiddenIn(answer.text)).toEqual({ service, token, slot });
  for (const one of ["name", "phone", "email"] as const) {
    expect(shownIn(answer.text, one)).toBe({ ...ana, ...wrong }[one]);
  }
  expect(await link.appointments()).toEqual([]);
});

test("through a link of one service no other is booked", async () => {
  const link = await createTestLink(fixture);
  const { cookie, accountId } = link.account;
  const other = String(await createService(fixture, accountId, "Another"));
  const path = `/dashboard/api/booking-links/${link.linkId}`;
  await fixture.api.call("PATCH", path, { cookie, body: { service_id: link.serviceId } });
  const [slot = ""] = await link.slots();
  const form = { ...(await link.form(slot)), ...ana };
  const answers = [
    await link.get(`/new?service=${other}&slot=${slot}`),
    await link.post("/new", { ...form, service: other }),
    await link.post("/new", { ...form, service: other, name: "" }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
  expect(await link.appointments()).toEqual([]);
  expect((await link.post("/new", form)).status).toBe(303);
});

test("every field that is wrong is told at once", async () => {
  const link = await createTestLink(fixture);
  const [slot = ""] = await link.slots();
  const form = { ...(await link.form(slot)), name: "", phone: "abc", email: "x" };
  const { text } = await link.post("/new?lang=es", form);
  expect(text).toContain("Escribe tu nombre.");
  expect(text).toContain("Usa de 8 a 15 dígitos");
  expect(text).toContain("Usa un correo como");
});

test("a stranger changes nothing of a known contact, and reads nothing of it", async () => {
  const link = await createTestLink(fixture);
  const { cookie } = link.account;
  await fixture.api.call("POST", "/dashboard/api/contacts", {
    cookie,
    body: { phone: "5215511112222", email: "secret@example.com", name: "Real Name" },
  });
  await fixture.api.call("POST", "/dashboard/api/contacts", {
    cookie,
    body: { email: "other@example.com", name: "Other Name" },
  });
  const before = await link.contacts();
  const who = [
    { name: "Mallory", phone: "+52 55 1111 2222", email: "mallory@example.com" },
    { name: "Mallory", phone: "5215511112222", email: "other@example.com" },
    { name: "Mallory", phone: "5215599998888", email: "secret@example.com" },
    { name: "Mallory", phone: "", email: "OTHER@example.com" },
  ];
  for (const one of who) {
    const place = await link.book(one);
    const { text } = await link.get(place);
    expect(text).not.toMatch(/Real|Other Name|secret|other@|1111/);
  }
  expect(await link.contacts()).toEqual(before);
  expect(await link.events()).not.toContain("contact.updated");
  // What was typed stands on the appointment, so that whoever it was can be called.
  const typed = (await link.appointments()).map((row) => [
    row["customer_name"],
    row["customer_phone"],
  ]);
  expect(typed).toEqual([
    ["Mallory", "5215511112222"],
    ["Mallory", "5215511112222"],
    ["Mallory", "5215599998888"],
    ["Mallory", null],
  ]);
});

test("a booking of an unknown person reads as one of a known person does", async () => {
  const link = await createTestLink(fixture);
  const first = await link.get(await link.book());
  const second = await link.get(await link.book());
  const own = /[0-9A-Za-z]{26}|<dd>[^<]*<\/dd>|<p class="range">[^<]*<\/p>/g;
  const shape = (text: string) => text.replaceAll(own, "");
  expect(shape(second.text)).toBe(shape(first.text));
});

test("markup in any field or name is shown as text", async () => {
  const link = await createTestLink(fixture, {
    title: payload,
    resourceName: payload,
    serviceName: payload,
  });
  const [slot = ""] = await link.slots();
  const form = await link.form(slot);
  const typed = { name: payload, phone: payload, email: payload };
  const refused = await link.post("/new", { ...form, ...typed, token: payload });
  expect(shownIn(refused.text, "name")).toBe(escaped);
  expect(shownIn(refused.text, "phone")).toBe(escaped);
  expect(shownIn(refused.text, "email")).toBe(escaped);
  const place = await link.book({ ...ana, name: payload });
  await createService(fixture, link.account.accountId, payload);
  const pages = await Promise.all([
    link.get(),
    link.get(`?service=${link.serviceId}&from=${encodeURIComponent(payload)}`),
    link.get(`/new?service=${link.serviceId}&slot=${slot}`),
    link.get(place),
    link.get(`${place}/cancel`),
    link.get(`${place}/move?slot=${encodeURIComponent(payload)}`),
    link.get(`/a/${encodeURIComponent(payload)}?x=${encodeURIComponent(payload)}`),
    openPage(fixture, `/book/${encodeURIComponent(payload)}?${encodeURIComponent(payload)}`),
  ]);
  for (const { text } of [refused, ...pages]) {
    expect(withoutOwnScript(text)).not.toMatch(/<script|<img|onerror=['"x]/);
    expect(text).toContain("<!doctype html>");
  }
  expect(pages[0]?.text).toContain(escaped);
  expect(pages[3]?.text).toContain(escaped);
});

test("a form that is no form of ours is refused on a page", async () => {
  const link = await createTestLink(fixture);
  const [slot = ""] = await link.slots();
  const form = { ...(await link.form(slot)), ...ana };
  const json = await link.post("/new", form, { "content-type": "application/json" });
  const large = await link.post("/new", { ...form, name: "x".repeat(20_000) });
  const empty = await link.post("/new", {});
  expect([json.status, large.status, empty.status]).toEqual([415, 413, 404]);
  for (const page of [json, large]) expect(headingOf(page.text)).toBe("We could not read that");
  const other = await fixture.api.call("PUT", `/book/${link.slug}`);
  expect(other.status).toBe(405);
  expect(await link.appointments()).toEqual([]);
});
