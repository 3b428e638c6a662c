import { createServer } from "node:http";
import { eventCatalogue } from "../../core/model/events.ts";
import type { EventType } from "../../core/model/event-types.ts";
import { publish } from "../../core/services/outbox/outbox.ts";
import { createSubscription } from "../../core/services/subscriptions/subscriptions.ts";
import { systemOf, transaction } from "../../db/transaction.ts";
import type { BenchStack } from "./stack.ts";
import { untilArrived } from "./arrivals.ts";

const eventsAtOnce = 100;
/** Due time of deliveries that are held back until `release`. */
const never = "9998-01-01";

/** A receiver with its own address. */
export interface BenchReceiver {
  url: string;
  /** Number of arrivals of each event id, and the time of the last one in `performance.now()`. */
  arrivals: Map<string, { at: number; times: number }>;
  /** Refuses connections until `open`. */
  close(): Promise<void>;
  open(): Promise<void>;
}

/** Starts a receiver that answers 204. With `hangs` it reads each request and never answers. */
export async function startReceiver(
  stack: BenchStack,
  { host = "127.0.0.1", hangs = false } = {},
): Promise<BenchReceiver> {
  const arrivals: BenchReceiver["arrivals"] = new Map();
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      const id = String(request.headers["x-service-event-id"]);
      const times = (arrivals.get(id)?.times ?? 0) + 1;
      arrivals.set(id, { at: performance.now(), times });
      if (!hangs) response.writeHead(204).end();
    });
  });
  let port = 0;
  const open = async () =>
    await new Promise<void>((resolve) => server.listen(port, host, () => resolve()));
  await open();
  const address = server.address();
  port = typeof address === "object" && address !== null ? address.port : 0;
  const close = async () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  };
  stack.onStop(close);
  return { url: `http://${host}:${port}/hook`, arrivals, open, close };
}

/** Subscribes a URL to one event type. */
export async function subscribe(
  { dataSource, secretBox, accountId }: BenchStack,
  url: string,
  type: EventType,
): Promise<void> {
  await transaction(dataSource, systemOf(accountId), (tx) =>
    createSubscription(tx, secretBox, { url, events: [type] }),
  );
}

/** Publishes `count` events of a type and holds their deliveries back until `release`. */
export async function queueEvents(
  { dataSource, accountId }: BenchStack,
  type: EventType,
  count: number,
): Promise<void> {
  for (let done = 0; done < count; done += eventsAtOnce) {
    await transaction(dataSource, systemOf(accountId), async (tx) => {
      const [before] = await tx.manager.query<{ id: number | null }[]>(
        "SELECT MAX(id) AS id FROM outbox",
      );
      const size = Math.min(eventsAtOnce, count - done);
      for (let index = 0; index < size; index += 1)
        await publish(tx, type, eventCatalogue[type].sample);
      await tx.manager.query("UPDATE outbox SET available_at = ? WHERE id > ?", [
        never,
        before?.id ?? 0,
      ]);
    });
  }
}

/** Makes the held deliveries due. @returns the time in `performance.now()` */
export async function release({ dataSource }: BenchStack): Promise<number> {
  await dataSource.query(
    "UPDATE outbox SET available_at = UTC_TIMESTAMP(3) WHERE available_at = ?",
    [never],
  );
  return performance.now();
}

/**
 * Queues deliveries of a type's events for its receivers and releases them.
 * @returns deliveries per second, from the release to the last arrival
 */
export async function drain(
  stack: BenchStack,
  type: EventType,
  receivers: BenchReceiver[],
  deliveries: number,
): Promise<number> {
  for (const { arrivals } of receivers) arrivals.clear();
  const events = Math.ceil(deliveries / receivers.length);
  await queueEvents(stack, type, events);
  const started = await release(stack);
  for (const { arrivals } of receivers) await untilArrived(arrivals, events);
  const moments = receivers.flatMap(({ arrivals }) => [...arrivals.values()].map(({ at }) => at));
  return moments.length / ((Math.max(...moments) - started) / 1_000);
}
