import { setTimeout as sleep } from "node:timers/promises";
import { randomBytes } from "node:crypto";
import { weekdays, type WeeklyHours } from "../../../core/model/schedule.ts";
import { expect } from "vitest";
import { createTestAccount, type TestAccount } from "../../support/accounts.ts";
import type { TestAnswer } from "../../support/api.ts";
import { insertRow, type ApiFixture } from "../api-fixture.ts";

/** The same hours on every day. */
export function weekOf(ranges: WeeklyHours["monday"]): WeeklyHours {
  return Object.fromEntries(weekdays.map((day) => [day, ranges])) as WeeklyHours;
}

/** What customers of tests type. */
export const ana = { name: "Ana Torres", phone: "+52 1 55 1234 5678", email: "Ana@Example.com" };

/** An account whose one resource gives one service, with a link to book it. */
export interface TestLink {
  account: TestAccount;
  resourceId: number;
  serviceId: number;
  linkId: number;
  slug: string;
  /** Loads a page below `/book/:slug`, as somebody nobody has seen before unless `ip` says who. */
  get: (below?: string, headers?: Record<string, string>) => Promise<TestAnswer>;
  /** Sends a form. */
  post: (
    below: string,
    fields: Record<string, string>,
    headers?: Record<string, string>,
  ) => Promise<TestAnswer>;
  /** The times on the first page, as `slot` parameters. */
  slots: () => Promise<string[]>;
  /** A form as the page gives it: its hidden fields. */
  form: (slot: string) => Promise<Record<string, string>>;
  /** Books the first free time. @returns the path of the appointment's page, below the link. */
  book: (who?: Record<string, string>) => Promise<string>;
  appointments: () => Promise<Record<string, unknown>[]>;
  contacts: () => Promise<Record<string, unknown>[]>;
  /** Types of the events that the account published, in order. */
  events: () => Promise<string[]>;
}

interface Given {
  title?: string;
  resourceName?: string;
  serviceName?: string;
  timeZone?: string;
  weeklyHours?: WeeklyHours;
}

/** The servers that a link needs. */
type Servers = Pick<ApiFixture, "database" | "api" | "query">;

/** Makes a link in an account of its own. */
export async function createTestLink(fixture: Servers, given: Given = {}): Promise<TestLink> {
  const account = await createTestAccount(fixture.database.dataSource);
  const resourceId = await createResource(fixture, account.accountId, given);
  const serviceId = await createService(fixture, account.accountId, given.serviceName);
  const made = await fixture.api.call("POST", "/dashboard/api/booking-links", {
    cookie: account.cookie,
    body: { title: given.title ?? "Clínica Peña", resource_id: resourceId },
  });
  const { id: linkId, slug } = made.json.data;
  const ids = { account, resourceId, serviceId, linkId, slug };
  return { ...ids, ...visitor(fixture, slug, serviceId), ...witness(fixture, account.accountId) };
}

/** Adds a resource. @returns its id. */
export async function createResource(
  fixture: Servers,
  accountId: number,
  {
    resourceName = "Dr. Lucía Peña",
    timeZone = "UTC",
    weeklyHours = weekOf([{ from: "00:00", to: "24:00" }]),
  }: Given = {},
): Promise<number> {
  return await insertRow(fixture, "resources", {
    account_id: accountId,
    name: resourceName,
    time_zone: timeZone,
    weekly_hours: JSON.stringify(weeklyHours),
  });
}

/** Adds a service of half an hour that every resource gives. @returns its id. */
export async function createService(
  fixture: Servers,
  accountId: number,
  name = "First visit",
): Promise<number> {
  return await insertRow(fixture, "services", {
    account_id: accountId,
    name,
    duration_minutes: 30,
  });
}

const halfHourMs = 1_800_000;
const longestTestMs = 10_000;

/** The first time is offered until the next half hour, so a test does not begin right before it. */
async function passTurn(): Promise<void> {
  const leftMs = halfHourMs - (Date.now() % halfHourMs);
  if (leftMs < longestTestMs) await sleep(leftMs);
}

