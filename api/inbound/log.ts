import {
  recordInboundRequest,
  type InboundRequestRecord,
} from "../../core/services/inbound/inbound-requests.ts";
import { transaction, type TxOptions } from "../../db/transaction.ts";
import { newDeadline, waitBriefly } from "../http/deadline.ts";
import type { Deps } from "../deps.ts";

/** Known facts of a call so far. */
export type InboundFacts = Pick<
  InboundRequestRecord,
  "endpointId" | "receivedAt" | "ip" | "event" | "eventId" | "bodyBytes" | "body" | "signature"
> & {
  /** `performance.now()` at its arrival. */
  startedMs: number;
};

/** End of a call. */
export type InboundEnd = Pick<InboundRequestRecord, "statusCode" | "errorCode"> &
  Partial<Pick<InboundRequestRecord, "result" | "contactId" | "appointmentId" | "replayed">>;

/**
 * Stores a call in the endpoint's log before the answer, unless the database takes long. Never
 * throws, because the call has already been carried out or refused.
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
  // Has a new deadline, because the call's own may have passed.
  const kept = transaction(dataSource, { ...options, deadline: newDeadline() }, (tx) =>
    recordInboundRequest(tx, record),
  ).catch((error: unknown) =>
    log.warn({ err: error, endpoint_id: known.endpointId }, "inbound.not_logged"),
  );
  await waitBriefly(kept);
}
