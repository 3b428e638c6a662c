import {
  Worker,
  type ActivityInterceptorsFactory,
  type NativeConnection,
  type WorkflowBundle,
} from "@temporalio/worker";
import { ApplicationFailure, CancelledFailure } from "@temporalio/common";
import type { Activities } from "../activities/index.ts";
import { RetryLaterError } from "../activities/retry-later.ts";
import type { Logger } from "../core/log.ts";
import type { TemporalNaming } from "../core/model/installation.ts";
import {
  requestSlots,
  taskQueues,
  type TaskQueue,
} from "../core/model/workflow/workflow-command.ts";
import { errorNumber } from "../core/errors.ts";
import type { RequestLimiter } from "./engine/request-limiter.ts";

/** Longer than an attempt of 8 s and its write. */
const graceMs = 11_000;
const maxCachedWorkflows = 4_000;

/** Model calls at once in this process. */
const modelSlots = 100;
/** A cancelled model call hears of it with its next heartbeat. */
const modelHeartbeatThrottleMs = 500;

/** Options of the workers. */
export interface WorkersOptions {
  connection: NativeConnection;
  namespace: string;
  naming: TemporalNaming;
  activities: Activities;
  log: Logger;
  workflowBundle: WorkflowBundle;
  /**
   * Workflow tasks at once. A local activity holds its task's slot, so both get the same number.
   */
  slots: number;
  requestLimiter: RequestLimiter;
}

/** Creates one worker for each task queue. */
export async function createWorkers(options: WorkersOptions): Promise<Worker[]> {
  return await Promise.all(taskQueues.map((taskQueue) => createWorker(taskQueue, options)));
}

async function createWorker(taskQueue: TaskQueue, options: WorkersOptions): Promise<Worker> {
  const { connection, namespace, naming, activities, workflowBundle } = options;
  const slots = taskQueue === "deliveries" ? options.slots : requestSlots;
  return await Worker.create({
    connection,
    namespace,
    taskQueue: naming(taskQueue),
    workflowBundle,
    activities,
    interceptors: { activity: [tellBegin(options.requestLimiter), tellFaults(options.log)] },
    maxConcurrentWorkflowTaskExecutions: slots,
    maxConcurrentLocalActivityExecutions: slots,
    maxConcurrentActivityTaskExecutions: taskQueue === "agents" ? modelSlots : slots,
    maxHeartbeatThrottleInterval: modelHeartbeatThrottleMs,
    maxCachedWorkflows,
    workflowTaskPollerBehavior: { type: "autoscaling", minimum: 2, maximum: 20, initial: 5 },
    activityTaskPollerBehavior: { type: "autoscaling", minimum: 1, maximum: 20, initial: 2 },
    shutdownGraceTime: graceMs,
  });
}

/** Reports to the request limiter that a run has begun its work. */
function tellBegin(requestLimiter: RequestLimiter): ActivityInterceptorsFactory {
  return ({ info: { workflowExecution } }) => ({
    inbound: {
      async execute(input, next) {
        if (workflowExecution !== undefined)
          requestLimiter.recordBegun(workflowExecution.workflowId);
        return await next(input);
      },
    },
  });
}

/**
 * Logs our own errors and keeps their messages out of histories. Messages of drivers and of the
 * network repeat values. So only the class and the code of an error go to Temporal.
 */
function tellFaults(log: Logger): ActivityInterceptorsFactory {
  return ({ info }) => ({
    inbound: {
      async execute(input, next) {
        try {
          return await next(input);
        } catch (error) {
          if (error instanceof RetryLaterError) throw later(error);
          if (error instanceof CancelledFailure) throw error;
          const { activityType: activity, attempt, workflowExecution } = info;
          const workflow_id = workflowExecution?.workflowId;
          log.error({ err: error, activity, attempt, workflow_id }, "activity.failed");
          throw withoutMessage(error);
        }
      },
    },
  });
}

/** No error: the task goes back and holds no slot until the next try. */
function later({ name: type, message, retryAfterMs }: RetryLaterError): ApplicationFailure {
  return ApplicationFailure.create({
    type,
    message,
    nextRetryDelay: retryAfterMs,
    category: "BENIGN",
  });
}

function withoutMessage(error: unknown): ApplicationFailure {
  const type = error instanceof Error ? error.name : "Error";
  const failure = ApplicationFailure.create({ type, message: codeOf(error), nonRetryable: false });
  failure.stack = "";
  return failure;
}

function codeOf(error: unknown): string {
  const number = errorNumber(error);
  if (number !== null) return `MySQL ${number}`;
  if (error instanceof Error && "code" in error && typeof error.code === "string")
    return error.code;
  return "see the worker's log";
}
