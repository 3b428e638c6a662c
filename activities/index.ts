import type { DataSource } from "typeorm";
import type { Logger } from "../core/log.ts";
import type { SecretBox } from "../core/secrets.ts";
import { createAttemptDelivery } from "./attempt-delivery.ts";
import { createCalendarEvents } from "./calendar-events.ts";
import type { CalendarPorts } from "./calendars/port.ts";
import { createEndDelivery } from "./end-delivery.ts";
import { createEraseContact } from "./erase-contact.ts";
import { createHandoff } from "./handoff.ts";
import { createHoldDeliveries } from "./hold-deliveries.ts";
import type { Poster } from "./http/post.ts";
import type { Mailer } from "./mail/mailer.ts";
import type { WorkerMetrics } from "./metrics.ts";
import { createPurge } from "./purge.ts";
import { createReconcile } from "./reconcile.ts";
import { createRecoverRuns } from "./recover-runs.ts";
import type { ReadRunStates } from "./run-state.ts";
import { createReminders } from "./reminders.ts";
import { createReschedule } from "./reschedule.ts";
import { createReseal } from "./reseal.ts";
import { createReplayDeliveries } from "./replay-deliveries.ts";
import type { HostLimiter } from "./limits/host-limiter.ts";
import { createSendMail } from "./send-mail.ts";
import { createSendMessage } from "./send-message.ts";

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

/** Every activity by name. Workflows import only this type. */
export type Activities = ReturnType<typeof createActivities>;

/** Creates the activities of a worker process. */
export function createActivities(deps: ActivityDeps) {
  return {
    attemptDelivery: createAttemptDelivery(deps),
    ...createEndDelivery(deps),
    ...createHoldDeliveries(deps),
    ...createReplayDeliveries(deps),
    ...createSendMessage(deps),
    ...createSendMail(deps),
    ...createHandoff(deps),
    ...createReminders(deps),
    ...createCalendarEvents(deps),
    ...createReschedule(deps),
    ...createEraseContact(deps),
    ...createPurge(deps),
    ...createReconcile(deps),
    ...createRecoverRuns(deps),
    ...createReseal(deps),
  };
}
