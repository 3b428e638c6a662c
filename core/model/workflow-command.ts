/** Queues a worker polls: deliveries apart from all else, so that a burst delays nothing but itself. */
export const taskQueues = ["deliveries", "ops"] as const;
export type TaskQueue = (typeof taskQueues)[number];

/** What the relay is to tell Temporal, as an outbox row keeps it. Ids and numbers only. */
export interface WorkflowCommand {
  op: "start";
  /** Exported name of the workflow function. */
  workflow: "cancelDeliveries";
  workflowId: string;
  taskQueue: TaskQueue;
  input: Record<string, number>;
  /** What Temporal UI shows beside the id. */
  summary: string;
}
