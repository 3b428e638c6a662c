import { In, Between, MoreThan } from "typeorm";
import { Appointment } from "../../../db/entities/appointment.ts";
import { CalendarFeed } from "../../../db/entities/calendar-feed.ts";
import { Resource } from "../../../db/entities/resource.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { CalendarFile } from "../../calendars/calendar-file.ts";
import { dayMs } from "../../model/durations.ts";
import type { Page, PageBounds } from "../../model/page.ts";
import { asLocale, type Locale } from "../../model/user.ts";
import { hashToken, randomBase62 } from "../../secrets.ts";
import { actingUserId } from "../accounts/actor.ts";
import { auditOf, recordAudit } from "../accounts/audit.ts";
import { getAccount } from "../accounts/accounts.ts";
import { getResource } from "../appointments/resources.ts";
import { findPage, getOwned, insertRow, lockOwned } from "../sql.ts";
import { describeEntries } from "./calendar-entries.ts";

/** A feed with its token, which is shown this once and never again. */
export interface IssuedFeed {
  row: CalendarFeed;
  token: string;
}

const audit = auditOf("calendar_feed");

const tokenLength = 26;
/** Time in the past that a feed shows. */
const pastMs = 30 * dayMs;
/** Time that a cancelled appointment stays in a feed, so that every program removes it. */
const cancelledMs = 30 * dayMs;
const aheadMs = 366 * dayMs;
/** Most appointments of a feed: more than a calendar can show. */
const maxEntries = 5_000;

/** Word for a time without its appointment. */
const busy: Record<Locale, string> = { en: "Busy", es: "Ocupado" };

/** Makes a feed of a resource. @throws AppError `resource_not_found` */
export async function createFeed(
  tx: Tx,
  resourceId: number,
  timesOnly: boolean,
): Promise<IssuedFeed> {
  await getResource(tx, resourceId);
  const token = randomBase62(tokenLength);
  const { accountId } = tx.actor;
  const id = await insertRow(tx, CalendarFeed, {
    accountId,
    resourceId,
    tokenHash: hashToken(token),
    timesOnly,
    createdByUserId: actingUserId(tx.actor),
    createdAt: tx.now,
  });
  await recordAudit(tx, audit("created", id, { resource_id: resourceId, times_only: timesOnly }));
  return { row: await getOwned(tx, CalendarFeed, "calendar_feed", { id }), token };
}

/** Feeds of a resource, newest first, revoked ones too. @throws AppError `resource_not_found` */
export async function listFeeds(
  tx: Tx,
  resourceId: number,
  page: PageBounds,
): Promise<Page<CalendarFeed>> {
  await getResource(tx, resourceId);
  return await findPage(tx, CalendarFeed, page, {
    where: { accountId: tx.actor.accountId, resourceId },
    order: { id: "DESC" },
  });
}

/** Ends a feed for good. A revoked one stays so. @throws AppError `calendar_feed_not_found` */
export async function revokeFeed(tx: Tx, id: number): Promise<CalendarFeed> {
  const row = await lockOwned(tx, CalendarFeed, "calendar_feed", { id });
  if (row.revokedAt !== null) return row;
  row.revokedAt = tx.now;
  await tx.manager.update(CalendarFeed, id, { revokedAt: tx.now });
  await recordAudit(tx, audit("revoked", id, { resource_id: row.resourceId }));
  return row;
}

/** The feed behind a token, of any account that is not disabled; null where there is none. */
export async function findFeed(tx: Tx, token: string): Promise<CalendarFeed | null> {
  return await tx.manager
    .createQueryBuilder(CalendarFeed, "f")
    .innerJoin("accounts", "a", "a.id = f.account_id AND a.disabled_at IS NULL")
    .where("f.token_hash = :hash AND f.revoked_at IS NULL", { hash: hashToken(token) })
    .getOne();
}

/** Content of a feed; null if its resource was deleted. */
export async function readFeed(
  tx: Tx,
  { resourceId, timesOnly }: CalendarFeed,
  publicUrl: string,
): Promise<CalendarFile | null> {
  const { accountId } = tx.actor;
  const resource = await tx.manager.findOneBy(Resource, { accountId, id: resourceId });
  if (resource === null) return null;
  const own = {
    accountId,
    resourceId,
    startTime: Between(after(tx, -pastMs), after(tx, aheadMs)),
  };
  // A replaced appointment is no entry: its replacement has the same UID.
  const rows = await tx.manager.find(Appointment, {
    where: [
      { ...own, status: In(["confirmed", "completed", "no_show"]) },
      { ...own, status: "cancelled", cancelledAt: MoreThan(after(tx, -cancelledMs)) },
    ],
    order: { startTime: "ASC", id: "ASC" },
    take: maxEntries,
  });
  const locale = asLocale((await getAccount(tx)).locale);
  const worded = rows.map((appointment) => ({
    appointment,
    summary: timesOnly ? busy[locale] : appointment.title,
    location: null,
  }));
  return { name: resource.name, entries: await describeEntries(tx, publicUrl, worded) };
}

function after({ now }: Tx, ms: number): Date {
  return new Date(now.getTime() + ms);
}
