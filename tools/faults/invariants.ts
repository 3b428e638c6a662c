import type { Ledger } from "./ledger.ts";
import {
  judgeBytes,
  judgeNumbers,
  judgeGaps,
  judgeRepeats,
  judgeTenants,
} from "./post-invariants.ts";
import {
  judgeAccepted,
  judgeBalance,
  judgeInbound,
  judgeOrigin,
  judgeResources,
} from "./book-invariants.ts";

/** A promise, with the function that checks it against the books. */
export interface Invariant {
  id: string;
  says: string;
  /** @returns the breaches, one per line; none where the promise holds */
  judge: (ledger: Ledger) => string[];
}

/** Every invariant, in the order of its number. */
export const invariants: readonly Invariant[] = [
  {
    id: "I1",
    says: "no call is refused or answered with a 500, one that is repeated gets through, an accepted one has its event, and every event is delivered to, or discarded with one notice for, every subscription that wants it",
    judge: judgeAccepted,
  },
  { id: "I2", says: "nothing is posted that is not committed", judge: judgeOrigin },
  {
    id: "I3",
    says: "every post of a delivery has the stored bytes, its id, and a signature of that subscription's secret alone",
    judge: judgeBytes,
  },
  {
    id: "I4",
    says: "attempts are numbered 1 to 6, never lower than before, none skipped, and nothing is discarded before the sixth",
    judge: judgeNumbers,
  },
  {
    id: "I5",
    says: "an attempt never comes before its time, and without a fault at most a tenth and 2 s late, the first within 5 s of its event",
    judge: judgeGaps,
  },
  {
    id: "I6",
    says: "deliveries created = delivered + discarded; the outbox is empty",
    judge: judgeBalance,
  },
  {
    id: "I7",
    says: "an inbound call gets through and has its effect exactly once",
    judge: judgeInbound,
  },
  {
    id: "I8",
    says: "an attempt goes again only where a fault came between, at most once for each that was under way; none follows one that was taken",
    judge: judgeRepeats,
  },
  { id: "I9", says: "nobody is sent another account's event", judge: judgeTenants },
  {
    id: "I10",
    says: "after the drain memory, handles and connections are back",
    judge: judgeResources,
  },
];

/** Checks all invariants. @returns the broken ones with their breaches */
export function judgeLedger(ledger: Ledger): { id: string; breaches: string[] }[] {
  return invariants
    .map(({ id, judge }) => ({ id, breaches: judge(ledger) }))
    .filter(({ breaches }) => breaches.length > 0);
}
