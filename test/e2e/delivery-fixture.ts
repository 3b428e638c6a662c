import type { Client } from "@temporalio/client";
import { Client as TemporalClient } from "@temporalio/client";
import type { CalendarPorts } from "../../activities/calendars/port.ts";
import { eventCatalogue } from "../../core/model/events.ts";
import type { EventType } from "../../core/model/event-types.ts";
import { publish, type PublishedEvent } from "../../core/services/outbox/outbox.ts";
import { asSystem, createTestAccount, type TestAccount } from "../support/accounts.ts";
import { startTestApi, type TestAnswer, type TestApi } from "../support/api.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { startSink, type Posted, type Sink } from "../support/sink.ts";
import {
  createNamespace,
  linkTemporal,
  startTestWorker,
  type TestWorker,
} from "../support/worker.ts";

/** Everything that a delivery passes on its way, and an account that may use it. */
export interface DeliveryFixture {
  database: TestDatabase;
  api: TestApi;
  worker: TestWorker;
  sink: Sink;
  account: TestAccount;
  namespace: string;
  /** A client of our own, to look at what operators see. */
  temporal: Client;
  stop(): Promise<void>;
}

/** Waits between attempts that a test can sit through. */
export const shortWaits = [200, 200, 200, 200, 200, 200];

/** Starts one for a test file. */
export async function startDeliveryFixture(
  waitsMs: readonly number[] = shortWaits,
  given: { calendarPorts?: CalendarPorts } = {},
): Promise<DeliveryFixture> {
  const database = await createTestDatabase();
  const namespace = await createNamespace();
  const [api, worker, sink, account, link] = await Promise.all([
    startTestApi(database),
    startTestWorker(database, namespace, { waitsMs, ...given }),
    startSink(),
    createTestAccount(database.dataSource),
    linkTemporal(namespace),
  ]);
  return {
    database,
    api,
    worker,
    sink,
    account,
    namespace,
    temporal: new TemporalClient({ connection: link.connection, namespace }),
    async stop() {
      await worker.stop();
      await link.connection.close();
      await api.stop();
      await sink.stop();
      await database.stop();
    },
  };
}

/** One call of the Dashboard. */
export async function dashboard(
  { api, account }: DeliveryFixture,
  method: string,
  path: string,
  body?: unknown,
): Promise<TestAnswer> {
  return await api.call(method, `/dashboard/api${path}`, { cookie: account.cookie, body });
}

/** Adds a subscription through the Dashboard. @returns its id and secret. */
export async function subscribe(
  fixture: DeliveryFixture,
  path: string,
  given: { events?: string[]; channels?: string[] | null } = {},
): Promise<{ id: number; secret: string }> {
  const answer = await dashboard(fixture, "POST", "/subscriptions", {
    url: `${fixture.sink.url}${path}`,
    events: ["contact.created"],
    channels: null,
    ...given,
  });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.json.data;
}

let count = 0;

/** Makes a contact through the API, which publishes `contact.created`. @returns its id. */
export async function createContact(
  { api, account }: DeliveryFixture,
  given: { name?: string; phone?: string; email?: string } = {},
): Promise<number> {
  const phone = `52155${String(10_000_000 + (count += 1))}`;
  const body = { phone, name: "Ana", ...given };
  const answer = await api.call("POST", "/api/v1/contacts", { apiKey: account.apiKey, body });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.json.data.id;
}

/** Publishes the catalogue's sample of an event, as the service that owns it would. */
export async function publishSample(
  fixture: DeliveryFixture,
  type: EventType,
): Promise<PublishedEvent> {
  const { dataSource } = fixture.database;
  return await asSystem(dataSource, fixture.account.accountId, (tx) =>
    publish(tx, type, eventCatalogue[type].sample),
  );
}

/** What arrived at one path. */
export function postsTo({ sink }: DeliveryFixture, path: string): Posted[] {
  return sink.posts.filter((post) => post.path === path);
}

/** The deliveries of a subscription, newest first, as the Dashboard shows them. */
export async function deliveriesOf(fixture: DeliveryFixture, subscriptionId: number) {
  const path = `/deliveries?subscription_id=${subscriptionId}`;
  return (await dashboard(fixture, "GET", path)).json.data;
}

/** Every text and every byte of a message, payloads as they are. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (value instanceof Uint8Array) return [Buffer.from(value).toString("latin1")];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [name, ...textsIn(member)]);
}

/** Everything that Temporal keeps of a run. */
export async function keptOf(
  { temporal }: DeliveryFixture,
  workflowId: string,
  runId?: string,
): Promise<string[]> {
  const handle = temporal.workflow.getHandle(workflowId, runId);
  const { raw } = await handle.describe();
  return textsIn([raw, await handle.fetchHistory()]);
}

/** Everything that Temporal keeps of every run there is. */
export async function keptOfAll(fixture: DeliveryFixture): Promise<string[]> {
  const kept: string[] = [];
  for await (const run of fixture.temporal.workflow.list()) {
    kept.push(...(await keptOf(fixture, run.workflowId, run.runId)));
  }
  return kept;
}
