import { In } from "typeorm";
import { CalendlyInviteeRow } from "../../../db/entities/calendly.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { CalendlyEvent } from "../../calendars/calendly-payload.ts";

/** Events whose rows are read in one statement. */
const batchSize = 500;

/**
 * Events with something that we have not applied: a newer change, another number of invitees, or
 * another number of those who take part. The invitees of the others need no call.
 */
export async function listStaleEvents(
  tx: Tx,
  connectionId: number,
  events: readonly CalendlyEvent[],
): Promise<CalendlyEvent[]> {
  const stale: CalendlyEvent[] = [];
  for (let from = 0; from < events.length; from += batchSize) {
    const batch = events.slice(from, from + batchSize);
    const rows = await tx.manager.findBy(CalendlyInviteeRow, {
      accountId: tx.actor.accountId,
      connectionId,
      eventId: In(batch.map(({ eventId }) => eventId)),
    });
    for (const event of batch) {
      const known = rows.filter(({ eventId }) => eventId === event.eventId);
      if (isStale(event, known)) stale.push(event);
    }
  }
  return stale;
}

function isStale(event: CalendlyEvent, rows: readonly CalendlyInviteeRow[]): boolean {
  const active = rows.filter(({ state }) => state === "active" || state === "unmapped").length;
  const newestMs = Math.max(0, ...rows.map(({ changedAt }) => changedAt.getTime()));
  return (
    rows.length < event.totalInvitees ||
    active !== event.activeInvitees ||
    newestMs < event.updatedAt.getTime()
  );
}
