import { createTestSubscription } from "../support/accounts.ts";
import { openFrom } from "../support/appointments.ts";
import type { DashboardFixture } from "../support/dashboard-fixture.ts";
import { xssPayloads } from "../support/xss-payloads.ts";
import { createTestEndpoint } from "../api/inbound/inbound-fixture.ts";

/** A text field, the way in, and the pages that show it. */
export interface TextPlace {
  name: string;
  payloads: readonly string[];
  /** Writes every payload. @returns the pages that show all of them as text. */
  write: (fixture: DashboardFixture, payloads: readonly string[]) => Promise<ShowingPage[]>;
}

/** A page, and what is pressed on it until all of it has been seen. */
export interface ShowingPage {
  path: string;
  more?: string;
  /** Whether it shows but some of them: those that fit. */
  some?: boolean;
  /** Name of the buttons that unfold a part each. */
  folded?: RegExp;
}

/** Names of a kind differ by more than their case. */
const distinct = [...new Map(xssPayloads.map((text) => [text.toLowerCase(), text])).values()];
/** Tags have at most 50 characters. */
const short = distinct.filter(({ length }) => length <= 50);

/** A call of the account's admin that must succeed. @returns what it made. */
export async function call(fixture: DashboardFixture, method: string, path: string, body: object) {
  const answer = await fixture.call(method, path, body);
  if (answer.status >= 300) throw new Error(`${path} answered ${answer.status}: ${answer.text}`);
  return answer.json.data;
}

const write = async (fixture: DashboardFixture, message: object) =>
  await call(fixture, "POST", "/sandbox/messages", { channel: "web", text: "Hello", ...message });

async function startConversation(fixture: DashboardFixture, from: string) {
  const { conversation_id, contact_id } = await write(fixture, { from, name: "Ana" });
  return { thread: `/inbox/${conversation_id}?view=all`, conversation_id, contact_id };
}

async function callV1(fixture: DashboardFixture, path: string, body: object): Promise<void> {
  const { apiKey } = fixture.account;
  const answer = await fixture.api.call("POST", `/api/v1${path}`, { apiKey, body });
  if (answer.status >= 300) throw new Error(`${path} answered ${answer.status}: ${answer.text}`);
}

/** Some at a time: writing takes most of the test's time. */
async function writeAll(
  payloads: readonly string[],
  work: (text: string, index: number) => Promise<unknown>,
): Promise<void> {
  const entries = [...payloads.entries()];
  while (entries.length > 0) {
    await Promise.all(entries.splice(0, 8).map(async ([index, text]) => await work(text, index)));
  }
}

