import { z } from "zod";
import { eventTypes } from "../event-types.ts";
import { recordId, timestamp } from "../wire.ts";

const count = z.int().min(0);
/** A count of outbox rows. Null where a second is not enough to count them. */
const figure = count.nullable();

/** A delivery of the account whose last attempt failed. */
export const faultView = z.strictObject({
  delivery_id: recordId,
  subscription_id: recordId,
  subscription_name: z.string().nullable().describe("Null: the subscription is deleted."),
  event_type: z.enum(eventTypes),
  state: z.enum(["waiting", "discarded"]),
  attempts_made: count,
  status_code: z.int().nullable(),
  error_class: z.string().nullable(),
  workflow_url: z.string().nullable(),
  updated_at: timestamp,
});

/** A worker process, without the name of its machine. */
export const workerView = z.strictObject({
  version: z.string(),
  temporal_reachable: z.boolean(),
  started_at: timestamp,
  seen_at: timestamp,
});

/** State of the installation, and of the account in it. */
export const systemView = z.strictObject({
  outbox: z.strictObject({
    rows: figure.describe("Of all accounts: what Temporal has yet to be told."),
    oldest_seconds: z.number().min(0).nullable(),
    parked: figure.describe("Of all accounts: what Temporal refused for good."),
    own_rows: figure,
    own_parked: figure,
  }),
  deliveries: z.strictObject({ queued: count, sending: count, waiting: count, held: count }),
  faults: z.array(faultView).describe("The account's own, what changed last first; 10 at most."),
  workers: z.array(workerView).describe("Seen in the last 20 seconds."),
  last_worker_seen_at: timestamp.nullable(),
  temporal: z.enum(["reached", "away", "unknown"]).describe("Unknown: no worker is there to say."),
  versions: z.strictObject({
    parley: z.string(),
    node: z.string(),
    mysql: z.string(),
    temporal: z.string().nullable(),
    temporal_sdk: z.string(),
  }),
  temporal_ui_url: z.string().nullable(),
});
