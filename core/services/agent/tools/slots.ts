import {
  AgentConversation,
  AgentToolCall,
  type AgentTurn,
  type StoredOffer,
} from "../../../../db/entities/agent-turn.ts";
import { Service } from "../../../../db/entities/resource.ts";
import { IsNull } from "typeorm";
import type { Tx } from "../../../../db/transaction.ts";
import type { OfferedSlot, ToolInput, ToolResult } from "../../../agent/tools.ts";
import {
  chooseSlots,
  fitsSearch,
  preferAgenda,
  wantedClockOf,
  type LocalSlot,
} from "../../../agent/slot-choice.ts";
import { localTimeOf, midnightOf, momentAt } from "../../../agent/local-time.ts";
import { AppError } from "../../../errors.ts";
import { dayMs, minuteMs } from "../../../model/durations.ts";
import { listSlots, type Slot, type SlotQuery } from "../../appointments/free-slots.ts";
import { listOpeningTimes } from "../../appointments/opening-times.ts";
import { getOwnAppointment } from "./own-appointments.ts";
import { readTimePresenter } from "./present-times.ts";
import { ToolRefused, type WantedTime } from "./refusals.ts";
import type { Tool, ToolRun } from "./tool-run.ts";

/** Validity of offered times. */
export const offerMs = 15 * minuteMs;
const maxOffers = 9;
/** Times that a refused booking names. */
const maxNearest = 3;
/** Days of a search without an end, and most days of a search. */
const plainDays = 14;
const maxDays = 31;
/** Days before and after a refused time: first the few in which most times lie, then a week. */
const nearDays = [1, 7] as const;

/** Offers up to nine free times. The conversation keeps them, so that the customer can choose one. */
export const findSlots: Tool<"find_slots"> = async (run, input) => {
  const moved =
    input.appointment_id === undefined ? null : await getOwnAppointment(run, input.appointment_id);
  const serviceId =
    moved === null ? await chooseService(run, input.service_id ?? null) : moved.serviceId;
  const range = searchRange(run, input);
  const query = {
    serviceId: serviceId ?? undefined,
    resourceId: input.resource_id,
    exceptAppointmentId: moved?.id,
    ...range,
  };
  const found = (await listLocal(run, query)).filter(
    (slot) => slot.startTime.getTime() !== moved?.startTime.getTime() && fitsSearch(slot, input),
  );
  const offered = moved === null ? found : preferAgenda(found, moved.resourceId);
  const chosen = chooseSlots(offered, { max: maxOffers, ...wantedClockOf(input) });
  return { result: { slots: await offer(run, chosen, serviceId) } };
};

/** Offers the free times nearest to a refused one, of the days around it or else of the week. */
export async function offerNearest(run: ToolRun, wanted: WantedTime): Promise<OfferedSlot[]> {
  let nearest: LocalSlot[] = [];
  for (const days of nearDays) {
    nearest = await listNear(run, wanted, days);
    if (nearest.length >= maxNearest) break;
  }
  return await offer(run, nearest.slice(0, maxNearest), wanted.serviceId);
}

/** Free times within some days of a wanted one, the nearest first, no time twice. */
async function listNear(run: ToolRun, wanted: WantedTime, days: number): Promise<LocalSlot[]> {
  const { startTime, serviceId, resourceId, exceptAppointmentId } = wanted;
  const at = startTime.getTime();
  const now = run.tx.now.getTime();
  const found = await listLocal(run, {
    serviceId: serviceId ?? undefined,
    resourceId: resourceId ?? undefined,
    exceptAppointmentId,
    from: new Date(Math.max(at - days * dayMs, now)),
    to: new Date(Math.max(at, now) + days * dayMs),
  });
  const times = new Map(found.toReversed().map((slot) => [slot.startTime.getTime(), slot]));
  return [...times.values()].toSorted(
    (one, other) =>
      distance(one, at) - distance(other, at) ||
      one.startTime.getTime() - other.startTime.getTime(),
  );
}

/**
 * The service to book: the given one, or the only one of the account. Null where the account has
 * none.
 * @throws ToolRefused `service_needed`
 */
export async function chooseService({ tx }: ToolRun, given: number | null): Promise<number | null> {
  if (given !== null) return given;
  const services = await tx.manager.find(Service, {
    select: { id: true },
    where: { accountId: tx.actor.accountId, archivedAt: IsNull() },
    take: 2,
  });
  if (services.length > 1) throw new ToolRefused("service_needed");
  return services[0]?.id ?? null;
}

/** A time that the conversation offered and that is still valid; null where there is none. */
export async function findOffer(
  { tx, turn, conversation }: ToolRun,
  ref: string,
): Promise<{ offer: StoredOffer; offeredAt: Date } | null> {
  const ofTurn = turn.mode === "draft" ? await findOffersOf(tx, turn) : null;
  if (ofTurn !== null) {
    const named = ofTurn.find((one) => one.ref === ref);
    return named === undefined ? null : { offer: named, offeredAt: tx.now };
  }
  const known = await tx.manager.findOneBy(AgentConversation, {
    accountId: conversation.accountId,
    conversationId: conversation.id,
  });
  const { offers = null, offeredAt = null } = known ?? {};
  if (offeredAt === null || tx.now.getTime() - offeredAt.getTime() > offerMs) return null;
  const found = offers?.find((one) => one.ref === ref);
  return found === undefined ? null : { offer: found, offeredAt };
}