function visitor(fixture: Servers, slug: string, serviceId: number) {
  const get: TestLink["get"] = async (below = "", headers = {}) =>
    await openPage(fixture, `/book/${slug}${below}`, headers);
  const post: TestLink["post"] = async (below, fields, headers = {}) => {
    const answer = await fixture.api.call("POST", `/book/${slug}${below}`, {
      headers: {
        "x-forwarded-for": anyIp(),
        "content-type": "application/x-www-form-urlencoded",
        ...headers,
      },
      body: new URLSearchParams(fields).toString(),
    });
    return { ...answer, text: tidy(answer.text) };
  };
  const slots = async () => {
    await passTurn();
    return slotsIn((await get()).text);
  };
  const form = async (slot: string) =>
    hiddenIn((await get(`/new?service=${serviceId}&slot=${slot}`)).text);
  return {
    get,
    post,
    slots,
    form,
    book: async (who: Record<string, string> = ana) => {
      const [slot = ""] = await slots();
      const { status, headers } = await post("/new", { ...(await form(slot)), ...who });
      expect(status).toBe(303);
      return headers.get("location")?.replace(`/book/${slug}`, "") ?? "";
    },
  };
}

function witness(fixture: Servers, accountId: number) {
  return {
    appointments: async () =>
      await fixture.query(
        `SELECT id, resource_id, service_id, status, title, customer_name, customer_phone, source
           FROM appointments WHERE account_id = ? ORDER BY id`,
        [accountId],
      ),
    contacts: async () =>
      await fixture.query(
        "SELECT name, phone, email FROM contacts WHERE account_id = ? ORDER BY id",
        [accountId],
      ),
    events: async () => {
      const sql = "SELECT type FROM events WHERE account_id = ? ORDER BY id";
      return (await fixture.query<{ type: string }>(sql, [accountId])).map(({ type }) => type);
    },
  };
}

/** Loads a page, as somebody nobody has seen before unless a header says who. */
export async function openPage(
  fixture: Servers,
  path: string,
  headers: Record<string, string> = {},
): Promise<TestAnswer> {
  const answer = await fixture.api.call("GET", path, {
    headers: { "x-forwarded-for": anyIp(), ...headers },
  });
  return { ...answer, text: tidy(answer.text) };
}

/** Markup without the white space that nobody sees. */
function tidy(markup: string): string {
  return markup
    .replaceAll(/\s+/g, " ")
    .replaceAll(/ ?\/?>/g, ">")
    .replaceAll("> ", ">")
    .replaceAll(" <", "<");
}

/** An address that was never counted. */
export function anyIp(): string {
  return `10.${[...randomBytes(3)].join(".")}`;
}

/** The times that a page links to. */
export function slotsIn(page: string): string[] {
  return [...page.matchAll(/href="[^"]*[?;&]slot=([^"&]+)/g)].map(([, slot = ""]) => slot);
}

/** Times offered in the form in the stead of one that is taken. */
export function choicesIn(page: string): string[] {
  const radios = page.matchAll(/<input type="radio" name="slot" value="([^"]+)"/g);
  return [...radios].map(([, slot = ""]) => slot);
}

/** The hidden fields of a page's form. */
export function hiddenIn(page: string): Record<string, string> {
  const fields = page.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g);
  return Object.fromEntries([...fields].map(([, name = "", value = ""]) => [name, value]));
}

/** What is shown in an input of a page, as it stands in the markup. */
export function shownIn(page: string, field: string): string | undefined {
  return new RegExp(`<input id="${field}" name="${field}" value="([^"]*)"`).exec(page)?.[1];
}

/** The heading of a page. */
export function headingOf(page: string): string | undefined {
  return /<h1>(.*?)<\/h1>/.exec(page)?.[1];
}

/** A link of a page as a path below `/book/:slug`. */
export function pathIn(href: string): string {
  return href.replaceAll("&amp;", "&").replace(/^\/book\/[^/?]*/, "");
}

/** A page without the one script that it may have. */
export function withoutOwnScript(page: string): string {
  return page.replace('<script type="module" src="/book/page.js"></script>', "");
}
