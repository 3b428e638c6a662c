import { CalendarLink } from "../../db/entities/calendar-link.ts";
import type { Tx } from "../../db/transaction.ts";
import type { CalendarCredentials, CalendarProvider } from "../model/calendar.ts";
import type { SecretBox } from "../secrets.ts";
import { recordAudit } from "./audit.ts";
import { insertRow } from "./sql.ts";

/** Keeps an agenda on an external calendar from now on. An agenda is on one calendar at most. */
export async function createCalendarLink(
  tx: Tx,
  secretBox: SecretBox,
  link: {
    resourceId: number;
    provider: CalendarProvider;
    calendarId: string;
    credentials: CalendarCredentials;
  },
): Promise<number> {
  const { resourceId, provider, calendarId, credentials } = link;
  const { accountId } = tx.actor;
  const sealed = secretBox.seal(JSON.stringify(credentials), calendarLinkContext(accountId));
  const id = await insertRow(tx, CalendarLink, {
    accountId,
    resourceId,
    provider,
    calendarId,
    sealed,
    keyId: secretBox.keyIdOf(sealed),
    createdAt: tx.now,
    updatedAt: tx.now,
  });
  await recordAudit(tx, {
    action: "calendar_link.created",
    targetType: "calendar_link",
    targetId: id,
    details: { resource_id: resourceId, provider },
  });
  return id;
}

/** What the sealed credentials are bound to: they open nowhere else. */
export function calendarLinkContext(accountId: number): string {
  return `calendar_links:sealed:${accountId}`;
}