/** Times that a draft offers, which the customer sees once a person sends it; null: none. */
export async function findOffersOf(tx: Tx, turn: AgentTurn): Promise<StoredOffer[] | null> {
  const calls = await tx.manager.find(AgentToolCall, {
    where: { accountId: turn.accountId, turnId: turn.id },
    order: { id: "DESC" },
  });
  for (const { result } of calls) {
    const slots = result !== null && "slots" in result ? result.slots : nearestOf(result);
    if (slots !== undefined) return slots.map(toStored);
  }
  return null;
}

function nearestOf(result: ToolResult | null): OfferedSlot[] | undefined {
  return result !== null && !result.ok ? result.nearest : undefined;
}

function toStored({ words: _words, ...stored }: OfferedSlot): StoredOffer {
  return stored;
}

/**
 * A resource that is free at exactly this time.
 * @throws ToolRefused `past_time`, `outside_hours` or `slot_taken`, with free times near it.
 */
export async function getFreeResource({ tx }: ToolRun, wanted: WantedTime): Promise<number> {
  const { startTime, serviceId, resourceId, exceptAppointmentId } = wanted;
  const range = { start: startTime, end: new Date(startTime.getTime() + 1) };
  const [free] = await listSlots(tx, {
    serviceId: serviceId ?? undefined,
    resourceId: resourceId ?? undefined,
    exceptAppointmentId,
    from: range.start,
    to: range.end,
  });
  if (free !== undefined) return free.resourceId;
  if (startTime < tx.now) throw new ToolRefused("past_time", undefined, wanted);
  const openings = await listOpeningTimes(tx, range);
  const isOpen = openings.some((one) => {
    return one.open.length > 0 && (resourceId === null || one.resourceId === resourceId);
  });
  throw new ToolRefused(isOpen ? "slot_taken" : "outside_hours", undefined, wanted);
}

/** @throws ToolRefused `invalid_input` for a day that no calendar has. */
export function momentOf({ timeZone }: ToolRun, day: string, time: string): Date {
  const moment = momentAt(day, time, timeZone);
  if (moment !== null) return moment;
  throw new ToolRefused("invalid_input", "There is no such day. Use YYYY-MM-DD.");
}

function searchRange(
  run: ToolRun,
  { from_day: fromDay, to_day: toDay }: ToolInput<"find_slots">,
): { from: Date; to: Date } {
  const { now } = run.tx;
  const wanted = fromDay === undefined ? now : momentOf(run, fromDay, "00:00");
  const from = wanted < now ? now : wanted;
  const lastDay = toDay === undefined ? null : momentOf(run, toDay, "00:00");
  const end =
    lastDay === null
      ? midnightOf(from, run.timeZone, plainDays)
      : midnightOf(lastDay, run.timeZone, 1);
  const limit = midnightOf(from, run.timeZone, maxDays);
  return { from, to: end < limit ? end : limit };
}

/** Free times of a range. A range with too many of them is cut to its first half. */
async function listLocal(run: ToolRun, query: SlotQuery): Promise<LocalSlot[]> {
  if (query.from >= query.to) return [];
  try {
    return (await listSlots(run.tx, query)).map((slot) => toLocal(slot, run.timeZone));
  } catch (error) {
    if (!isTooMany(error)) throw error;
    const half = (query.to.getTime() - query.from.getTime()) / 2;
    return await listLocal(run, { ...query, to: new Date(query.from.getTime() + half) });
  }
}

function isTooMany(error: unknown): boolean {
  if (!(error instanceof AppError) || !Array.isArray(error.details)) return false;
  return error.details.some(({ code }) => code === "too_many_slots");
}

function toLocal({ startTime, resourceId }: Slot, timeZone: string): LocalSlot {
  return { startTime, resourceId, ...localTimeOf(startTime, timeZone) };
}

function distance({ startTime }: LocalSlot, at: number): number {
  return Math.abs(startTime.getTime() - at);
}

/** Keeps the times as `S1` to `S9`. A draft keeps them once a person sends it. */
async function offer(
  run: ToolRun,
  chosen: readonly LocalSlot[],
  serviceId: number | null,
): Promise<OfferedSlot[]> {
  const { tx, conversation } = run;
  const present = await readTimePresenter(run, chosen);
  const slots = chosen.map((slot, index) => ({
    ref: `S${index + 1}`,
    ...present(slot, serviceId),
  }));
  if (run.turn.mode !== "draft") await storeOffers(tx, conversation.id, slots.map(toStored));
  return slots;
}

/** Keeps the times that the customer is offered. */
export async function storeOffers(
  tx: Tx,
  conversationId: number,
  offers: readonly StoredOffer[],
): Promise<void> {
  await tx.manager.query(
    `INSERT INTO agent_conversations (account_id, conversation_id, offers, offered_at, updated_at)
     VALUES (?, ?, ?, ?, ?) AS new
     ON DUPLICATE KEY UPDATE offers = new.offers, offered_at = new.offered_at,
       updated_at = new.updated_at`,
    [tx.actor.accountId, conversationId, JSON.stringify(offers), tx.now, tx.now],
  );
}
