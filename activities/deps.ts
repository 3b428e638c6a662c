import type { DataSource } from "typeorm";
import type { Logger } from "../core/log.ts";
import type { SecretBox } from "../core/secrets.ts";
import type { CalendarPorts } from "./calendars/port.ts";
import type { Poster } from "./http/post.ts";
import type { HostLimiter } from "./limits/host-limiter.ts";
import type { Mailer } from "./mail/mailer.ts";
import type { WorkerMetrics } from "./metrics.ts";
import type { ReadRunStates } from "./run-state.ts";

/** Dependencies of the activities, created once by the worker process or by a test. */
export interface ActivityDeps {
  dataSource: DataSource;
  secretBox: SecretBox;
  poster: Poster;
  log: Logger;
  metrics: WorkerMetrics;
  hostLimiter: HostLimiter;
  calendarPorts: CalendarPorts;
  /** Undefined if no mail server is set up. */
  mailer?: Mailer | undefined;
  /** Random share of a wait that is added to it, 0 to 0.1. */
  retryJitter: number;
  /** Reads the states of runs in Temporal, which activities cannot see otherwise. */
  runStates: ReadRunStates;
  /** Aborted once this process stops. A purge, the one long step, ends then. */
  stopping: AbortSignal;
}
