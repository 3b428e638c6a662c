import { CalendarConnection } from "../../../db/entities/calendar-connection.ts";
import {
  CalendlyAccount,
  CalendlyEventType,
  CalendlyInviteeRow,
  CalendlyUser,
} from "../../../db/entities/calendly.ts";
import { MoreThan } from "typeorm";
import type { Tx } from "../../../db/transaction.ts";
import { getOwned } from "../sql.ts";
import { calendlyWebhookUrl } from "./calendly-accounts.ts";

/**
 * A connection with Calendly as the Dashboard shows it: its hosts with their agendas, its event types
 * with their services, and the number of bookings to come that wait for an agenda.
 * @throws AppError `calendar_connection_not_found`
 */
export async function presentCalendly(tx: Tx, id: number, publicUrl: string) {
  const { accountId } = tx.actor;
  const noun = "calendar_connection";
  const row = await getOwned(tx, CalendarConnection, noun, { id, provider: "calendly" });
  const where = { accountId, connectionId: id };
  const account = await tx.manager.findOneByOrFail(CalendlyAccount, where);
  const order = { name: "ASC", id: "ASC" } as const;
  const users = await tx.manager.find(CalendlyUser, { where, order });
  const types = await tx.manager.find(CalendlyEventType, { where, order });
  const slug = row.slug ?? "";
  return {
    id,
    slug,
    webhook_url: calendlyWebhookUrl(publicUrl, slug),
    name: row.name,
    email: row.email,
    scope: account.scope,
    state: row.state,
    mode: row.mode,
    mode_reason: row.modeReason,
    last_synced_at: row.lastSyncedAt?.toISOString() ?? null,
    error_code: row.errorCode,
    users: users.map(({ uri, name, email, resourceId }) => ({
      uri,
      name,
      email,
      resource_id: resourceId,
    })),
    event_types: types.map(({ uri, name, serviceId }) => ({ uri, name, service_id: serviceId })),
    unmapped_bookings: await tx.manager.countBy(CalendlyInviteeRow, {
      ...where,
      state: "unmapped",
      startTime: MoreThan(tx.now),
    }),
  };
}