/** Every text that somebody else can put on a page, and every way in. */
export const textPlaces: TextPlace[] = [
  {
    name: "what a customer writes",
    payloads: xssPayloads,
    write: async (fixture, payloads) => {
      const { thread, contact_id } = await startConversation(fixture, "writer");
      for (const text of payloads) await write(fixture, { from: "writer", text });
      return [
        { path: thread, more: "Show older messages" },
        { path: `/contacts/${contact_id}`, more: "Show older events" },
        { path: "/inbox?view=all", some: true },
      ];
    },
  },
  {
    name: "a customer's name and id on the channel",
    payloads: xssPayloads,
    write: async (fixture, payloads) => {
      const cards: ShowingPage[] = [];
      const board = { name: "Sales", stages: ["New", "Won"], default: true };
      const { id } = await call(fixture, "POST", "/pipelines", board);
      for (const [index, name] of payloads.entries()) {
        const { contact_id } = await write(fixture, { from: name, name });
        if (index % 12 === 0) cards.push({ path: `/contacts/${contact_id}`, some: true });
      }
      return [
        { path: "/contacts", more: "Next" },
        { path: "/inbox?view=all" },
        { path: `/pipelines/${id}`, some: true },
        ...cards,
      ];
    },
  },
  {
    name: "a contact's name, by the API",
    payloads: xssPayloads,
    write: async (fixture, payloads) => {
      await writeAll(payloads, async (name, index) => {
        await callV1(fixture, "/contacts", { email: `api-${index}@example.com`, name });
      });
      return [{ path: "/contacts?search=api-", more: "Next" }];
    },
  },
  {
    name: "a message, by the API",
    payloads: xssPayloads,
    write: async (fixture, payloads) => {
      const { thread, conversation_id } = await startConversation(fixture, "reader");
      for (const content of payloads) {
        await callV1(fixture, `/conversations/${conversation_id}/messages`, { content });
      }
      return [{ path: thread, more: "Show older messages" }];
    },
  },
  {
    name: "why the agent was paused, by the API",
    payloads: xssPayloads.slice(0, 20),
    write: async (fixture, payloads) => {
      const { thread, conversation_id, contact_id } = await startConversation(fixture, "paused");
      for (const reason of payloads) {
        const path = `/conversations/${conversation_id}/bot`;
        await callV1(fixture, path, { enabled: true });
        await callV1(fixture, path, { enabled: false, reason });
      }
      return [{ path: thread }, { path: `/contacts/${contact_id}`, more: "Show older events" }];
    },
  },
  {
    name: "a name and tags, by an inbound webhook",
    payloads: short,
    write: async (fixture, payloads) => {
      const inbound = await createTestEndpoint(fixture, { account: fixture.account });
      const phone = "34600000001";
      for (const text of payloads) {
        await inbound.act("contact.upsert", { phone, name: text });
        const { status } = await inbound.act("contact.tag.add", { phone, tag: text });
        if (status >= 300) throw new Error(`The tag was answered ${status}.`);
      }
      const [contact] = (await fixture.call("GET", `/contacts?search=${phone}`)).json.data;
      return [
        { path: `/contacts/${contact.id}` },
        { path: `/contacts?search=${phone}`, some: true },
      ];
    },
  },
  {
    name: "notes",
    payloads: xssPayloads,
    write: async (fixture, payloads) => {
      const { thread, conversation_id } = await startConversation(fixture, "noted");
      for (const text of payloads) {
        await call(fixture, "POST", `/conversations/${conversation_id}/notes`, { text });
      }
      return [{ path: thread }];
    },
  },
  {
    name: "stages of a pipeline",
    payloads: distinct.slice(0, 30),
    write: async (fixture, payloads) => {
      const { contact_id, thread } = await startConversation(fixture, "staged");
      const name = payloads[0] ?? "";
      const board = await call(fixture, "POST", "/pipelines", { name, stages: payloads });
      for (const { id } of board.stages) {
        await call(fixture, "POST", `/contacts/${contact_id}/stage`, { stage_id: id });
      }
      return [
        { path: `/pipelines/${board.id}` },
        { path: `/contacts/${contact_id}`, more: "Show older events" },
        { path: thread },
      ];
    },
  },
  {
    name: "appointments with their titles and agendas",
    payloads: xssPayloads.slice(0, 30),
    write: async (fixture, payloads) => {
      const { contact_id } = await startConversation(fixture, "booked");
      for (const [index, title] of payloads.entries()) {
        const weekly_hours = openFrom("00:00", "24:00");
        const resource = await call(fixture, "POST", "/resources", { name: title, weekly_hours });
        const start_time = new Date(Date.UTC(2031, 0, 1 + index)).toISOString();
        const booking = { contact_id, title, resource_id: resource.id, duration_minutes: 30 };
        await call(fixture, "POST", "/appointments", { ...booking, start_time });
      }
      return [
        { path: `/contacts/${contact_id}`, more: "Next" },
        { path: `/contacts/${contact_id}`, more: "Show older events" },
      ];
    },
  },
  {
    name: "API keys",
    payloads: xssPayloads,
    write: async (fixture, payloads) => {
      await writeAll(payloads, async (name) => {
        await call(fixture, "POST", "/api-keys", { name, scopes: ["contacts:read"] });
      });
      return [{ path: "/api-keys", more: "Next" }];
    },
  },
  {
    name: "people who are invited",
    payloads: xssPayloads,
    write: async (fixture, payloads) => {
      await writeAll(payloads, async (name, index) => {
        const email = `invited-${index}@example.com`;
        await call(fixture, "POST", "/invitations", { email, name, role: "agent" });
      });
      return [{ path: "/settings/users", more: "Next" }];
    },
  },
  {
    name: "filters that are kept",
    payloads: distinct.filter(({ length }) => length <= 60).slice(0, 20),
    write: async (fixture, payloads) => {
      for (const name of payloads) {
        await call(fixture, "POST", "/me/contact-filters", { name, search: name });
      }
      return [{ path: "/contacts" }];
    },
  },
  {
    name: "subscriptions, and what receivers answer",
    payloads: xssPayloads,
    write: async (fixture, payloads) => {
      const { dataSource } = fixture.database;
      const { accountId } = fixture.account;
      const url = "https://hooks.example.com/parley";
      const { id } = await createTestSubscription(dataSource, accountId, { url });
      const name = payloads.slice(0, 3).join(" ");
      await call(fixture, "PATCH", `/subscriptions/${id}`, { name });
      await call(fixture, "POST", "/contacts", { email: "told@example.com" });
      const [delivery] = (await fixture.call("GET", `/deliveries?subscription_id=${id}`)).json.data;
      for (const [index, text] of payloads.entries()) {
        await dataSource.query(
          `INSERT INTO delivery_attempts SET account_id = ?, delivery_id = ?, run = 1, seq = ?, number = 1,
             started_at = NOW(), duration_ms = 5, status_code = 500, request_url = ?, response_headers = ?,
             response_excerpt = ?`,
          [accountId, delivery.id, index + 1, url, JSON.stringify({ server: text }), text],
        );
      }
      // One that waits after a failure is among the faults of the system.
      await dataSource.query(
        "UPDATE deliveries SET state = 'waiting', attempts_made = 1 WHERE id = ?",
        [delivery.id],
      );
      return [
        { path: `/webhooks/${id}?delivery=${delivery.id}`, folded: /^Attempt \d/ },
        { path: "/webhooks", some: true },
        { path: "/system", some: true },
      ];
    },
  },
];
