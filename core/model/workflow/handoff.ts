// Workflow code runs this file, so it imports nothing.

/** Input of the workflow of one handoff: ids alone, since Temporal keeps it. */
export type HandoffInput = {
  accountId: number;
  conversationId: number;
  /** The conversation's `bot_epoch` during this handoff. */
  epoch: number;
};

/** What an account may set: minutes until a reminder or an escalation. Our choice: a week. */
export const maxHandoffMinutes = 10_080;
/** And hours of silence until the agent takes over again. Our choice: a month. */
export const maxReturnHours = 720;

/** How a handoff stands as its workflow begins. */
export type HandoffStart =
  | { current: false }
  | ({
      current: true;
      /** A person has written already. */
      replied: boolean;
      /** Since the handoff began, where this run is not the first; else 0. Old runs have none. */
      elapsedMs?: number;
    } & HandoffTimes);

/** An account's times of a handoff, each from its beginning. */
export type HandoffTimes = {
  remindMs: number;
  escalateMs: number;
  /** Silence of the people after which the agent takes over again; null: never. */
  returnMs: number | null;
};

/** What is due while no person has written, `waitMs` after what was due before it. */
export interface UnansweredStep {
  step: "remind" | "escalate";
  waitMs: number;
}

/**
 * The steps that come while nobody answers, in the order of the account's times. What would come only
 * after the agent has taken over again is left out. Times that have passed already are due at once.
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
 * When the run of a handoff has to act next; null where only the end of the handoff is left for it.
 * @param repliedAt when a person last wrote; null while nobody has
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

/** What a step of the handoff found and did. `over`: the conversation is no longer in this handoff. */
export type HandoffStep = { state: "done" | "replied" | "over" };

/** Whether the agent has taken over again, or how long the people may stay silent yet. */
export type HandoffReturn = { state: "returned" | "over" } | { state: "waiting"; waitMs: number };
