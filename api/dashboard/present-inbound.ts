import type { Principal } from "../../core/model/principal.ts";
import { findOldInboundSecretEnds } from "../../core/services/inbound/inbound-endpoints.ts";
import { countInboundRequests, noTraffic } from "../../core/services/inbound/inbound-requests.ts";
import type { InboundEndpoint, InboundRequest } from "../../db/entities/inbound-endpoint.ts";
import type { Tx } from "../../db/transaction.ts";

/** Returns a function that presents these endpoints with their traffic. Only admins see the URL. */
export async function endpointPresenter(
  tx: Tx,
  rows: InboundEndpoint[],
  { actor, publicUrl, path }: { actor: Principal; publicUrl: string; path: string },
) {
  const ids = rows.map(({ id }) => id);
  const traffic = await countInboundRequests(tx, ids);
  const ends = await findOldInboundSecretEnds(tx, ids);
  // The slug is half of the credentials of a call, and agents create no endpoints.
  const isAdmin = actor.type === "user" && actor.role === "admin";
  return (row: InboundEndpoint) => {
    const { lastRequestAt, counts } = traffic.get(row.id) ?? noTraffic;
    return {
      id: row.id,
      kind: row.kind,
      name: row.name,
      strict: row.strict,
      enabled: row.enabled,
      url: isAdmin ? publicUrl + path.replace(":slug", row.slug) : null,
      slug: isAdmin ? row.slug : null,
      old_secret_until: ends.get(row.id)?.toISOString() ?? null,
      last_request_at: lastRequestAt?.toISOString() ?? null,
      last_24_hours: counts,
      created_at: row.createdAt.toISOString(),
      updated_at: row.updatedAt.toISOString(),
    };
  };
}

/** Presents one call. */
export function presentRequest(row: InboundRequest) {
  return {
    id: row.id,
    received_at: row.receivedAt.toISOString(),
    event: row.event,
    event_id: row.eventId,
    verdict: row.verdict,
    status_code: row.statusCode,
    error_code: row.errorCode,
    result: row.result,
    replayed: row.replayed,
    contact_id: row.contactId,
    appointment_id: row.appointmentId,
    ip: row.ip,
    calls: row.calls,
    duration_ms: row.durationMs,
    body_bytes: row.bodyBytes,
    body: row.body?.toString("utf8") ?? null,
    signature: presentFault(row),
  };
}

function presentFault(row: InboundRequest) {
  const { signatureFault, signatureHeader, headerNames, bodySha256 } = row;
  if (signatureFault === null || signatureHeader === null) return null;
  return {
    fault: signatureFault,
    header: signatureHeader,
    clock_off_seconds: row.clockOffSeconds,
    header_names: headerNames?.split(" ") ?? [],
    body_sha256: bodySha256?.toString("hex") ?? "",
  };
}
