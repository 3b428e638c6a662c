import { LessThan, MoreThan } from "typeorm";
import type { CalendarView } from "../../calendars/google-mapping.ts";
import type { CalendarConnection } from "../../../db/entities/calendar-connection.ts";
import { CalendarLink } from "../../../db/entities/calendar-link.ts";
import { BusyBlock } from "../../../db/entities/calendar-read.ts";
import type { Tx } from "../../../db/transaction.ts";
import { dayMs, minuteMs } from "../../model/durations.ts";
import { dropStagedChanges, watchCommand } from "../calendars/calendar-reads.ts";
import { findConnectedLink } from "../calendars/calendar-links.ts";
import { requestUnlistedEvents } from "../calendars/link-lifecycle.ts";
import { noteConnectionSynced } from "../calendars/connections.ts";
import { recordChange } from "../outbox/changes.ts";
import { request } from "../outbox/outbox.ts";
import { listOwnEmails } from "./own-emails.ts";

/** Bounds of a list of events, or the token of the last one. */
export type ReadingBounds = { from: Date; until: Date } | { syncToken: string };

/** Part of a reading that comes next. */
export type ReadingStep =
  /** A page of a list. */
  | { kind: "list"; bounds: ReadingBounds; pageToken: string | null }
  /** Events that the full list did not name. Each is asked for. */
  | { kind: "verify"; eventIds: string[] }
  /** Instances of changed series. */
  | { kind: "settle" };

/** A reading that begins or continues. */
export interface CalendarReading {
  link: CalendarLink;
  connection: CalendarConnection;
  view: Omit<CalendarView, "timeZone">;
  step: ReadingStep;
  /** Moment before Google is asked. */
  readAt: Date;
}

/** Days from now up to which appointments are made of events. */
const horizonMs = 90 * dayMs;
/** Events that ended this long ago are left. */
const pastMs = dayMs;
/** The horizon moves on once a day. */
const extendMs = dayMs;
/** Events that one step asks for. */
const verifyBatch = 20;
/** A calendar that announces its changes is read this often nevertheless. */
const announcedMs = 30 * minuteMs;
const polledMs = 5 * minuteMs;

/**
 * The next part of the reading of a calendar.
 * @param begins this is the first part of a round: a change that is announced from now on needs
 * another round
 * @returns null if the calendar is not read any more
 */
export async function beginReading(
  tx: Tx,
  linkId: number,
  begins: boolean,
): Promise<CalendarReading | null> {
  const found = await findConnectedLink(tx, linkId);
  if (found === null || found.link.direction === "write_only") return null;
  const { link, connection } = found;
  if (begins && link.dirty) await storePlace(tx, link, { dirty: false });
  const view = {
    ownEmails: await listOwnEmails(tx),
    otherEvents: link.otherEvents,
    busyOnly: link.direction === "busy_only",
  };
  return { link, connection, view, step: await nextStep(tx, link), readAt: tx.now };
}

async function nextStep(tx: Tx, link: CalendarLink): Promise<ReadingStep> {
  const { pageToken, syncToken, horizon } = link;
  if (link.phase === "verify") {
    const eventIds = await listUnseen(tx, link);
    return eventIds.length > 0 ? { kind: "verify", eventIds } : { kind: "settle" };
  }
  if (link.phase === "settle") return { kind: "settle" };
  if (link.phase === "full" || syncToken === null || horizon === null) {
    const until = await beginFull(tx, link);
    const from = new Date(until.getTime() - horizonMs - pastMs);
    return { kind: "list", bounds: { from, until }, pageToken: link.pageToken };
  }
  const until = await beginExtension(tx, link, horizon);
  if (until === null) return { kind: "list", bounds: { syncToken }, pageToken };
  return { kind: "list", bounds: { from: horizon, until }, pageToken: link.pageToken };
}

/** @returns the end of the list, the same for each of its pages */
async function beginFull(tx: Tx, link: CalendarLink): Promise<Date> {
  if (link.pageToken !== null && link.nextHorizon !== null) return link.nextHorizon;
  const until = new Date(tx.now.getTime() + horizonMs);
  const generation = link.generation + 1;
  await storePlace(tx, link, { phase: "full", nextHorizon: until, generation, pageToken: null });
  return until;
}

/** @returns the end of the list beyond the horizon; null while the horizon is far enough */
async function beginExtension(tx: Tx, link: CalendarLink, horizon: Date): Promise<Date | null> {
  if (link.phase === "extend" && link.nextHorizon !== null) return link.nextHorizon;
  const until = new Date(tx.now.getTime() + horizonMs);
  const isDue = until.getTime() - horizon.getTime() >= extendMs;
  if (!isDue || link.pageToken !== null) return null;
  await storePlace(tx, link, { phase: "extend", nextHorizon: until });
  return until;
}

/** Upcoming events of appointments that the last full list did not name. */
async function listUnseen(tx: Tx, { id, generation, accountId }: CalendarLink): Promise<string[]> {
  const rows = await tx.manager.query<{ event_id: string }[]>(
    `SELECT e.event_id FROM calendar_events e FORCE INDEX (calendar_events_generation)
       JOIN appointments a ON a.id = e.appointment_id AND a.status = 'confirmed' AND a.end_time > ?
      WHERE e.link_id = ? AND e.generation < ? AND e.account_id = ?
        AND e.gone_at IS NULL AND e.etag IS NOT NULL
      ORDER BY e.generation, e.id LIMIT ?`,
    [new Date(tx.now.getTime() - pastMs), id, generation, accountId, verifyBatch],
  );
  return rows.map((row) => row.event_id);
}

