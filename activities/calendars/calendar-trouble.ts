import type { CalendarTrouble } from "../../core/model/calendar.ts";
import { minuteMs } from "../../core/model/durations.ts";
import {
  disconnectCalendarLink,
  type ConnectedLink,
} from "../../core/services/calendars/calendar-links.ts";
import {
  disconnectConnection,
  noteConnectionError,
} from "../../core/services/calendars/connections.ts";
import type { Tx } from "../../db/transaction.ts";

/** Longest wait before a provider in trouble is asked again. */
const maxWaitMs = 5 * minuteMs;
const firstWaitMs = 2_000;

/**
 * The wait before another try, with jitter: calendars that met one limit together do not come back
 * together.
 * @param failures failed tries in a row before this one
 */
export function backOffMs(failures: number, random = Math.random): number {
  const limit = Math.min(maxWaitMs, firstWaitMs * 2 ** Math.min(failures, 10));
  return Math.round(limit * (0.5 + random() / 2));
}

/**
 * Stores the trouble of a calendar. A connection or calendar that the provider refuses ends.
 * @returns true where nothing is to be tried again
 */
export async function recordTrouble(
  tx: Tx,
  { link, connection }: ConnectedLink,
  trouble: CalendarTrouble,
): Promise<boolean> {
  if (trouble.kind !== "disconnected") {
    await noteConnectionError(tx, connection.id, trouble.code);
    return false;
  }
  if (trouble.of === "calendar") await disconnectCalendarLink(tx, link);
  else await disconnectConnection(tx, connection, trouble.code);
  return true;
}
