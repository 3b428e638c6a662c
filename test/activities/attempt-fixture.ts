import { v7 as uuidv7 } from "uuid";
import { createPoster, type Poster } from "../../activities/http/post.ts";
import { createHostLimiter } from "../../activities/limits/host-limiter.ts";
import { createSendPace } from "../../activities/limits/send-pace.ts";
import type { Activities } from "../../activities/index.ts";
import type { ActivityDeps } from "../../activities/deps.ts";
import { createWorkerMetrics, type WorkerMetrics } from "../../activities/metrics.ts";
import { createLog } from "../../core/log.ts";
import { createRegistry } from "../../core/metrics.ts";
import { eventCatalogue } from "../../core/model/events.ts";
import {
  deliveryWorkflowId,
  retryWaitsMs,
  type AttemptInput,
} from "../../core/model/workflow/delivery.ts";
import { publish } from "../../core/services/outbox/outbox.ts";
import { uuidToBytes } from "../../db/entities/columns.ts";
import {
  asSystem,
  createTestAccount,
  createTestSubscription,
  testSecretBox,
  type TestAccount,
} from "../support/accounts.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { startSink, type Sink } from "../support/sink.ts";
import { createTestActivities, noServices } from "../support/activity-deps.ts";

/** What attempts are made of, without Temporal: activities on a real database, and a receiver. */
export interface AttemptFixture {
  database: TestDatabase;
  account: TestAccount;
  sink: Sink;
  activities: Activities;
  /** What they are made of. */
  deps: ActivityDeps;
  stop(): Promise<void>;
}

/** Makes a bench for one test file. */
export async function createAttemptFixture(
  metrics = createWorkerMetrics(createRegistry()),
): Promise<AttemptFixture> {
  const database = await createTestDatabase();
  const account = await createTestAccount(database.dataSource);
  const sink = await startSink();
  const poster = createPoster({ policy: { allowPrivate: true, ownHosts: [] } });
  const deps = depsOn(database, poster, metrics);
  return {
    database,
    account,
    sink,
    activities: createTestActivities(deps),
    deps,
    async stop() {
      await poster.close();
      await sink.stop();
      await database.stop();
    },
  };
}

function depsOn(
  { dataSource }: TestDatabase,
  poster: Poster,
  metrics: WorkerMetrics,
): ActivityDeps {
  return {
    dataSource,
    secretBox: testSecretBox,
    poster,
    log: createLog("test", "silent"),
    metrics,
    hostLimiter: createHostLimiter(),
    sendPace: createSendPace(),
    ...noServices,
    retryJitter: 0,
    // There is no Temporal here.
    runStates: async () => await Promise.resolve(new Map()),
    stopping: new AbortController().signal,
  };
}

/** A queued delivery to a subscription of its own. */
export interface Queued {
  deliveryId: number;
  eventId: string;
  subscriptionId: number;
  secret: string;
  /** Makes attempt `seq` of the first run; the number is the same unless given. */
  attempt(step: Partial<AttemptInput> & { seq: number }): ReturnType<Activities["attemptDelivery"]>;
  /** The end of a run. */
  run: { accountId: number; deliveryId: number; run: number };
}

/** Publishes a sample event to a new subscription; a sink that failed before answers 204 again. */
export async function queueDelivery(
  { database, account, sink, activities }: AttemptFixture,
  { url = `${sink.url}/hook/${uuidv7()}`, body = null as Buffer | null } = {},
): Promise<Queued> {
  const { dataSource } = database;
  const { accountId } = account;
  sink.posts.length = 0;
  sink.answer = (_, response) => void response.writeHead(204).end();
  // An account has twenty subscriptions at most: those of the tests before make room.
  await dataSource.query("UPDATE subscriptions SET account_id = 0 WHERE account_id = ?", [
    accountId,
  ]);
  const { id, secret } = await createTestSubscription(dataSource, accountId, { url });
  const { eventId, deliveryIds } = await asSystem(dataSource, accountId, async (tx) => {
    return await publish(tx, "contact.created", eventCatalogue["contact.created"].sample, {
      subscriptionId: id,
    });
  });
  const deliveryId = deliveryIds[0] ?? 0;
  if (body !== null) {
    await dataSource.query("UPDATE events SET body = ? WHERE id = ?", [body, uuidToBytes(eventId)]);
  }
  const run = { accountId, deliveryId, run: 1 };
  return {
    deliveryId,
    eventId,
    subscriptionId: id,
    secret,
    run,
    attempt: (step) =>
      activities.attemptDelivery({
        ...run,
        waitsMs: [...retryWaitsMs],
        number: step.seq,
        manual: false,
        ...step,
      }),
  };
}

/** Another event to the subscription of `queued`, as a second delivery would come. */
export async function queueAnother(fixture: AttemptFixture, queued: Queued): Promise<Queued> {
  const { dataSource } = fixture.database;
  const next = await queueDelivery(fixture);
  await dataSource.query(
    "UPDATE deliveries SET subscription_id = ?, workflow_id = ? WHERE id = ?",
    [
      queued.subscriptionId,
      deliveryWorkflowId(next.eventId, queued.subscriptionId, 1),
      next.deliveryId,
    ],
  );
  return { ...next, subscriptionId: queued.subscriptionId, secret: queued.secret };
}

/** The sink answers like this from now on. */
export function answerWith(sink: Sink, status: number, headers: Record<string, string> = {}): void {
  sink.answer = (_, response) => void response.writeHead(status, headers).end();
}

/** One row of a query. */
export async function readRow<Row = Record<string, unknown>>(
  { database }: AttemptFixture,
  sql: string,
  values: unknown[] = [],
): Promise<Row | undefined> {
  const rows = await database.dataSource.query<Row[]>(sql, values);
  return rows[0];
}

/** The delivery's columns that tell how it stands. */
export async function readDelivery(fixture: AttemptFixture, { deliveryId }: Queued) {
  return await readRow<{
    state: string;
    reason: string | null;
    attempts_made: number;
    next_attempt_at: Date | null;
    discard_at: Date | null;
    finished_at: Date | null;
    last_status_code: number | null;
    last_error_class: string | null;
  }>(
    fixture,
    `SELECT state, reason, attempts_made, next_attempt_at, discard_at, finished_at, last_status_code,
            last_error_class FROM deliveries WHERE id = ?`,
    [deliveryId],
  );
}

/** The attempts of a delivery, in their order. */
export async function readAttempts({ database }: AttemptFixture, { deliveryId }: Queued) {
  return await database.dataSource.query<
    {
      seq: number;
      number: number;
      manual: number;
      posts: number;
      duration_ms: number | null;
      status_code: number | null;
      error_class: string | null;
      request_url: string;
      request_headers: Record<string, string> | null;
      response_headers: Record<string, string> | null;
      response_excerpt: string | null;
      ip: string | null;
    }[]
  >("SELECT * FROM delivery_attempts WHERE delivery_id = ? ORDER BY run, seq", [deliveryId]);
}

/** The notifications of one subscription. */
export async function readNotifications({ database }: AttemptFixture, { subscriptionId }: Queued) {
  return await database.dataSource.query<
    { kind: string; params: Record<string, unknown>; dedupe_key: string; delivery_id: number }[]
  >(
    "SELECT kind, params, dedupe_key, delivery_id FROM notifications WHERE subscription_id = ? ORDER BY id",
    [subscriptionId],
  );
}
