import { In } from "typeorm";
import { InboundRequest } from "../../../db/entities/inbound-endpoint.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { EndpointKind, InboundOutcome } from "../../model/inbound.ts";
import {
  inboundVerdict,
  inboundVerdicts,
  type InboundVerdict,
  type SignatureFault,
  type SignatureHeader,
} from "../../model/inbound-log.ts";
import { mostCounted } from "../../model/wire.ts";
import type { LogBounds, LogPage } from "../../model/page.ts";
import { getInboundEndpoint } from "./inbound-endpoints.ts";
import { allOf, countUpTo, cutPage, inOrder, insertRow, placeholders } from "../sql.ts";
import { dayMs } from "../../model/durations.ts";

/** Maximum bytes of a body in the log. */
const keptBodyBytes = 65_536;
const keptHeaderNames = 1_000;

/** Log record of one call to an endpoint. */
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
  /** Null if the body was not read to its end. */
  bodyBytes: number | null;
  /** The whole body, or null if the body must not be stored. */
  body: Buffer | null;
  /** Reason for a refused signature, else null. */
  signature: RefusedSignatureRecord | null;
}

/** Calls to an endpoint that the rate limit refused within one minute. */
export interface LimitedCalls {
  endpointId: number;
  /** Time of the first call. */
  receivedAt: Date;
  /** Address of the last call. */
  ip: string;
  calls: number;
}

/**
 * Stores limited calls as one row of the endpoint's log. @returns its id, for
 * `recountLimitedCalls`.
 */
export async function recordLimitedCalls(
  tx: Tx,
  { ip, ...counted }: LimitedCalls,
): Promise<number> {
  return await insertRow(tx, InboundRequest, {
    accountId: tx.actor.accountId,
    ...counted,
    verdict: "limited",
    statusCode: 429,
    errorCode: "rate_limited",
    ip: ip === "" ? null : ip,
    durationMs: 0,
  });
}

/** Updates the row of the current minute. */
export async function recountLimitedCalls(tx: Tx, id: number, calls: number): Promise<void> {
  await tx.manager.update(InboundRequest, { id, accountId: tx.actor.accountId }, { calls });
}

/** Record of a refused signature. No other data of such a call is kept. */
export interface RefusedSignatureRecord {
  fault: SignatureFault;
  header: SignatureHeader;
  clockOffSeconds: number | null;
  headerNames: string[];
  bodySha256: Buffer;
}

/** Stores a call in a transaction after the call's own, so that refusals are kept too. */
export async function recordInboundRequest(
  tx: Tx,
  { signature, ...record }: InboundRequestRecord,
): Promise<void> {
  await insertRow(tx, InboundRequest, {
    accountId: tx.actor.accountId,
    ...record,
    verdict: inboundVerdict(record),
    ip: record.ip === "" ? null : record.ip,
    body: record.body?.subarray(0, keptBodyBytes) ?? null,
    signatureFault: signature?.fault ?? null,
    signatureHeader: signature?.header ?? null,
    clockOffSeconds: signature?.clockOffSeconds ?? null,
    headerNames: signature?.headerNames.join(" ").slice(0, keptHeaderNames) ?? null,
    bodySha256: signature?.bodySha256 ?? null,
  });
}

/**
 * The log of an endpoint, newest first, of one verdict or all. The count stops at a cap. A page
 * before a purged row is empty, because older rows were purged first.
 * @throws AppError `endpoint_not_found`
 */
