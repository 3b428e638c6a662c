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
  | {
      current: true;
      /** A person has written already. */
      replied: boolean;
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
 * after the agent has taken over again is left out.
 */
export function listUnansweredSteps({
  remindMs,
  escalateMs,
  returnMs,
}: {
  remindMs: number;
  escalateMs: number;
  returnMs: number | null;
}): UnansweredStep[] {
  const steps = [
    { step: "remind" as const, atMs: remindMs },
    { step: "escalate" as const, atMs: escalateMs },
  ]
    .filter(({ atMs }) => returnMs === null || atMs < returnMs)
    .toSorted((one, other) => one.atMs - other.atMs);
  return steps.map(({ step, atMs }, index) => {
    return { step, waitMs: Math.max(1, atMs - (steps[index - 1]?.atMs ?? 0)) };
  });
}

/** What a step of the handoff found and did. `over`: the conversation is no longer in this handoff. */
export type HandoffStep = { state: "done" | "replied" | "over" };

/** Whether the agent has taken over again, or how long the people may stay silent yet. */
export type HandoffReturn = { state: "returned" | "over" } | { state: "waiting"; waitMs: number };
