/** Queues a worker polls: deliveries apart from all else, so that a burst delays nothing but itself. */
export const taskQueues = ["deliveries", "conversations", "ops"] as const;
export type TaskQueue = (typeof taskQueues)[number];

/** What the relay is to tell Temporal, as an outbox row keeps it. Ids and numbers only. */
export interface WorkflowCommand {
  /** `signal` starts the run too where it is not there yet; to one that has ended it means nothing. */
  op: "start" | "signal";
  /** Exported name of the workflow function. */
  workflow:
    | "cancelDeliveries"
    | "eraseContact"
    | "handoff"
    | "holdDeliveries"
    | "remindAppointment"
    | "replayDeliveries"
    | "reschedule"
    | "resumeDeliveries"
    | "sendMail"
    | "sendMessage"
    | "syncAppointment";
  workflowId: string;
  taskQueue: TaskQueue;
  input: Record<string, number | number[]>;
  /** Name of the signal, where `op` is `signal`. */
  signal?: string;
  /** The run was lost: one that has ended under this id does not count. */
  again?: true;
  /** What Temporal UI shows beside the id. */
  summary: string;
  /** What the run can be found by, beside the account. */
  conversationId?: number;
  appointmentId?: number;
}

/** What a run of a delivery can be told. */
export type DeliverySignal =
  /** `attemptsMade`: the attempts of the run that were over when it was asked for; old rows have none. */
  { signal: "retryNow"; attemptsMade?: number } | { signal: "cancel" };

/**
 * A signal to one run of the delivery that the outbox row names. The relay makes the start that goes
 * with it as it makes the run's own, so that whichever comes first begins the same run.
 */
export type DeliveryCommand = DeliverySignal & {
  op: "signalDelivery";
  run: number;
};

/** Everything that an outbox row of kind `request` may hold. */
export type OutboxCommand = WorkflowCommand | DeliveryCommand;
