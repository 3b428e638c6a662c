import type { TranscriptTurn } from "../transcripts.ts";

/** A turn: the customer's burst, expected calls, texts that the reply holds and must not hold. */
export const t = (
  customer: string,
  calls: readonly string[] = [],
  says: readonly string[] = [],
  hides: readonly string[] = [],
): TranscriptTurn => ({ customer, calls, says, hides });
