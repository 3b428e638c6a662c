import { IsNull } from "typeorm";
import { BookingLink, BookingSlug } from "../../../db/entities/booking-link.ts";
import { Resource, Service } from "../../../db/entities/resource.ts";
import type { Tx } from "../../../db/transaction.ts";
import { invalidField } from "../../errors.ts";
import type { BookingLinkCreateBody, BookingLinkPatchBody } from "../../model/booking-link.ts";
import { randomBase62 } from "../../secrets.ts";
import type { Page, PageBounds } from "../../model/page.ts";
import { recordAgendaChange } from "../appointments/agenda-changes.ts";
import { actingUserId } from "../accounts/actor.ts";
import { requireOffered } from "../appointments/service-offers.ts";
import { findPage, getOwned, insertOrLose, insertRow, lockOwned } from "../sql.ts";
import { auditOf } from "../accounts/audit.ts";
import { requireRoom } from "../accounts/require-room.ts";

const audit = auditOf("booking_link");

/** Maximum number of booking links of an account. */
const maxLinks = 100;
const limit = {
  max: maxLinks,
  code: "too_many_links",
  message: `An account has at most ${maxLinks} booking links. Delete one first.`,
};
const slugLength = 26;
/** Maximum number of readable slugs of a link, past ones included. */
const maxSlugs = 10;

/** The account's booking links, newest first, and their total. */
export async function listBookingLinks(tx: Tx, page: PageBounds): Promise<Page<BookingLink>> {
  return await findPage(tx, BookingLink, page, {
    where: { accountId: tx.actor.accountId, deletedAt: IsNull() },
    order: { id: "DESC" },
  });
}

/** @throws AppError `booking_link_not_found` */
export async function getBookingLink(tx: Tx, id: number): Promise<BookingLink> {
  return await getOwned(tx, BookingLink, "booking_link", { id, deletedAt: IsNull() });
}

/**
 * Creates a booking link with a URL of its own.
 * @throws AppError `validation_error` for the 101st link, without both resource and service, and
 * for an unknown or archived one, or a slug of another link; `service_not_offered`.
 */
export async function createBookingLink(
  tx: Tx,
  { title, resource_id, service_id, enabled, own_slug }: BookingLinkCreateBody,
): Promise<BookingLink> {
  await requireRoom(tx, BookingLink, { deletedAt: IsNull() }, limit);
  const target = { resourceId: resource_id, serviceId: service_id };
  await requireTarget(tx, target);
  const row = tx.manager.create(BookingLink, {
    accountId: tx.actor.accountId,
    slug: randomBase62(slugLength),
    ownSlug: own_slug,
    title,
    ...target,
    enabled,
    createdByUserId: actingUserId(tx.actor),
    deletedAt: null,
    createdAt: tx.now,
    updatedAt: tx.now,
    version: 1,
  });
  row.id = await insertRow(tx, BookingLink, row);
  if (own_slug !== null) await claimSlug(tx, row.id, own_slug);
  await recordAgendaChange(
    tx,
    audit("created", row.id, { title, resource_id, service_id, enabled, own_slug }),
  );
  return row;
}

/**
 * Changes the fields sent, from the next visit on. Equal values change nothing.
 * @throws AppError as `createBookingLink`, and `booking_link_not_found`.
 */
export async function updateBookingLink(
  tx: Tx,
  id: number,
  patch: BookingLinkPatchBody,
): Promise<BookingLink> {
  const row = await lockBookingLink(tx, id);
  const next = {
    title: patch.title ?? row.title,
    resourceId: patch.resource_id === undefined ? row.resourceId : patch.resource_id,
    serviceId: patch.service_id === undefined ? row.serviceId : patch.service_id,
    enabled: patch.enabled ?? row.enabled,
    ownSlug: patch.own_slug === undefined ? row.ownSlug : patch.own_slug,
  };
  const moved = next.resourceId !== row.resourceId || next.serviceId !== row.serviceId;
  const isRenamed = next.title !== row.title || next.ownSlug !== row.ownSlug;
  if (!moved && !isRenamed && next.enabled === row.enabled) return row;
  // A link can be switched off even if its resource or service was archived.
  if (moved) await requireTarget(tx, next);
  if (next.ownSlug !== null) await claimSlug(tx, id, next.ownSlug);
  const changed = { ...next, updatedAt: tx.now, version: row.version + 1 };
  await tx.manager.update(BookingLink, id, changed);
  await recordAgendaChange(tx, audit("updated", id, { ...patch }));
  return Object.assign(row, changed);
}

/** Deletes a link. Its page says that it is no longer in use. Its bookings can still be changed. */
export async function deleteBookingLink(tx: Tx, id: number): Promise<void> {
  const row = await lockBookingLink(tx, id);
  const deleted = { deletedAt: tx.now, updatedAt: tx.now, version: row.version + 1 };
  await tx.manager.update(BookingLink, id, deleted);
  await recordAgendaChange(tx, audit("deleted", id, { title: row.title }));
}

/**
 * Gives a slug to a link for good. A link keeps its earlier slugs, so that their addresses work,
 * and can choose each of them again.
 */
async function claimSlug(tx: Tx, linkId: number, slug: string): Promise<void> {
  const known = await tx.manager.findOneBy(BookingSlug, { slug });
  if (known === null) {
    await requireFewSlugs(tx, linkId);
    const row = { accountId: tx.actor.accountId, linkId, slug, createdAt: tx.now };
    await insertOrLose(async () => await insertRow(tx, BookingSlug, row));
  } else if (known.linkId !== linkId) {
    const message = "Another booking link has this address. Choose another one.";
    throw invalidField("body.own_slug", "slug_taken", message);
  }
}

/** Slugs are never given back, so that one account cannot take all good names. */
async function requireFewSlugs(tx: Tx, linkId: number): Promise<void> {
  const { accountId } = tx.actor;
  if ((await tx.manager.countBy(BookingSlug, { accountId, linkId })) < maxSlugs) return;
  const message = `A link has at most ${maxSlugs} addresses. Choose one of its earlier ones.`;
  throw invalidField("body.own_slug", "too_many_slugs", message);
}

async function requireTarget(
  tx: Tx,
  { resourceId, serviceId }: Pick<BookingLink, "resourceId" | "serviceId">,
): Promise<void> {
  const { accountId } = tx.actor;
  const current = (id: number) => ({ id, accountId, archivedAt: IsNull() });
  if (resourceId !== null && !(await tx.manager.existsBy(Resource, current(resourceId)))) {
    const message = "Name a resource of this account that is not archived.";
    throw invalidField("body.resource_id", "unknown_resource", message);
  }
  if (serviceId !== null && !(await tx.manager.existsBy(Service, current(serviceId)))) {
    const message = "Name a service of this account that is not archived.";
    throw invalidField("body.service_id", "unknown_service", message);
  }
  if (resourceId !== null) return await requireOffered(tx, serviceId, resourceId);
  if (serviceId !== null) return;
  const message = "Send a resource, a service or both.";
  throw invalidField("body.resource_id", "resource_or_service_required", message);
}

async function lockBookingLink(tx: Tx, id: number): Promise<BookingLink> {
  return await lockOwned(tx, BookingLink, "booking_link", { id, deletedAt: IsNull() });
}
