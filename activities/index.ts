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

/** What activities are made of, put together once by the worker process or by a test. */
export interface ActivityDeps {
  dataSource: DataSource;
  secretBox: SecretBox;
  poster: Poster;
  log: Logger;
  metrics: WorkerMetrics;
  hostLimiter: HostLimiter;
  calendarPorts: CalendarPorts;
  /** Missing where no mail server is set up. */
  mailer?: Mailer | undefined;
  /** Share of a wait, 0 to 0.1, that is added at random. */
  retryJitter: number;
  /** A look into Temporal, which activities do not know otherwise. */
  runStates: ReadRunStates;
  /** Aborted once this process is to stop: a purge, the one step that takes long, ends then. */
  stopping: AbortSignal;
}

/** Every activity by name. Workflows import this type alone. */
export type Activities = ReturnType<typeof createActivities>;

/** Makes the activities of a worker process. */
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
