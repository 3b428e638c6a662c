import {
  recordInboundRequest,
  type InboundRequestRecord,
} from "../core/services/inbound-requests.ts";
import { transaction, type TxOptions } from "../db/transaction.ts";
import type { Deps } from "./deps.ts";

/** What is known of a call so far. */
export type InboundFacts = Pick<
  InboundRequestRecord,
  "endpointId" | "receivedAt" | "ip" | "event" | "eventId" | "bodyBytes" | "body"
> & {
  /** `performance.now()` when it came. */
  startedMs: number;
};

/** How a call ended. */
export type InboundEnd = Pick<InboundRequestRecord, "statusCode" | "errorCode"> &
  Partial<Pick<InboundRequestRecord, "result" | "contactId" | "replayed">>;

/** Writes a call into the endpoint's log before it is answered. Never throws: what was done is done. */
export async function keepInboundRequest(
  { dataSource, log }: Deps,
  { options, facts }: { options: TxOptions; facts: InboundFacts },
  { statusCode, errorCode, result = null, contactId = null, replayed = false }: InboundEnd,
): Promise<void> {
  const { startedMs, ...known } = facts;
  const durationMs = Math.round(performance.now() - startedMs);
  const end = { statusCode, errorCode, result, contactId, replayed, durationMs };
  try {
    await transaction(dataSource, options, (tx) => recordInboundRequest(tx, { ...known, ...end }));
  } catch (error) {
    log.warn({ err: error, endpoint_id: known.endpointId }, "inbound.not_logged");
  }
}
