import { expect, test } from "vitest";
import { issueFormToken } from "../../../api/booking/form-token.ts";
import { createBookingLimits } from "../../../api/booking/limits.ts";
import { createWorkGate } from "../../../api/http/work-gate.ts";
import { ana, createTestLink, headingOf, hiddenIn, shownIn } from "./booking-fixture.ts";
import { startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(async () => await startApiFixture({ TRUST_PROXY: "true" }));

const stale = "This page was open for too long.";
const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000);

test("a token that we did not sign for this link books nothing; the form keeps what was typed", async () => {
  const [link, other] = [await createTestLink(fixture), await createTestLink(fixture)];
  const [slot = ""] = await link.slots();
  const form = await link.form(slot);
  const own = String(form["token"]);
  const [token, seconds, signature] = own.split(".");
  const madeUp = [
    "0".repeat(26),
    "short",
    "",
    "x".repeat(200),
    `${own}x`,
    `${"0".repeat(26)}.${seconds}.${signature}`,
    `${token}.${Number(seconds) + 60}.${signature}`,
    `${token}.${seconds}.`,
    issueFormToken(fixture.api.deps.secretBox, other.linkId, new Date()),
    issueFormToken(fixture.api.deps.secretBox, link.linkId, hoursAgo(3)),
  ];
  for (const one of madeUp) {
    const answer = await link.post("/new", { ...form, ...ana, token: one });
    expect([one, answer.status]).toEqual([one, 400]);
    expect(answer.text).toContain(stale);
    for (const field of ["name", "phone", "email"] as const) {
      expect(shownIn(answer.text, field)).toBe(ana[field]);
    }
    expect(hiddenIn(answer.text)).toMatchObject({ slot });
    expect(hiddenIn(answer.text)["token"]).not.toBe(one);
  }
  expect(await link.appointments()).toEqual([]);
});

test("a form that was open for too long is sent again with one press", async () => {
  const link = await createTestLink(fixture);
  const [slot = ""] = await link.slots();
  const { secretBox } = fixture.api.deps;
  const old = { ...(await link.form(slot)), ...ana };
  const token = issueFormToken(secretBox, link.linkId, hoursAgo(2.5));
  const refused = await link.post("/new?lang=es", { ...old, token });
  expect(refused.text).toContain("Esta página estuvo abierta demasiado tiempo.");
  const sent = await link.post("/new", { ...hiddenIn(refused.text), ...ana });
  expect(sent.status).toBe(303);
  const younger = issueFormToken(secretBox, link.linkId, hoursAgo(1.5));
  const [next = ""] = await link.slots();
  expect((await link.post("/new", { ...old, slot: next, token: younger })).status).toBe(303);
});

const foreign = [
  ["Sec-Fetch-Site", { "sec-fetch-site": "cross-site" }],
  ["Origin", { origin: "https://evil.example" }],
] as const;

test.each(foreign)("a form that another site sends is refused, told by %s", async (_, headers) => {
  const link = await createTestLink(fixture);
  const place = await link.book();
  const [slot = ""] = await link.slots();
  const form = { ...(await link.form(slot)), ...ana };
  for (const below of ["/new", `${place}/cancel`, `${place}/move`]) {
    const answer = await link.post(below, form, headers);
    expect([answer.status, headingOf(answer.text)]).toEqual([
      403,
      "This form came from another site",
    ]);
  }
  expect(await link.appointments()).toMatchObject([{ status: "confirmed" }]);
});

test("a form that another site sends takes nothing from its visitor's limits", async () => {
  const link = await createTestLink(fixture);
  fixture.api.deps.bookingLimits = createBookingLimits(() => 0);
  const visitor = { "x-forwarded-for": "192.0.2.50" };
  for (let count = 0; count < 130; count += 1) {
    await link.post("/new", {}, { ...visitor, "sec-fetch-site": "cross-site" });
  }
  expect((await link.get("", visitor)).status).toBe(200);
  expect((await link.post("/new", {}, visitor)).status).toBe(404);
});

test("a page sends its address to itself alone, so an older browser names the form's origin", async () => {
  const link = await createTestLink(fixture);
  expect((await link.get()).headers.get("referrer-policy")).toBe("same-origin");
  const [slot = ""] = await link.slots();
  const form = { ...(await link.form(slot)), ...ana };
  const own = { origin: fixture.api.deps.config.publicUrl };
  expect((await link.post("/new", form, own)).status).toBe(303);
});

