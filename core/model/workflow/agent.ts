/** Input of the workflow of a conversation's agent: ids and times alone. */
export type AgentTurnInput = {
  accountId: number;
  conversationId: number;
  /** Silence after which a burst counts as complete. */
  quietMs: number;
};

/** Most time for which a burst is awaited. */
export const burstCapMs = 15_000;
/** Time limit of the steps of one turn. */
export const turnLimitMs = 90_000;
/** Most steps of a turn. */
export const maxSteps = 6;
/** Times that a turn begins again because the customer went on writing. */
export const maxRestarts = 3;
/** Turns of one run, after which the run goes on as a new one. */
export const maxTurnsOfRun = 20;

/** Ids of a turn, which every step gets. */
export type TurnRef = { accountId: number; conversationId: number; turnId: number };

/** Beginning of a turn. `idle`: no answer is owed. */
export type TurnBegin =
  | { state: "idle" | "handed_off" | "silent" }
  | { state: "go"; turnId: number };

/** Outcome of one try of a step. `again`: the provider failed, and another try may succeed. */
export type StepOutcome =
  | { state: "reply" }
  | { state: "calls"; tools: string[] }
  | { state: "again"; waitMs: number; failure: string }
  | { state: "failed"; failure: string };

/**
 * Outcome of a tool call. `effect`: something changed that the customer must be told of.
 * `handOver`: reason why a person goes on, or null.
 */
export type CallOutcome =
  | { state: "done"; code: string; effect: boolean; handOver: string | null }
  | { state: "paused" };

/** Outcome of a reply. `blocked`: a guard refused the text, and the next step gets the fact. */
export type ReplyOutcome = {
  state: "replied" | "drafted" | "superseded" | "paused" | "blocked" | "handed_off" | "silent";
};

/** End of a turn, as the workflow returns it. */
export type TurnResult = Exclude<ReplyOutcome["state"], "blocked"> | "idle";
