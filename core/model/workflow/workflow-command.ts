/**
 * Task queues that a worker polls. Deliveries have their own queue, so that a burst delays nothing
 * else. Turns of the agent have theirs, because model calls take long.
 */
export const taskQueues = ["deliveries", "conversations", "agents", "ops"] as const;
export type TaskQueue = (typeof taskQueues)[number];

/**
 * Tasks at once of each queue but `deliveries`, in one worker process. More than the request limiter
 * lets begin at once, so that no message waits for a slot.
 */
export const requestSlots = 64;

/** A command for Temporal, as an outbox row keeps it for the relay. Ids and numbers only. */
export interface WorkflowCommand {
  /**
   * `signal` starts the run too where the run does not exist yet. To a run that has ended it means
   * nothing.
   */
  op: "start" | "signal";
  /** Exported name of the workflow function. */
  workflow:
    | "agentCases"
    | "agentTurn"
    | "applyCalendly"
    | "cancelDeliveries"
    | "eraseContact"
    | "exportFile"
    | "fetchMedia"
    | "handoff"
    | "holdDeliveries"
    | "importFile"
    | "pairCalendly"
    | "reconcileCalendly"
    | "refreshPage"
    | "remindAppointment"
    | "replayDeliveries"
    | "reschedule"
    | "resumeDeliveries"
    | "sendMail"
    | "sendMessage"
    | "snooze"
    | "syncAppointment"
    | "syncCalendar"
    | "syncTemplates"
    | "tellCalendly"
    | "undoImport"
    | "watchCalendar";
  workflowId: string;
  taskQueue: TaskQueue;
  input: Record<string, number | number[] | boolean>;
  /** Name of the signal, where `op` is `signal`. */
  signal?: string;
  /**
   * A run that has ended under this id does not prevent the start: the run was lost, or the workflow
   * runs as often as it is woken.
   */
  again?: true;
  /** Text that Temporal UI shows beside the id. */
  summary: string;
  /** Search attributes of the run, beside the account. */
  conversationId?: number;
  appointmentId?: number;
}

/** Signals to a run of a delivery. */
export type DeliverySignal =
  /**
   * `attemptsMade`: finished attempts of the run at the time of the request. Old rows have none.
   */
  { signal: "retryNow"; attemptsMade?: number } | { signal: "cancel" };

/**
 * A signal to one run of the delivery that the outbox row names. The signal comes with a start of
 * the run. The relay makes this start like the run's own start, so that either of them begins the
 * same run.
 */
export type DeliveryCommand = DeliverySignal & {
  op: "signalDelivery";
  run: number;
};

/** Everything that an outbox row of kind `request` may hold. */
export type OutboxCommand = WorkflowCommand | DeliveryCommand;
