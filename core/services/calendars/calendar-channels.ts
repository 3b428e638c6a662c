import { timingSafeEqual } from "node:crypto";
import { In, LessThan, Not } from "typeorm";
import type { CalendarConnection } from "../../../db/entities/calendar-connection.ts";
import { CalendarLink } from "../../../db/entities/calendar-link.ts";
import { CalendarChannel } from "../../../db/entities/calendar-read.ts";
import type { Tx } from "../../../db/transaction.ts";
import { dayMs } from "../../model/durations.ts";
import { findOwned, insertRow } from "../sql.ts";
import { findConnectedLink } from "./calendar-links.ts";
import { requestCalendarRead, setPollReason } from "./calendar-reads.ts";
import { findConnection } from "./connections.ts";

/** The next channel opens this long before the end of the present one. */
const renewMs = dayMs;

/** Channels of a calendar that is read, or of one that is not read any more. */
export type ChannelPlace =
  | {
      kind: "read";
      link: CalendarLink;
      connection: CalendarConnection;
      open: CalendarChannel | null;
    }
  | { kind: "ended"; connection: CalendarConnection | null; channels: CalendarChannel[] };

/** Reads what a calendar needs: a channel, or the end of those that it has. */
export async function findChannelPlace(tx: Tx, linkId: number): Promise<ChannelPlace> {
  const { accountId } = tx.actor;
  const found = await findConnectedLink(tx, linkId);
  const channels = await tx.manager.find(CalendarChannel, {
    where: { linkId, accountId },
    order: { createdAt: "DESC" },
  });
  if (found !== null && found.link.direction !== "write_only") {
    const open = channels.find(({ expiresAt }) => expiresAt !== null && expiresAt > tx.now);
    return { kind: "read", ...found, open: open ?? null };
  }
  const [first] = channels;
  const connection = first === undefined ? null : await findConnection(tx, first.connectionId);
  return { kind: "ended", connection, channels };
}

/** Milliseconds until a channel has to be renewed; 0 or less: now. */
export function renewalWaitMs(
  { expiresAt, createdAt }: Pick<CalendarChannel, "expiresAt" | "createdAt">,
  now: Date,
): number {
  if (expiresAt === null) return 0;
  // A channel that lives for a day or less is renewed at half of its life.
  const lifeMs = expiresAt.getTime() - createdAt.getTime();
  const renewAt = expiresAt.getTime() - Math.min(renewMs, lifeMs / 2);
  return renewAt - now.getTime();
}

/** Stores a channel before it is asked for, so that its first announcement is known. */
export async function addChannel(
  tx: Tx,
  { id: linkId, connectionId, accountId }: CalendarLink,
  { id, tokenHash }: Pick<CalendarChannel, "id" | "tokenHash">,
): Promise<void> {
  const row = { id, tokenHash, linkId, connectionId, accountId, createdAt: tx.now };
  await insertRow(tx, CalendarChannel, row);
}

/**
 * Stores the end that Google granted to a channel. Changes since the last reading are read now,
 * because nobody announced them.
 * @returns the channels before, which are to be stopped
 */
export async function openChannel(
  tx: Tx,
  link: CalendarLink,
  { id, resourceId, expiresAt }: { id: string; resourceId: string; expiresAt: Date },
): Promise<CalendarChannel[]> {
  const own = { linkId: link.id, accountId: link.accountId };
  await tx.manager.update(CalendarChannel, { id }, { resourceId, expiresAt });
  await tx.manager.update(CalendarLink, { id: link.id }, { channelExpiresAt: expiresAt });
  await setPollReason(tx, link, null);
  await tx.manager.delete(CalendarChannel, { ...own, expiresAt: LessThan(tx.now) });
  await requestCalendarRead(tx, link.id);
  return await tx.manager.findBy(CalendarChannel, { ...own, id: Not(id) });
}

/** Stores that a calendar announces nothing, and forgets the channel that was asked for. */
export async function refuseChannel(
  tx: Tx,
  link: CalendarLink,
  { id, code }: { id: string | null; code: string },
): Promise<void> {
  if (id !== null) await forgetChannels(tx, [id]);
  await setPollReason(tx, link, code);
}

/** Forgets channels. Their announcements are unknown from now on. */
export async function forgetChannels(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const { accountId } = tx.actor;
  await tx.manager.delete(CalendarChannel, { accountId, id: In([...ids]) });
}

/** An announcement of a change. */
export interface Announcement {
  channelId: string;
  /** SHA-256 of the token that came with it. */
  tokenHash: Buffer;
  /** `sync` is the first one of a channel, and announces nothing. */
  state: string;
}

const noHash = Buffer.alloc(32);

/**
 * The account and calendar of an announcement. The hash is compared in constant time, also for an
 * unknown channel.
 * @returns null for an unknown channel or another token
 */
export async function findAnnounced(
  tx: Tx,
  { channelId, tokenHash }: Announcement,
): Promise<Pick<CalendarChannel, "accountId" | "linkId"> | null> {
  const channel = await tx.manager.findOneBy(CalendarChannel, { id: channelId });
  const isRight = timingSafeEqual(channel?.tokenHash ?? noHash, tokenHash);
  return channel !== null && isRight ? channel : null;
}

/** Requests a reading. Announcements come again, so asking for changes can end. */
export async function recordAnnouncement(tx: Tx, linkId: number): Promise<void> {
  const link = await findOwned(tx, CalendarLink, { id: linkId });
  if (link === null) return;
  await tx.manager.update(CalendarLink, { id: linkId }, { lastPushAt: tx.now });
  if (link.pollReason === "push_missed") await setPollReason(tx, link, null);
  await requestCalendarRead(tx, linkId);
}
