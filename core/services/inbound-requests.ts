import { InboundRequest } from "../../db/entities/inbound-endpoint.ts";
import type { Tx } from "../../db/transaction.ts";
import type { EndpointKind, InboundOutcome } from "../model/inbound.ts";
import { getInboundEndpoint } from "./inbound-endpoints.ts";
import { insertRow } from "./sql.ts";

/** How much of a body the log keeps. */
const keptBodyBytes = 65_536;

/** One call to an endpoint, as it is written down. */
export interface InboundRequestRecord {
  endpointId: number;
  receivedAt: Date;
  event: string | null;
  eventId: string | null;
  statusCode: number;
  errorCode: string | null;
  result: InboundOutcome["result"] | null;
  replayed: boolean;
  contactId: number | null;
  appointmentId: number | null;
  ip: string;
  durationMs: number;
  /** Null where the body was not read to its end. */
  bodyBytes: number | null;
  /** The whole body, or null where it is not to be kept. */
  body: Buffer | null;
}

/** Writes a call down, in a transaction after its own, so that refusals are kept too. */
export async function recordInboundRequest(tx: Tx, record: InboundRequestRecord): Promise<void> {
  await insertRow(tx, InboundRequest, {
    accountId: tx.actor.accountId,
    ...record,
    ip: record.ip === "" ? null : record.ip,
    body: record.body?.subarray(0, keptBodyBytes) ?? null,
  });
}

/**
 * The log of an endpoint, newest first, with how many calls it holds.
 * @throws AppError `endpoint_not_found`
 */
export async function listInboundRequests(
  tx: Tx,
  kind: EndpointKind,
  endpointId: number,
  page: { limit: number; offset: number },
): Promise<[InboundRequest[], number]> {
  await getInboundEndpoint(tx, kind, endpointId);
  return await tx.manager.findAndCount(InboundRequest, {
    where: { accountId: tx.actor.accountId, endpointId },
    order: { id: "DESC" },
    take: page.limit,
    skip: page.offset,
  });
}