test("a customer has at most 5 open bookings, also at the same time", async () => {
  const link = await createTestLink(fixture);
  const slots = await link.slots();
  const forms = await Promise.all(
    slots.slice(0, 8).map(async (slot) => ({ ...(await link.form(slot)), ...ana })),
  );
  const answers = await Promise.all(forms.map((form) => link.post("/new", form)));
  expect(answers.filter(({ status }) => status === 303)).toHaveLength(5);
  const refused = answers.filter(({ status }) => status === 409);
  expect(refused).toHaveLength(3);
  expect(refused[0]?.text).toContain("There are 5 open bookings with this phone or email already.");
  expect(shownIn(String(refused[0]?.text), "name")).toBe(ana.name);
  expect(await link.appointments()).toHaveLength(5);
  expect(await link.events()).toHaveLength(6);

  const index = answers.findIndex(({ status }) => status === 409);
  const email = { ...forms[index], phone: "" };
  expect((await link.post("/new", email)).status).toBe(409);
  const place = answers.find(({ status }) => status === 303)?.headers.get("location") ?? "";
  await link.post(`${place.replace(`/book/${link.slug}`, "")}/cancel`, {});
  expect((await link.post("/new", email)).status).toBe(303);
  const somebody = { name: "Luis", phone: "", email: "luis@example.com" };
  expect(await link.book(somebody)).toMatch(/^\/a\//);
});

test.each([
  ["IPv6", (count: number) => `2001:db8:7:${count.toString(16)}::1`],
  ["IPv4", (count: number) => `198.51.100.${count}`],
])("a host with many networks of %s leaves room for a link's customers", async (_, ipOf) => {
  const link = await createTestLink(fixture);
  fixture.api.deps.bookingLimits = createBookingLimits(() => 0);
  const [slot = ""] = await link.slots();
  const form = { ...(await link.form(slot)), ...ana };
  const statuses: number[] = [];
  for (let count = 0; count < 90; count += 1) {
    const sender = { "x-forwarded-for": ipOf(count) };
    statuses.push((await link.post("/new", { ...form, name: "" }, sender)).status);
  }
  expect(statuses.filter((status) => status === 400)).toHaveLength(30);
  const others: number[] = [];
  for (let count = 0; count < 30; count += 1) {
    const sender = { "x-forwarded-for": `10.1.${count}.9` };
    others.push((await link.post("/new", { ...form, name: "" }, sender)).status);
  }
  expect(new Set(others)).toEqual(new Set([400]));
});

test("every page that searches for free times waits for its link's searches; a free time's form does not", async () => {
  const [link, quiet] = [await createTestLink(fixture), await createTestLink(fixture)];
  const place = await link.book();
  const [free = ""] = await link.slots();
  const form = { ...(await link.form(free)), ...ana };
  const taken = `${link.resourceId}-0`;
  const gate = createWorkGate({ atOnce: 1, waiting: 0 });
  fixture.api.deps.slotSearches = gate;
  const service = `service=${link.serviceId}`;
  await gate.run(String(link.linkId), async () => {
    const answers = {
      "the times": await link.get(),
      "a form without a time": await link.get(`/new?${service}`),
      "a form for a time that is over": await link.get(`/new?${service}&slot=${taken}`),
      "times to move to": await link.get(`${place}/move`),
      "a move to a time that is over": await link.get(`${place}/move?slot=${taken}`),
      "a sent move to a time that is over": await link.post(`${place}/move`, { slot: taken }),
    };
    for (const [name, { status, text }] of Object.entries(answers)) {
      expect([name, status, headingOf(text)]).toEqual([name, 429, "Too many requests"]);
    }
    expect((await quiet.get(`/new?service=${quiet.serviceId}`)).status).toBe(400);
    expect((await link.get(`/new?${service}&slot=${free}`)).status).toBe(200);
    expect((await link.get(`${place}/move?slot=${free}`)).status).toBe(200);
    // Other times are missing in the form, but not what the customer typed.
    for (const slot of ["", taken]) {
      const { status, text } = await link.post("/new", { ...form, slot });
      expect([status, text.includes(ana.name)]).toEqual([slot === "" ? 400 : 409, true]);
    }
    expect((await link.post("/new", form)).status).toBe(303);
  });
  expect((await link.get(`/new?${service}`)).status).toBe(400);
});
