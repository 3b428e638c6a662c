import { mapGoogleEvent, type MappedEvent } from "../../calendars/google-mapping.ts";
import type { GoogleEventBody } from "../../calendars/google-event.ts";
import { CalendarChannel } from "../../../db/entities/calendar-read.ts";
import type { Tx } from "../../../db/transaction.ts";
import { minuteMs } from "../../model/durations.ts";
import { putBusyBlocks, type BusyTime } from "../calendars/busy-blocks.ts";
import { requestCalendarRead, setPollReason } from "../calendars/calendar-reads.ts";
import { noteGoneCopies } from "./calendly-copied-events.ts";
import { eventIdOf, loadBatch } from "./intake-batch.ts";
import { applyEvent } from "./intake-event.ts";
import {
  endPage,
  endReading,
  continueReading,
  isStepDue,
  listAgain,
  markSeen,
  passed,
  type CalendarReading,
  type ReadingProgress,
} from "./reading.ts";
import { settleSeries } from "./series-changes.ts";

/** Events of a list, as Google answered it. */
export interface ListedEvents {
  events: readonly GoogleEventBody[];
  timeZone: string;
  nextPageToken: string | null;
  nextSyncToken: string | null;
}

/** Result of a part of a reading. */
export type PageResult = ReadingProgress & {
  /** Changes of the agenda that somebody else made. */
  changed: number;
};

/** A change that is announced at all is announced within this time. */
const announceMs = 5 * minuteMs;

/**
 * Applies a page of a list. The page is applied once: a second try finds the next part due.
 * @param announced the round was begun by an announcement
 */
export async function applyPage(
  tx: Tx,
  reading: CalendarReading,
  page: ListedEvents,
  announced: boolean,
): Promise<PageResult> {
  const { link } = reading;
  const view = { ...reading.view, timeZone: page.timeZone };
  const mapped = page.events.map((event) => mapGoogleEvent(event, view));
  const applied = await applyEvents(tx, reading, mapped);
  if (applied === null) return { ...passed, changed: 0 };
  const { changed, changedAt, stale } = applied;
  const current = mapped.map(eventIdOf).filter((eventId) => !stale.has(eventId));
  await markSeen(tx, link, link.phase === "full" ? current : []);
  if (link.phase === "delta" && !announced) await noteMissed(tx, reading, changedAt);
  const isOutdated = link.phase === "delta" && stale.size > 0;
  return { ...(await (isOutdated ? listAgain(tx, link) : endPage(tx, link, page))), changed };
}

/** Applies events that were asked for one by one. An event that Google does not know is removed. */
export async function applyVerified(
  tx: Tx,
  reading: CalendarReading,
  found: { eventId: string; event: GoogleEventBody | null }[],
): Promise<PageResult> {
  // Only the list names the calendar's zone, and appointments have times of their own.
  const view = { ...reading.view, timeZone: "UTC" };
  const mapped = found.map(({ eventId, event }): MappedEvent =>
    event === null
      ? mapGoogleEvent({ id: eventId, status: "cancelled" }, view)
      : mapGoogleEvent(event, view),
  );
  const applied = await applyEvents(tx, reading, mapped);
  if (applied === null) return { ...passed, changed: 0 };
  const current = found.filter(({ eventId }) => !applied.stale.has(eventId));
  await markSeen(
    tx,
    reading.link,
    current.map(({ eventId }) => eventId),
  );
  return { ...(await continueReading(tx, reading.link)), changed: applied.changed };
}

/** Applies the instances of one changed series, or ends the round where none is left. */
export async function settleReading(tx: Tx, { link }: CalendarReading): Promise<PageResult> {
  const settled = await settleSeries(tx, link);
  if (!(await isStepDue(tx, link))) return { ...passed, changed: 0 };
  if (settled === null) return { ...(await endReading(tx, link)), changed: 0 };
  return { ...(await continueReading(tx, link, { phase: "settle" })), changed: settled.changed };
}

interface AppliedEvents {
  changed: number;
  /** Moments of the changes. */
  changedAt: Date[];
  /** Ids of events that were left, since our own write came after the page was read. */
  stale: Set<string>;
}

/** @returns null where another run has applied this part already */
async function applyEvents(
  tx: Tx,
  { link, readAt }: CalendarReading,
  events: readonly MappedEvent[],
): Promise<AppliedEvents | null> {
  const known = await loadBatch(tx, link, events);
  if (!(await isStepDue(tx, link))) return null;
  const horizon = (link.phase === "delta" ? link.horizon : link.nextHorizon) ?? readAt;
  const batch = {
    ...known,
    link,
    readAt,
    horizon,
    isFirstReading: link.lastSyncedAt === null,
    pairsSeries: link.phase === "full" ? link.generation > 1 : link.phase !== "extend",
  };
  await noteGoneCopies(tx, batch, events);
  const blocks: BusyTime[] = [];
  const changedAt: Date[] = [];
  let changed = 0;
  const stale = new Set<string>();
  for (const event of events) {
    const effect = await applyEvent(tx, batch, event);
    if (effect.block !== null) blocks.push(effect.block);
    if (effect.changed) changed += 1;
    if (effect.changed && effect.at !== null) changedAt.push(effect.at);
    if (effect.isStale === true) stale.add(eventIdOf(event));
  }
  await putBusyBlocks(tx, blocks);
  if (stale.size > 0 && link.phase === "extend") await requestCalendarRead(tx, link.id);
  return { changed, changedAt, stale };
}

/**
 * A reading that nobody announced has found a change which should have been announced. From now on
 * the calendar is asked, until an announcement comes.
 */
async function noteMissed(
  tx: Tx,
  { link }: CalendarReading,
  changedAt: readonly Date[],
): Promise<void> {
  if (link.pollReason !== null || link.channelExpiresAt === null) return;
  const [channel] = await tx.manager.find(CalendarChannel, {
    where: { linkId: link.id },
    order: { createdAt: "ASC" },
    take: 1,
  });
  const opened = channel?.createdAt ?? tx.now;
  const latest = tx.now.getTime() - announceMs;
  const isMissed = changedAt.some((at) => at > opened && at.getTime() < latest);
  if (!isMissed) return;
  await setPollReason(tx, link, "push_missed");
  link.pollReason = "push_missed";
}
