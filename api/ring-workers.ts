import type { DataSource } from "typeorm";
import type { SocketAddress } from "../core/doorbell/address.ts";
import { createRinger } from "../core/doorbell/ringer.ts";
import type { SecretBox } from "../core/secrets.ts";
import { listDoorbells } from "../core/services/operations/heartbeats.ts";
import {
  oneStatement,
  onCommittedChannelWork,
  onCommittedOutboxRows,
  systemOf,
} from "../db/transaction.ts";
import type { ApiMetrics } from "./metrics.ts";

/** A third of the time for which a worker remembers a greeting. */
const greetMs = 5_000;

/** Dependencies of the rings. */
export interface RingDeps {
  config: { doorbellListen: SocketAddress | null };
  dataSource: DataSource;
  secretBox: SecretBox;
  metrics: Pick<ApiMetrics, "rings">;
}

/**
 * Rings the workers after each commit of this process that has written outbox rows, or webhooks of a
 * channel. No request waits for a ring, and a ring that is lost costs time alone: workers poll besides.
 * @returns the end of the rings
 */
export function startRinging({ config, dataSource, secretBox, metrics }: RingDeps): () => void {
  if (config.doorbellListen === null) return () => undefined;
  const ringer = createRinger({ secretBox, count: (result) => metrics.rings.inc({ result }) });
  let isReading = false;
  const greet = async (): Promise<void> => {
    if (isReading) return;
    isReading = true;
    try {
      ringer.setWorkers(await oneStatement(dataSource, systemOf(), listDoorbells));
      ringer.greet();
    } catch {
      // Without the database there is no commit either.
    } finally {
      isReading = false;
    }
  };
  void greet();
  const timer = setInterval(() => void greet(), greetMs);
  const stops = [
    onCommittedOutboxRows(dataSource, () => ringer.ring("ring")),
    onCommittedChannelWork(dataSource, () => ringer.ring("channels")),
  ];
  return () => {
    clearInterval(timer);
    for (const stop of stops) stop();
    ringer.close();
  };
}
