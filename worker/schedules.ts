import { isDeepStrictEqual } from "node:util";
import {
  ScheduleAlreadyRunning,
  ScheduleOverlapPolicy,
  type Client,
  type ScheduleDescription,
  type ScheduleUpdateOptions,
} from "@temporalio/client";
import type { TemporalNaming } from "../core/model/installation.ts";
import type { TaskQueue } from "../core/model/workflow/workflow-command.ts";
import { prepare, type Preparing } from "./prepare.ts";
import { withLimit } from "./time-limit.ts";
import { hourMs, minuteMs } from "../core/model/durations.ts";

/**
 * A job that Temporal starts again and again. Its workflow gives the schedule and its runs their
 * names.
 */
interface Job {
  workflow: "purge" | "purgeMedia" | "reconcile" | "refreshPages" | "refreshTemplates";
  everyMs: number;
  /** Longer than any run that gets on. An older run is stuck, and keeps later ones from starting. */
  runTimeoutMs: number;
  summary: string;
}

const limitMs = 10_000;
/** Temporal's store may be restored to a state without them, and nothing else would notice. */
const againMs = 10 * minuteMs;
const taskQueue: TaskQueue = "ops";

const jobs: Job[] = [
  {
    workflow: "purge",
    everyMs: hourMs,
    // About 30 kinds, each with ten steps of up to a minute.
    runTimeoutMs: 6 * hourMs,
    summary: "delete what is older than it is kept",
  },
  {
    workflow: "purgeMedia",
    everyMs: hourMs,
    // 50 steps of up to two minutes.
    runTimeoutMs: 3 * hourMs,
    summary: "delete files that are older than they are kept",
  },
  {
    workflow: "reconcile",
    everyMs: 10 * minuteMs,
    // A longer round goes on in new runs.
    runTimeoutMs: hourMs,
    summary: "start anew what was lost of all runs",
  },
  {
    workflow: "refreshPages",
    everyMs: hourMs,
    runTimeoutMs: hourMs,
    summary: "read the pages of the knowledge that are a day old",
  },
  {
    workflow: "refreshTemplates",
    everyMs: hourMs,
    runTimeoutMs: hourMs,
    summary: "read the lists of templates that are a day old",
  },
];

/** Our own names of the schedules. */
export const scheduleIds = jobs.map(({ workflow }) => workflow);

/**
 * Creates the schedules of our own jobs, or updates existing ones. A schedule that a person paused
 * stays paused. A deleted one is created again within ten minutes. If the server refuses schedules,
 * everything else works without them, and they are tried again.
 */
export async function prepareSchedules(
  client: Client,
  naming: TemporalNaming,
  preparing: Preparing,
): Promise<void> {
  for (const job of jobs) {
    const work = async () => await withLimit(limitMs, prepareSchedule(client, naming, job));
    await prepare({ againMs, ...preparing }, "temporal.schedule_refused", work, {
      schedule: job.workflow,
    });
  }
}

async function prepareSchedule(client: Client, naming: TemporalNaming, job: Job): Promise<void> {
  const scheduleId = naming(job.workflow);
  const wanted = describe(job, naming);
  try {
    await client.schedule.create({ scheduleId, ...wanted });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    const schedule = client.schedule.getHandle(scheduleId);
    if (isAsWanted(await schedule.describe(), wanted)) return;
    await schedule.update((known) => ({ ...known, ...wanted }));
  }
}

type Wanted = ReturnType<typeof describe>;

function describe({ workflow, everyMs, runTimeoutMs, summary }: Job, naming: TemporalNaming) {
  return {
    spec: { intervals: [{ every: everyMs }] },
    action: {
      type: "startWorkflow",
      workflowType: workflow,
      workflowId: naming(workflow),
      taskQueue: naming(taskQueue),
      args: [],
      staticSummary: summary,
      workflowRunTimeout: runTimeoutMs,
    },
    // A late or long run needs no second run beside it.
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: 10 * minuteMs },
  } satisfies Pick<ScheduleUpdateOptions, "spec" | "action" | "policies">;
}

function isAsWanted({ spec, action, policies }: ScheduleDescription, wanted: Wanted): boolean {
  const known = {
    every: spec.intervals?.map(({ every }) => every),
    workflowType: action.workflowType,
    taskQueue: action.taskQueue,
    runTimeout: action.workflowRunTimeout,
    overlap: policies.overlap,
    catchupWindow: policies.catchupWindow,
  };
  return isDeepStrictEqual(known, {
    every: wanted.spec.intervals.map(({ every }) => every),
    workflowType: wanted.action.workflowType,
    taskQueue: wanted.action.taskQueue,
    runTimeout: wanted.action.workflowRunTimeout,
    overlap: wanted.policies.overlap,
    catchupWindow: wanted.policies.catchupWindow,
  });
}
