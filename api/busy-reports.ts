import { randomUUID } from "node:crypto";
import type { DataSource } from "typeorm";
import { reportBusy } from "../core/services/operations/busy-processes.ts";

/** Fewer requests than this in a second leave room for the batches of imports. */
const busyRequests = 5;
const reportMs = 1_000;

/** Requests that a process has answered since the last look. */
export interface RequestCount {
  add(): void;
  /** Returns the count, and begins at 0. */
  take(): number;
}

/** Creates the count of a process. */
export function createRequestCount(): RequestCount {
  let count = 0;
  return {
    add() {
      count += 1;
    },
    take() {
      const taken = count;
      count = 0;
      return taken;
    },
  };
}

/** Reports once a second that this process is busy, while it is. @returns the end of the reports */
export function startBusyReports({ manager }: DataSource, requests: RequestCount): () => void {
  const processId = randomUUID();
  const timer = setInterval(() => {
    if (requests.take() < busyRequests) return;
    // Without the database there is no import either.
    reportBusy(manager, processId).catch(() => undefined);
  }, reportMs);
  return () => clearInterval(timer);
}