export async function listInboundRequests(
  tx: Tx,
  kind: EndpointKind,
  endpointId: number,
  { limit, before_id: beforeId, verdict }: LogBounds & { verdict?: InboundVerdict | undefined },
): Promise<LogPage<InboundRequest>> {
  await getInboundEndpoint(tx, kind, endpointId);
  const { accountId } = tx.actor;
  const own: [string, ...unknown[]][] = [
    ["account_id = ? AND endpoint_id = ?", accountId, endpointId],
  ];
  if (verdict !== undefined) own.push(["verdict = ?", verdict]);
  const before = beforeId === undefined ? [] : [await conditionBefore(tx, endpointId, beforeId)];
  const where = allOf([...own, ...before]);
  const found = await tx.manager.query<{ id: number }[]>(
    `SELECT id FROM inbound_requests WHERE ${where.sql} ORDER BY received_at DESC, id DESC LIMIT ?`,
    [...where.values, limit + 1],
  );
  const { page, next } = cutPage(found, limit);
  const ids = page.map(({ id }) => id);
  const rows = inOrder(ids, await tx.manager.findBy(InboundRequest, { id: In(ids) }));
  const all = allOf(own);
  const from = { sql: `FROM inbound_requests WHERE ${all.sql}`, values: all.values };
  const count = await countUpTo(tx, from, { cap: mostCounted, known: ids.length });
  return { rows, next: next?.id ?? null, ...count };
}

/**
 * Condition for calls before this id. The log is sorted by arrival, but ids grow in the order in
 * which calls end.
 */
async function conditionBefore(
  tx: Tx,
  endpointId: number,
  id: number,
): Promise<[string, ...unknown[]]> {
  const row = await tx.manager.findOneBy(InboundRequest, {
    accountId: tx.actor.accountId,
    endpointId,
    id,
  });
  const at = row?.receivedAt ?? new Date(0);
  return ["received_at <= ? AND (received_at < ? OR id < ?)", at, at, id];
}

/** Traffic of an endpoint. */
export interface InboundTraffic {
  /** Newest call of the last 30 days, or null. */
  lastRequestAt: Date | null;
  /** Number of calls of each verdict within 24 hours. */
  counts: Record<InboundVerdict, number>;
}

/** Traffic of an endpoint without calls. */
export const noTraffic: InboundTraffic = {
  lastRequestAt: null,
  counts: { done: 0, repeated: 0, bad_signature: 0, refused: 0, limited: 0, failed: 0 },
};

/** Traffic of those endpoints that were called at all, by id. */
export async function countInboundRequests(
  tx: Tx,
  endpointIds: number[],
): Promise<Map<number, InboundTraffic>> {
  if (endpointIds.length === 0) return new Map();
  const where = `WHERE account_id = ? AND endpoint_id IN (${placeholders(endpointIds)})`;
  const values = [tx.actor.accountId, ...endpointIds];
  const newest = await tx.manager.query<{ id: number; at: Date }[]>(
    `SELECT endpoint_id AS id, MAX(received_at) AS at FROM inbound_requests ${where}
      GROUP BY account_id, endpoint_id`,
    values,
  );
  // Naming every verdict lets MySQL use the verdict's index for the day as well.
  const counted = await tx.manager.query<{ id: number; verdict: InboundVerdict; n: number }[]>(
    `SELECT endpoint_id AS id, verdict, COUNT(*) AS n FROM inbound_requests ${where}
        AND verdict IN (${placeholders(inboundVerdicts)}) AND received_at > ?
      GROUP BY endpoint_id, verdict`,
    [...values, ...inboundVerdicts, new Date(tx.now.getTime() - dayMs)],
  );
  const limited = await tx.manager.query<{ id: number; verdict: InboundVerdict; n: number }[]>(
    `SELECT endpoint_id AS id, verdict, SUM(calls) AS n FROM inbound_requests ${where}
        AND verdict = 'limited' AND received_at > ? GROUP BY endpoint_id, verdict`,
    [...values, new Date(tx.now.getTime() - dayMs)],
  );
  return new Map(
    newest.map(({ id, at }) => {
      const own = [...counted, ...limited].filter((row) => row.id === id);
      const counts = Object.fromEntries(own.map(({ verdict, n }) => [verdict, Number(n)]));
      return [id, { lastRequestAt: at, counts: { ...noTraffic.counts, ...counts } }];
    }),
  );
}
