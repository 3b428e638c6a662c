import { expect, test } from "vitest";
import {
  ana,
  createResource,
  createTestLink,
  headingOf,
  openPage,
  slotsIn,
  weekOf,
  type TestLink,
} from "./booking-fixture.ts";
import { startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(async () => await startApiFixture({ TRUST_PROXY: "true" }));

async function setCompany(link: TestLink, settings: Record<string, unknown>): Promise<void> {
  const { cookie } = link.account;
  const answer = await fixture.api.call("PATCH", "/dashboard/api/account", {
    cookie,
    body: { settings },
  });
  expect(answer.status).toBe(200);
}

async function nameLink(link: TestLink, ownSlug: string | null) {
  const { cookie } = link.account;
  return await fixture.api.call("PATCH", `/dashboard/api/booking-links/${link.linkId}`, {
    cookie,
    body: { own_slug: ownSlug },
  });
}

const anySlug = () => `s-${Math.random().toString(36).slice(2, 12)}`;

test("a page shows the company's name, initials, address and accent, all of it escaped", async () => {
  const link = await createTestLink(fixture);
  const name = `Sonrisa "Dental" <b>`;
  await setCompany(link, {
    booking_name: name,
    booking_address: "Av. Reforma 222, <i>piso 4",
    booking_accent: "#0D6E68",
  });
  const { text } = await link.get();
  expect(text).toContain("Sonrisa &quot;Dental&quot; &lt;b&gt;");
  expect(text).toContain("Av. Reforma 222, &lt;i&gt;piso 4");
  expect(text).not.toMatch(/<i>piso|<b>"/);
  expect(text).toContain('<span class="logo" aria-hidden="true">S</span>');
  expect(text).toContain('href="/book/brand/0d6e68.css"');
});

test("an accent is a style sheet of its own, and nothing else is", async () => {
  const style = await fixture.api.call("GET", "/book/brand/ffee00.css");
  expect([style.status, style.headers.get("content-type")]).toEqual([
    200,
    "text/css; charset=utf-8",
  ]);
  expect(style.text).toMatch(/--accent:#[0-9a-f]{6};/);
  expect(style.text).not.toContain(":root{--accent:#ffee00;--on-accent:#ffffff");
  for (const odd of ["ffee0.css", "FFEE00.css", "ffee00", "red;}.css", "ffee00.css%0a"]) {
    expect((await fixture.api.call("GET", `/book/brand/${odd}`)).status).toBe(404);
  }
});

test("a link answers at its own slug, at each earlier one, and at the first address for ever", async () => {
  const link = await createTestLink(fixture);
  const [first, second] = [anySlug(), anySlug()];
  expect((await nameLink(link, first)).json.data).toMatchObject({
    own_slug: first,
    slug: link.slug,
    url: expect.stringMatching(new RegExp(`/book/${first}$`)),
  });
  expect((await nameLink(link, second)).status).toBe(200);
  for (const slug of [link.slug, first, second]) {
    const page = await openPage(fixture, `/book/${slug}`);
    expect([slug, page.status, headingOf(page.text)]).toEqual([slug, 200, "Choose a time"]);
  }
  expect((await nameLink(link, first)).json.data.own_slug).toBe(first);
  expect((await nameLink(link, null)).json.data.url).toMatch(new RegExp(`/book/${link.slug}$`));
  expect((await openPage(fixture, `/book/${second}`)).status).toBe(200);
});

test("a slug of another account is taken, also one that its link no longer uses", async () => {
  const [own, other] = [await createTestLink(fixture), await createTestLink(fixture)];
  const slug = anySlug();
  await nameLink(other, slug);
  const refused = async () => {
    const answer = await nameLink(own, slug);
    return [answer.status, answer.json.error?.details];
  };
  const taken = [
    400,
    [
      {
        path: "body.own_slug",
        code: "slug_taken",
        message: "Another booking link has this address. Choose another one.",
      },
    ],
  ];
  expect(await refused()).toEqual(taken);
  await nameLink(other, null);
  expect(await refused()).toEqual(taken);
  expect((await openPage(fixture, `/book/${slug}`)).text).toContain(`/book/${slug}/new?`);
  const booked = await own.book();
  expect((await openPage(fixture, `/book/${slug}${booked}`)).status).toBe(404);
});

test("a link has at most 10 slugs, and goes back to an earlier one", async () => {
  const link = await createTestLink(fixture);
  const slugs = Array.from({ length: 10 }, anySlug);
  for (const slug of slugs) expect((await nameLink(link, slug)).status).toBe(200);
  const refused = await nameLink(link, anySlug());
  expect(refused.json.error.details[0].code).toBe("too_many_slugs");
  expect((await nameLink(link, slugs[3] ?? "")).json.data.own_slug).toBe(slugs[3]);
});

test("two accounts that ask for one slug at once: one gets it", async () => {
  const links = await Promise.all([createTestLink(fixture), createTestLink(fixture)]);
  const slug = anySlug();
  const answers = await Promise.all(links.map(async (link) => await nameLink(link, slug)));
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400]);
});

test.each([
  ["ab", "slug_length"],
  ["x".repeat(41), "slug_length"],
  ["sonrisa dental", "slug_characters"],
  ["sonrisa--dental", "slug_characters"],
  ["-sonrisa", "slug_characters"],
  ["../admin", "slug_characters"],
  ["clínica", "slug_characters"],
  ["brand", "slug_reserved"],
  ["admin", "slug_reserved"],
  ["abcdefghijklmnopqrstuvwxyz", "slug_reserved"],
])("the slug %s is refused as %s", async (slug, code) => {
  const link = await createTestLink(fixture);
  const answer = await nameLink(link, slug);
  expect([answer.status, answer.json.error.details[0].code]).toEqual([400, code]);
});

test("times are those of the visitor's zone if asked for, with a way back to the company's", async () => {
  const link = await createTestLink(fixture, {
    timeZone: "America/Mexico_City",
    weeklyHours: weekOf([{ from: "09:00", to: "09:30" }]),
  });
  const plain = (await link.get()).text;
  expect(plain).toContain("(Mexico City)");
  expect(plain).toMatch(/>9:00 AM<\/a>/);
  expect(plain).not.toContain("local times.");
  const local = (await link.get("?tz=Asia/Tokyo")).text;
  expect(local).toMatch(/>12:00 AM<\/a>/);
  expect(local).toContain("Show the times of Mexico City");
  expect(local).toMatch(/href="[^"]*tz=America%2FMexico_City"/);
  expect(slotsIn(plain)).toEqual(expect.arrayContaining(slotsIn(local).slice(1)));
  const [slot = ""] = slotsIn(local);
  const form = (await link.get(`/new?service=${link.serviceId}&slot=${slot}&tz=Asia/Tokyo`)).text;
  expect(form).toMatch(/12:00\sAM/);
  expect((await link.get("?tz=Mars/Olympus")).text).toMatch(/>9:00 AM<\/a>/);
  expect((await link.get(`?tz=${encodeURIComponent('"><script>')}`)).status).toBe(200);
});

test("a customer chooses one of several resources, and only one that the link offers", async () => {
  const link = await createTestLink(fixture);
  const { accountId, cookie } = link.account;
  const second = await createResource(fixture, accountId, { resourceName: "Dr. Iván Ruiz" });
  const made = await fixture.api.call("POST", "/dashboard/api/booking-links", {
    cookie,
    body: { title: "Any doctor", service_id: link.serviceId },
  });
  const get = async (query: string) =>
    (await openPage(fixture, `/book/${made.json.data.slug}${query}`)).text;
  expect(await get("")).toContain("With whom?");
  const resourcesOf = (page: string) => new Set(slotsIn(page).map((slot) => slot.split("-")[0]));
  expect(resourcesOf(await get(`?with=${second}`))).toEqual(new Set([String(second)]));
  const stranger = await createTestLink(fixture);
  const other = resourcesOf(await get(`?with=${stranger.resourceId}`));
  expect(other.has(String(stranger.resourceId))).toBe(false);
});

test("the appointment's page has a calendar file without the token, and a map of the address", async () => {
  const link = await createTestLink(fixture, { serviceName: "Limpieza; dental" });
  await setCompany(link, { booking_name: "Sonrisa", booking_address: "Av. Reforma 222\nPiso 4" });
  const booked = await link.book();
  const [path = "", query = ""] = booked.split("?");
  const page = (await link.get(booked)).text;
  expect(page).toContain(`${path}/appointment.ics`);
  expect(page).toContain("https://www.google.com/maps/search/?api=1&amp;query=Sonrisa");
  const file = await link.get(`${path}/appointment.ics?${query}`);
  expect(file.headers.get("content-type")).toBe("text/calendar; charset=utf-8");
  expect(file.headers.get("content-disposition")).toContain("appointment.ics");
  expect(file.text).toContain(String.raw`SUMMARY:Limpieza\; dental\, Sonrisa`);
  expect(file.text).toContain(String.raw`LOCATION:Av. Reforma 222\nPiso 4`);
  expect(file.text).not.toContain(path.split("/")[2]);
  const stranger = await createTestLink(fixture);
  expect((await stranger.get(`${path}/appointment.ics`)).status).toBe(404);
});

test("without a mail server no mail is queued", async () => {
  const link = await createTestLink(fixture);
  await link.book(ana);
  const sql = "SELECT id FROM mails WHERE account_id = ?";
  expect(await fixture.query(sql, [link.account.accountId])).toEqual([]);
});
