import type { Tx } from "../../../db/transaction.ts";
import { AppError } from "../../errors.ts";
import { requestCalendarRead } from "./calendar-reads.ts";
import { requestCalendlyRead } from "./calendly-commands.ts";
import { getConnection } from "./connection-list.ts";

/**
 * Has a connection read as soon as possible: every calendar of a Google account that is read, or all
 * bookings of Calendly.
 * @throws AppError `calendar_connection_not_found`, `calendar_disconnected`
 */
export async function syncNow(tx: Tx, id: number): Promise<void> {
  const { row, links } = await getConnection(tx, id);
  if (row.state !== "connected") throw new AppError("calendar_disconnected");
  if (row.provider === "calendly") await requestCalendlyRead(tx, id);
  for (const link of links) await requestCalendarRead(tx, link.id);
}