/** Marks events as seen, so that they are not asked for again. */
export async function markSeen(
  tx: Tx,
  { id, generation }: CalendarLink,
  eventIds: readonly string[],
): Promise<void> {
  if (eventIds.length === 0) return;
  await tx.manager.query(
    "UPDATE calendar_events SET generation = ? WHERE link_id = ? AND event_id IN (?)",
    [generation, id, eventIds],
  );
}

/** Place of a reading after one of its parts. */
export interface ReadingProgress {
  /** The round goes on. */
  more: boolean;
  /** Wait until the next round, unless a change is announced. */
  waitMs: number;
}

/** The part is not due any more. The next one begins from the stored place. */
export const passed: ReadingProgress = { more: true, waitMs: 0 };

/** Stores the place after a page. The last page of a list ends its phase. */
export async function endPage(
  tx: Tx,
  link: CalendarLink,
  page: { nextPageToken: string | null; nextSyncToken: string | null },
): Promise<ReadingProgress> {
  const { nextPageToken: pageToken, nextSyncToken: syncToken } = page;
  if (pageToken !== null) return await continueReading(tx, link, { pageToken });
  const ended = { pageToken: null, ...(syncToken === null ? {} : { syncToken }) };
  if (link.phase === "full") {
    if (link.direction === "two_way") await requestUnlistedEvents(tx, link);
    return await continueReading(tx, link, {
      ...ended,
      phase: "verify",
      horizon: link.nextHorizon,
    });
  }
  if (link.phase === "extend") {
    // The list beyond the horizon has a token of its own, which leaves out nearer events.
    const place = { pageToken: null, phase: "settle", horizon: link.nextHorizon } as const;
    return await continueReading(tx, link, place);
  }
  return await continueReading(tx, link, { ...ended, phase: "settle" });
}

/**
 * Lists the changes again from the same token, because the page shows an event as it was before our
 * own write. A later token would leave out what somebody else has changed there. This ends: the next
 * page is read after that write.
 */
export async function listAgain(tx: Tx, link: CalendarLink): Promise<ReadingProgress> {
  await dropStagedChanges(tx, link);
  return await continueReading(tx, link, { pageToken: null });
}

/** Stores that a token is too old: the whole calendar is read anew. */
export async function restartReading(tx: Tx, link: CalendarLink): Promise<ReadingProgress> {
  if (!(await isStepDue(tx, link))) return passed;
  await dropStagedChanges(tx, link);
  return await continueReading(tx, link, { phase: "full", syncToken: null, pageToken: null });
}

/** The part of a reading is done, and the phase goes on. */
export async function continueReading(
  tx: Tx,
  link: CalendarLink,
  place: Partial<CalendarLink> = {},
): Promise<ReadingProgress> {
  await storePlace(tx, link, { ...place, readStep: link.readStep + 1 });
  return { more: true, waitMs: 0 };
}

/**
 * Ends a round. Busy times that the whole list did not name are free.
 * @returns the wait until the next round
 */
export async function endReading(tx: Tx, link: CalendarLink): Promise<ReadingProgress> {
  await removeUnseenBlocks(tx, link);
  const isAnnounced =
    link.pollReason === null && link.channelExpiresAt !== null && link.channelExpiresAt > tx.now;
  const waitMs = isAnnounced ? announcedMs : polledMs;
  await storePlace(tx, link, {
    phase: "delta",
    readStep: link.readStep + 1,
    lastSyncedAt: tx.now,
    readDueAt: new Date(tx.now.getTime() + waitMs),
  });
  await noteConnectionSynced(tx, link.connectionId);
  // The first reading, or the run that keeps the channel was lost.
  if (!isAnnounced && link.pollReason === null) await request(tx, watchCommand(link));
  return { more: false, waitMs };
}

async function removeUnseenBlocks(tx: Tx, link: CalendarLink): Promise<void> {
  const { affected } = await tx.manager.delete(BusyBlock, {
    linkId: link.id,
    generation: LessThan(link.generation),
    endTime: MoreThan(new Date(tx.now.getTime() - pastMs)),
  });
  if ((affected ?? 0) > 0) await recordChange(tx, { kind: "agenda.updated" });
}

/** Stores the next round of a calendar that could not be read. */
export async function postponeReading(tx: Tx, link: CalendarLink, waitMs: number): Promise<void> {
  if (!(await isStepDue(tx, link))) return;
  await storePlace(tx, link, { readDueAt: new Date(tx.now.getTime() + waitMs) });
}

/**
 * True while a part of a reading is the one that is due. Locks the link, so that this stays true
 * until the end of the transaction. Locks of appointments come before.
 */
export async function isStepDue(tx: Tx, link: CalendarLink): Promise<boolean> {
  const { id, accountId, readStep, generation } = link;
  const due = await tx.manager.findOne(CalendarLink, {
    where: { id, accountId, state: "connected", readStep, generation },
    lock: { mode: "pessimistic_write" },
  });
  return due !== null;
}

async function storePlace(tx: Tx, link: CalendarLink, place: Partial<CalendarLink>): Promise<void> {
  await tx.manager.update(CalendarLink, { id: link.id, accountId: link.accountId }, place);
  Object.assign(link, place);
}
