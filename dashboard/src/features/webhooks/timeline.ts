import type { z } from "zod";
import type { deliveryWithAttempts } from "../../../../core/model/views/dashboard.ts";
import { hourMs, minuteMs } from "../../../../core/model/durations.ts";
import { formatWait, isOpenDelivery } from "../../../../core/model/workflow/delivery.ts";
import { isSuccess } from "./answer.ts";

/** A past or planned attempt of a delivery's run, with the wait after it. */
export interface TimelineStep {
  number: number;
  outcome: "delivered" | "failed" | "sending" | "planned";
  /** Time in ms to the next step or the discard; null where nothing follows. */
  waitMs: number | null;
  /** True once the wait is over. */
  waited: boolean;
}

type Delivery = z.output<typeof deliveryWithAttempts>;
type Facts = Pick<
  Delivery,
  "state" | "run" | "first_number" | "next_attempt_at" | "discard_at" | "waits_ms"
> & {
  attempts: TimelineAttempt[];
};
type TimelineAttempt = Pick<
  Delivery["attempts"][number],
  "run" | "number" | "started_at" | "duration_ms" | "status_code" | "error_class"
>;

/**
 * The attempts of the current run with the waits between them. An open run also shows the attempts
 * that the schedule still plans. The delivery itself knows the end of the present wait.
 */
export function timelineOf(delivery: Facts): TimelineStep[] {
  const made = delivery.attempts.filter(({ run }) => run === delivery.run);
  const steps = made.map((attempt, index): TimelineStep => {
    const next = made[index + 1];
    const until = next?.started_at ?? delivery.next_attempt_at ?? delivery.discard_at;
    return {
      number: attempt.number,
      outcome: outcomeOf(attempt),
      waitMs: waitOf(attempt, until),
      waited: next !== undefined,
    };
  });
  if (!isOpenDelivery(delivery.state) && delivery.state !== "held") return steps;
  const last = made.at(-1)?.number ?? delivery.first_number - 1;
  const planned = delivery.waits_ms.slice(last).map((waitMs, index): TimelineStep => ({
    number: last + 1 + index,
    outcome: "planned",
    waitMs,
    waited: false,
  }));
  return [...steps, ...planned];
}

/** Share of a row for a wait. It is logarithmic, so that 30 s stays visible beside 24 h. */
export function waitWeight(waitMs: number): number {
  return 0.5 + Math.log10(1 + waitMs / 1_000);
}

/** A wait in its largest unit alone, rounded, so that labels fit beside each other: `3 min`. */
export function shortWait(ms: number): string {
  const unit = [hourMs, minuteMs, 1_000].find((one) => ms >= one) ?? 1;
  return formatWait(Math.round(ms / unit) * unit);
}

function outcomeOf(attempt: TimelineAttempt): TimelineStep["outcome"] {
  if (attempt.duration_ms === null) return "sending";
  return isSuccess(attempt) ? "delivered" : "failed";
}

function waitOf({ started_at, duration_ms }: TimelineAttempt, until: string | null): number | null {
  if (until === null || duration_ms === null) return null;
  return Math.max(0, Date.parse(until) - Date.parse(started_at) - duration_ms);
}
