import { setTimeout as sleep } from "node:timers/promises";
import {
  Client,
  isGrpcServiceError,
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
} from "@temporalio/client";
import type { Logger } from "../core/log.ts";
import { namingOf, type Installation } from "../core/model/installation.ts";
import { scheduleIds } from "./schedules.ts";
import type { TemporalLink } from "./temporal.ts";
import { withLimit } from "./time-limit.ts";

/**
 * A schedule that never starts anything. Its memo names the owner of the namespace. Only one
 * schedule can have the id.
 */
const markerId = "parley-installation";
const limitMs = 10_000;
const retryMs = 2_000;
/** gRPC codes of a server that never answers the question: permission denied, unimplemented. */
const refusals = new Set([7, 12]);

/** Options of a claim. */
export interface Claiming {
  log: Logger;
  stopping: AbortSignal;
  /**
   * The id of an installation that no longer exists, or `any`. Null: the namespace must be ours.
   */
  takeFrom: string | null;
}

/** Thrown if a namespace belongs to another installation. */
class NamespaceTaken extends Error {
  override readonly name = "NamespaceTaken";

  constructor(namespace: string, owner: string, own: string) {
    super(
      `The Temporal namespace "${namespace}" belongs to installation ${owner}, and this database is installation ${own}. ` +
        `Set TEMPORAL_NAMESPACE to a namespace of its own. Or, if ${owner} is gone for good, set TAKE_NAMESPACE_FROM=${owner}.`,
    );
  }
}

/**
 * Claims the namespace for this installation, and waits for a server that does not answer. A server
 * that refuses schedules cannot name an owner. Then the namespace counts as ours.
 * @returns false if the process stops first.
 * @throws Error, with the setting to change, if the namespace belongs to another installation.
 */
export async function claimNamespace(
  { connection, namespace }: TemporalLink,
  own: Installation,
  claiming: Claiming,
): Promise<boolean> {
  const { log, stopping } = claiming;
  const client = new Client({ connection, namespace });
  while (!stopping.aborted) {
    try {
      await withLimit(limitMs, claim(client, own, claiming));
      return true;
    } catch (error) {
      if (error instanceof NamespaceTaken) throw error;
      log.warn({ err: error }, "temporal.owner_unknown");
      if (isRefusal(error)) return true;
      await sleep(retryMs, undefined, { signal: stopping }).catch(() => undefined);
    }
  }
  return false;
}

function isRefusal(error: unknown): boolean {
  const cause = error instanceof Error && isGrpcServiceError(error.cause) ? error.cause : error;
  return isGrpcServiceError(cause) && refusals.has(cause.code);
}

async function claim(client: Client, own: Installation, claiming: Claiming): Promise<void> {
  try {
    await client.schedule.create(describeMarker(own));
    return;
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
  }
  const owner = await readOwner(client);
  if (owner.id === own.id) return;
  const { takeFrom, log } = claiming;
  if (takeFrom !== "any" && takeFrom !== owner.id) {
    throw new NamespaceTaken(client.options.namespace, owner.id, own.id);
  }
  // The schedules of an installation that no longer exists have no worker left.
  const left = scheduleIds.map(namingOf(owner));
  for (const scheduleId of [...left, markerId]) await deleteSchedule(client, scheduleId);
  log.warn({ from: owner.id, to: own.id }, "temporal.namespace_taken_over");
  await claim(client, own, claiming);
}

function describeMarker({ id, hasPlainNames }: Installation) {
  return {
    scheduleId: markerId,
    spec: {},
    // A schedule must have an action. This one is never due, and does no harm if triggered by hand.
    action: {
      type: "startWorkflow",
      workflowType: "reconcile",
      workflowId: namingOf({ id, hasPlainNames })("reconcile-by-hand"),
      taskQueue: namingOf({ id, hasPlainNames })("ops"),
      args: [],
    },
    memo: { installation: id, hasPlainNames },
    state: { paused: true, note: `This namespace belongs to the Parley installation ${id}.` },
  } as const;
}

async function readOwner(client: Client): Promise<Installation> {
  const { memo = {} } = await client.schedule.getHandle(markerId).describe();
  return { id: String(memo["installation"]), hasPlainNames: memo["hasPlainNames"] === true };
}

async function deleteSchedule(client: Client, scheduleId: string): Promise<void> {
  await client.schedule
    .getHandle(scheduleId)
    .delete()
    .catch((error: unknown) => {
      if (!(error instanceof ScheduleNotFoundError)) throw error;
    });
}
