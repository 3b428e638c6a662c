// Workflow code runs this file, so it imports nothing.

/** Input of the workflow of one handoff: ids alone, since Temporal keeps the input. */
export type HandoffInput = {
  accountId: number;
  conversationId: number;
  /** The conversation's `bot_epoch` during this handoff. */
  epoch: number;
};

/** Maximum minutes until a reminder or an escalation: a week. */
export const maxHandoffMinutes = 10_080;
/** Maximum hours of silence until the agent takes over again: a month. */
export const maxReturnHours = 720;

/** State of a handoff as its workflow begins. */
export type HandoffStart =
  | { current: false }
  | ({
      current: true;
      /** A person has written already. */
      replied: boolean;
      /**
       * Time since the handoff began, where this run is not the first; else 0. Old runs have none.
       */
      elapsedMs?: number;
    } & HandoffTimes);

/**
 * An account's times for a handoff. `remindMs` and `escalateMs` count from the start of the
 * handoff.
 */
export type HandoffTimes = {
  remindMs: number;
  escalateMs: number;
  /** Silence of the people after which the agent takes over again; null: never. */
  returnMs: number | null;
};

/** A step that is due while no person has written, `waitMs` after the step before it. */
export interface UnansweredStep {
  step: "remind" | "escalate";
  waitMs: number;
}

/**
 * Steps that are due while no person answers, in the order of the account's times. Steps that would
 * come after the return to the agent are left out. Times that have passed already are due at once.
 */
export function listUnansweredSteps({
  elapsedMs = 0,
  ...times
}: HandoffTimes & { elapsedMs?: number }): UnansweredStep[] {
  let atMs = elapsedMs;
  return stepTimes(times).map(({ step, atMs: dueMs }) => {
    const waitMs = Math.max(1, dueMs - atMs);
    atMs = Math.max(atMs, dueMs);
    return { step, waitMs };
  });
}

function stepTimes({ remindMs, escalateMs, returnMs }: HandoffTimes) {
  return [
    { step: "remind" as const, atMs: remindMs },
    { step: "escalate" as const, atMs: escalateMs },
  ]
    .filter(({ atMs }) => returnMs === null || atMs < returnMs)
    .toSorted((one, other) => one.atMs - other.atMs);
}

/**
 * Next moment at which the run of a handoff has to act. Null where the run only waits for the
 * handoff to end.
 * @param repliedAt when a person last wrote; null before the first reply
 */
export function nextHandoffMoment(
  { handoffAt, repliedAt }: { handoffAt: Date; repliedAt: Date | null },
  times: HandoffTimes,
  now: Date,
): Date | null {
  const elapsedMs = now.getTime() - handoffAt.getTime();
  const steps = repliedAt === null ? stepTimes(times) : [];
  const next = steps.find(({ atMs }) => atMs > elapsedMs);
  if (next !== undefined) return new Date(handoffAt.getTime() + next.atMs);
  if (times.returnMs === null) return null;
  const since = Math.max(handoffAt.getTime(), repliedAt?.getTime() ?? 0);
  return new Date(since + times.returnMs);
}

/** Result of a step of the handoff. `over`: the conversation is no longer in this handoff. */
export type HandoffStep = { state: "done" | "replied" | "over" };

/**
 * Result of a check for silence. `waiting`: the agent takes over after `waitMs` more of silence.
 */
export type HandoffReturn = { state: "returned" | "over" } | { state: "waiting"; waitMs: number };
