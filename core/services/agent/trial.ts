import type { StepOutput } from "../../agent/step.ts";
import type { RestChannel } from "../../model/channels.ts";

/** An answered step of a trial. */
export interface TrialStep {
  output: StepOutput;
  /** Null: the built-in agent. */
  providerId: number | null;
  durationMs: number;
  /** Ids that the appointments of the trial had when the model read them, in their order. */
  appointmentIds: number[];
}

/** A line of the customer with the steps that answer it. */
export interface TrialLine {
  text: string;
  /** ISO 8601. The tools, the agent and the messages take this moment for now. */
  at: string;
  /** The provider to ask; null: the built-in agent; absent: the one that serves. */
  providerId?: number | null | undefined;
  steps: TrialStep[];
}

/** A conversation that never happens: everything that it takes to play it again. */
export interface Trial {
  channel: RestChannel;
  /** Null: somebody new. */
  contactId: number | null;
  /** Name of somebody new. */
  name: string | null;
  lines: TrialLine[];
}
