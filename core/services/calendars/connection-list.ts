import { In } from "typeorm";
import { CalendarConnection } from "../../../db/entities/calendar-connection.ts";
import { CalendarLink } from "../../../db/entities/calendar-link.ts";
import type { Tx } from "../../../db/transaction.ts";
import { getOwned } from "../sql.ts";

/** A connection with its calendars, oldest first. */
export interface ConnectionWithLinks {
  row: CalendarConnection;
  links: CalendarLink[];
}

/** The account's connections, oldest first. */
export async function listConnections(tx: Tx): Promise<ConnectionWithLinks[]> {
  const { accountId } = tx.actor;
  const rows = await tx.manager.find(CalendarConnection, {
    where: { accountId },
    order: { id: "ASC" },
  });
  return await withLinks(tx, rows);
}

/** One connection. @throws AppError `calendar_connection_not_found` */
export async function getConnection(tx: Tx, id: number): Promise<ConnectionWithLinks> {
  const row = await getOwned(tx, CalendarConnection, "calendar_connection", { id });
  const [found = { row, links: [] }] = await withLinks(tx, [row]);
  return found;
}

async function withLinks(
  tx: Tx,
  rows: readonly CalendarConnection[],
): Promise<ConnectionWithLinks[]> {
  const links = await tx.manager.find(CalendarLink, {
    where: { connectionId: In(rows.map(({ id }) => id)), accountId: tx.actor.accountId },
    order: { id: "ASC" },
  });
  return rows.map((row) => ({
    row,
    links: links.filter(({ connectionId }) => connectionId === row.id),
  }));
}
