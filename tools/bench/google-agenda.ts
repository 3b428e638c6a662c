import type { DataSource } from "typeorm";
import { weekdays, type WeeklyHours } from "../../core/model/schedule.ts";
import type { SecretBox } from "../../core/secrets.ts";
import { createResource } from "../../core/services/appointments/resources.ts";
import { createCalendarLink } from "../../core/services/calendars/calendar-links.ts";
import { saveConnection } from "../../core/services/calendars/connections.ts";
import { beginLink } from "../../core/services/calendars/link-lifecycle.ts";
import { CalendarLink } from "../../db/entities/calendar-link.ts";
import { systemOf, transaction } from "../../db/transaction.ts";

/** Our https address in a channel. The stand-in of Google calls the API itself instead. */
export const pushedUrl = "https://parley.example";

const allHours = [{ from: "00:00", to: "24:00" }];
const weeklyHours = Object.fromEntries(weekdays.map((day) => [day, allHours])) as WeeklyHours;

/**
 * Keeps a new agenda on a calendar of Google, whose reading begins with the commit.
 * @param calendarId address of the account, whose own calendar it is
 */
export async function connectGoogleAgenda(
  { dataSource, secretBox }: { dataSource: DataSource; secretBox: SecretBox },
  {
    accountId,
    calendarId,
    refreshToken,
  }: Record<"calendarId" | "refreshToken", string> & {
    accountId: number;
  },
): Promise<{ resourceId: number; linkId: number }> {
  return await transaction(dataSource, systemOf(accountId), async (tx) => {
    const hours = { time_zone: "UTC", weekly_hours: weeklyHours };
    const { id: resourceId } = await createResource(tx, { name: "Google", ...hours });
    const { id: connectionId } = await saveConnection(tx, secretBox, {
      provider: "google",
      externalId: `sub of ${calendarId}`,
      email: calendarId,
      name: calendarId,
      credentials: { refresh_token: refreshToken },
      scopes: [],
    });
    const linkId = await createCalendarLink(tx, connectionId, {
      resourceId,
      calendarId,
      name: calendarId,
      direction: "two_way",
      otherEvents: "busy",
    });
    await beginLink(tx, await tx.manager.findOneByOrFail(CalendarLink, { id: linkId }));
    return { resourceId, linkId };
  });
}
