import { setTimeout as sleep } from "node:timers/promises";
import type { DataSource } from "typeorm";
import { AppError } from "../core/errors.ts";
import type { Principal } from "../core/model/principal.ts";
import {
  findReschedule,
  outcomeOf,
  type RescheduleOutcome,
} from "../core/services/appointments/appointment-holds.ts";
import { snapshot } from "../db/transaction.ts";
import type { Deps } from "./deps.ts";

/** Maximum time that a caller waits for the outcome of a move. */
const limitMs = 3_000;
/** Short pauses at first, because a move without a calendar takes some tens of milliseconds. */
const pausesMs = [20, 20, 30, 30, 50, 50];
const lastPauseMs = 100;

/**
 * The outcome of a move, read from MySQL, after waiting up to 3 s for its end. Holds no connection
 * between two polls. Call it only after the transaction that requested the move has committed.
 */
export async function awaitReschedule(
  { dataSource }: Pick<Deps, "dataSource">,
  actor: Principal,
  id: number,
): Promise<RescheduleOutcome> {
  const end = performance.now() + limitMs;
  for (let looks = 0; ; looks += 1) {
    const outcome = await look(dataSource, actor, id);
    const pauseMs = pausesMs[looks] ?? lastPauseMs;
    if (outcome.state !== "requested" || performance.now() + pauseMs > end) return outcome;
    await sleep(pauseMs);
  }
}

async function look(
  dataSource: DataSource,
  actor: Principal,
  id: number,
): Promise<RescheduleOutcome> {
  try {
    const row = await snapshot(dataSource, { actor }, (tx) => findReschedule(tx, id));
    return row === null ? erased : outcomeOf(row);
  } catch {
    // Without the database the outcome is unknown. The move was accepted and stays requested.
    return { state: "requested" };
  }
}

const erased: RescheduleOutcome = { state: "released", failureCode: "appointment_not_found" };

/** The refusal of a released move, for its caller. */
export function rescheduleFailure(failureCode: string): AppError {
  if (failureCode === "calendar_unavailable") {
    return new AppError(failureCode, { retryAfterSeconds: 60 });
  }
  const code = refusals.find((one) => one === failureCode);
  if (code !== undefined) return new AppError(code);
  // The appointment was cancelled or marked during the move.
  if (/^appointment_(cancelled|completed|no_show)$/.test(failureCode)) {
    const status = failureCode.replace("appointment_", "");
    return new AppError("appointment_not_confirmed", {
      message: `The appointment is ${status} since. Only a confirmed one can be moved.`,
    });
  }
  return new AppError("reschedule_failed", { details: { failure_code: failureCode } });
}

/** Failures that a caller reads under their own code. */
const refusals = [
  "calendar_refused",
  "resource_archived",
  "slot_taken",
  "appointment_replaced",
  "appointment_not_confirmed",
  "appointment_not_found",
] as const;
