import type { optionalTools } from "./agent.ts";

/** Origins of a draft: the mode of the channel, or a person who asked. */
export const draftSources = ["automatic", "requested"] as const;
export type DraftSource = (typeof draftSources)[number];

/**
 * States of a draft. `sent`: as the agent wrote it, with all proposals. `edited`: sent with another
 * text or without a proposal. `stale`: the conversation went on without it.
 */
export const draftStates = ["open", "sent", "edited", "dismissed", "stale"] as const;
export type DraftState = (typeof draftStates)[number];

/** A change that the agent proposes. It does nothing before a person approves it. */
export interface DraftProposal {
  /** Id of the tool call that holds the arguments. */
  id: number;
  tool: (typeof optionalTools)[number];
  /** The change in words of the conversation's language. */
  words: string;
}
