import { randomBytes, randomUUID } from "node:crypto";
import { googlePushPath } from "../core/model/calendar.ts";
import { hourMs } from "../core/model/durations.ts";
import type {
  CalendarWatchInput,
  CalendarWatchOutcome,
} from "../core/model/workflow/calendar-reading.ts";
import { hashToken } from "../core/secrets.ts";
import {
  addChannel,
  findChannelPlace,
  forgetChannels,
  openChannel,
  refuseChannel,
  renewalWaitMs,
  type ChannelPlace,
} from "../core/services/calendars/calendar-channels.ts";
import type { CalendarChannel } from "../db/entities/calendar-read.ts";
import { transaction, type Tx } from "../db/transaction.ts";
import { backOffMs, recordTrouble } from "./calendars/calendar-trouble.ts";
import type { ActivityDeps } from "./deps.ts";
import { accessOf, calendarActor } from "./read-calendar.ts";

type WatchDeps = Pick<ActivityDeps, "dataSource" | "secretBox" | "calendarPorts" | "publicUrl">;
type Run = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;
type ReadPlace = Extract<ChannelPlace, { kind: "read" }>;

/** A refused channel may be granted later, such as after a change of PUBLIC_URL. */
const refusedMs = 6 * hourMs;

/** The activity that keeps the channel by which a calendar announces its changes. */
export function createWatchCalendar(deps: WatchDeps) {
  return {
    /** Opens the next channel where one is due, and then stops those before it. */
    async keepCalendarChannel(input: CalendarWatchInput): Promise<CalendarWatchOutcome> {
      const { accountId, linkId, failures } = input;
      const run: Run = (work) => transaction(deps.dataSource, calendarActor(accountId), work);
      const now = new Date();
      const place = await run((tx) => findChannelPlace(tx, linkId));
      if (place.kind === "ended") {
        await stopAll(deps, run, place);
        return { state: "ended" };
      }
      const waitMs = place.open === null ? 0 : renewalWaitMs(place.open, now);
      if (waitMs > 0) return { state: "open", waitMs };
      return await openNext(deps, run, place, failures);
    },
  };
}

async function openNext(
  deps: WatchDeps,
  run: Run,
  place: ReadPlace,
  failures: number,
): Promise<CalendarWatchOutcome> {
  const { link } = place;
  if (!deps.publicUrl.startsWith("https:")) return await poll(run, place, null, "no_https");
  const id = randomUUID();
  const token = randomBytes(32).toString("base64url");
  await run((tx) => addChannel(tx, link, { id, tokenHash: hashToken(token) }));
  const address = `${deps.publicUrl}${googlePushPath}`;
  const port = deps.calendarPorts[link.provider];
  const result = await port.watchEvents(accessOf(deps, place), { id, token, address });
  if (result.kind === "open") {
    const { resourceId, expiresAt } = result;
    const before = await run((tx) => openChannel(tx, link, { id, resourceId, expiresAt }));
    await stopChannels(deps, run, place, before);
    const channel = { expiresAt, createdAt: new Date() };
    return { state: "open", waitMs: Math.max(0, renewalWaitMs(channel, channel.createdAt)) };
  }
  if (result.kind === "refused") return await poll(run, place, id, result.code);
  const isOver = await run(async (tx) => {
    await forgetChannels(tx, [id]);
    return await recordTrouble(tx, place, result);
  });
  if (isOver) return { state: "ended" };
  return { state: "waiting", waitMs: backOffMs(failures), code: result.code };
}

async function poll(
  run: Run,
  { link }: ReadPlace,
  id: string | null,
  code: string,
): Promise<CalendarWatchOutcome> {
  await run((tx) => refuseChannel(tx, link, { id, code }));
  return { state: "polling", waitMs: refusedMs, code };
}

/** A channel that cannot be stopped ends by itself. Its announcements are unknown then. */
async function stopChannels(
  deps: WatchDeps,
  run: Run,
  place: Pick<ReadPlace, "link" | "connection">,
  channels: readonly CalendarChannel[],
): Promise<void> {
  for (const { id, resourceId } of channels) {
    if (resourceId === null) continue;
    await deps.calendarPorts[place.link.provider].stopChannel(accessOf(deps, place), {
      id,
      resourceId,
    });
  }
  const ids = channels.map(({ id }) => id);
  await run((tx) => forgetChannels(tx, ids));
}

async function stopAll(
  deps: WatchDeps,
  run: Run,
  { connection, channels }: Extract<ChannelPlace, { kind: "ended" }>,
): Promise<void> {
  const isUsable = connection?.state === "connected" && connection.sealed !== null;
  for (const { id, resourceId } of channels) {
    if (!isUsable || resourceId === null) continue;
    const access = accessOf(deps, { connection, link: { calendarId: "" } });
    await deps.calendarPorts.google.stopChannel(access, { id, resourceId });
  }
  const ids = channels.map(({ id }) => id);
  await run((tx) => forgetChannels(tx, ids));
}
