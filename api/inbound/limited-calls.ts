import type { DataSource } from "typeorm";
import type { Logger } from "../../core/log.ts";
import {
  recordLimitedCalls,
  recountLimitedCalls,
} from "../../core/services/inbound/inbound-requests.ts";
import { systemOf, transaction } from "../../db/transaction.ts";
import { minuteMs } from "../../core/model/durations.ts";

/** Maximum number of counts in memory while the database is unreachable. */
const mostCounted = 10_000;

/** Endpoint and origin of a call that the rate limit refused. */
interface LimitedCall {
  accountId: number;
  endpointId: number;
  ip: string;
}

interface Counted extends LimitedCall {
  receivedAt: Date;
  minute: number;
  calls: number;
  written: number;
  rowId: number | null;
}

/** Counts refused calls in memory, so that a flood adds one row for each endpoint and minute. */
export interface LimitedCallCounts {
  add(call: LimitedCall): void;
  /**
   * Stores the counts in the endpoints' logs. Counts that cannot be stored wait for the next time.
   */
  flush(): Promise<void>;
}

/** Creates the counts of one process. */
export function createLimitedCallCounts(
  dataSource: DataSource,
  log: Logger,
  nowMs: () => number = Date.now,
): LimitedCallCounts {
  const counts = new Map<string, Counted>();
  let flushing: Promise<void> = Promise.resolve();

  async function write(): Promise<void> {
    const minute = Math.floor(nowMs() / minuteMs);
    for (const [key, one] of counts) {
      try {
        await writeOne(dataSource, one);
        if (one.minute < minute && one.written === one.calls) counts.delete(key);
      } catch (error) {
        log.warn({ err: error, endpoint_id: one.endpointId }, "inbound.not_logged");
        return;
      }
    }
  }

  return {
    add(call) {
      const minute = Math.floor(nowMs() / minuteMs);
      const key = `${call.endpointId} ${minute}`;
      const known = counts.get(key);
      if (known !== undefined) {
        known.calls += 1;
        known.ip = call.ip;
      } else if (counts.size < mostCounted) {
        const receivedAt = new Date(nowMs());
        counts.set(key, { ...call, receivedAt, minute, calls: 1, written: 0, rowId: null });
      }
    },
    async flush() {
      flushing = flushing.then(write);
      await flushing;
    },
  };
}

async function writeOne(dataSource: DataSource, one: Counted): Promise<void> {
  const { accountId, endpointId, receivedAt, ip, calls, rowId } = one;
  if (one.written === calls) return;
  one.rowId = await transaction(dataSource, systemOf(accountId), async (tx) => {
    if (rowId === null) return await recordLimitedCalls(tx, { endpointId, receivedAt, ip, calls });
    await recountLimitedCalls(tx, rowId, calls);
    return rowId;
  });
  one.written = calls;
}
