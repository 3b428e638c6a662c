import {
  recordInboundRequest,
  type InboundRequestRecord,
} from "../../core/services/inbound/inbound-requests.ts";
import { transaction, type TxOptions } from "../../db/transaction.ts";
import { newDeadline, waitBriefly } from "../http/deadline.ts";
import type { Deps } from "../deps.ts";

/** What is known of a call so far. */
export type InboundFacts = Pick<
  InboundRequestRecord,
  "endpointId" | "receivedAt" | "ip" | "event" | "eventId" | "bodyBytes" | "body" | "signature"
> & {
  /** `performance.now()` when it came. */
  startedMs: number;
};

/** How a call ended. */
export type InboundEnd = Pick<InboundRequestRecord, "statusCode" | "errorCode"> &
  Partial<Pick<InboundRequestRecord, "result" | "contactId" | "appointmentId" | "replayed">>;

/**
 * Writes a call into the endpoint's log before it is answered, unless the database takes long over it.
 * Never throws: what was done is done.
 */
export async function keepInboundRequest(
  { dataSource, log }: Deps,
  { options, facts }: { options: TxOptions; facts: InboundFacts },
  end: InboundEnd,
): Promise<void> {
  const { startedMs, ...known } = facts;
  const durationMs = Math.round(performance.now() - startedMs);
  const nothing = { result: null, contactId: null, appointmentId: null, replayed: false };
  const record = { ...known, ...nothing, ...end, durationMs };
  // Also of a call whose own deadline is at its end.
  const kept = transaction(dataSource, { ...options, deadline: newDeadline() }, (tx) =>
    recordInboundRequest(tx, record),
  ).catch((error: unknown) =>
    log.warn({ err: error, endpoint_id: known.endpointId }, "inbound.not_logged"),
  );
  await waitBriefly(kept);
}
