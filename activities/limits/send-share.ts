import { countLiveWorkers } from "../../core/services/operations/heartbeats.ts";
import { readInboundRate } from "../../core/services/channels/inbound-rate.ts";
import type { Tx } from "../../db/transaction.ts";

/** Part of a number's pace that this process may use. */
export interface SendShare {
  /** Live worker processes, this one included. Each takes the same part. */
  workers: number;
  /** Messages a second that customers write to the number. */
  inboundRate: number;
}

/** Reads the share of a number, from memory where it is younger than five seconds. */
export type ReadShare = (
  tx: Tx,
  channelAccountId: number,
  countsInbound: boolean,
) => Promise<SendShare>;

const keptMs = 5_000;
const maxNumbers = 10_000;

/**
 * Creates the memory of one process. A number costs two reads of an index in five seconds, however
 * many messages go. A new worker is known after five seconds, and a dead one counts for 20 s.
 */
export function createSendShare(now = () => performance.now()): ReadShare {
  const shares = new Map<number, { at: number; share: SendShare }>();
  return async (tx, channelAccountId, countsInbound) => {
    const known = shares.get(channelAccountId);
    if (known !== undefined && now() - known.at < keptMs) return known.share;
    const workers = Math.max(1, await countLiveWorkers(tx));
    const inboundRate = countsInbound ? await readInboundRate(tx, channelAccountId) : 0;
    if (shares.size >= maxNumbers) shares.clear();
    const share = { workers, inboundRate };
    shares.set(channelAccountId, { at: now(), share });
    return share;
  };
}
