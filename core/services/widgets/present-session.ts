import type { EntityManager } from "typeorm";
import type { WidgetSession } from "../../../db/entities/widget.ts";
import { dayMs } from "../../model/durations.ts";
import { openIntervals } from "../../model/slots.ts";
import type { SessionView, VisitorView } from "../../model/widget-visit.ts";
import type { LiveWidget } from "./find-widget.ts";
import { readVisitConversation } from "./visit-conversations.ts";
import { countUnseen } from "./visit-views.ts";

/** Days ahead in which the next opening is looked for. */
const lookAheadDays = 15;

/** The state of a session, without its secrets. */
export async function presentSession(
  manager: EntityManager,
  widget: LiveWidget,
  session: WidgetSession,
  now: Date,
): Promise<Omit<SessionView, "token" | "resume">> {
  const { conversationId, readMessageId, expiresAt } = session;
  const conversation = await readVisitConversation(manager, conversationId);
  return {
    expires_at: expiresAt.toISOString(),
    visitor: presentVisitor(session),
    conversation,
    unread: await countUnseen(manager, conversationId, readMessageId),
    ...presenceOf(widget, now),
  };
}

/**
 * The visitor by what this browser, or the signed identity, has said. The contact may be known for
 * more, which an unverified visitor must not read.
 */
export function presentVisitor({ visitorId, verifiedSub, said }: WidgetSession): VisitorView {
  return {
    id: visitorId,
    name: said?.name ?? null,
    verified: verifiedSub !== null,
    has_email: said?.email !== undefined,
    has_phone: said?.phone !== undefined,
  };
}

/** Tells if people answer now, by the opening hours in the time zone of the account. */
export function presenceOf(
  { settings: { hours }, timeZone }: Pick<LiveWidget, "settings" | "timeZone">,
  now: Date,
): Pick<SessionView, "online" | "back_at"> {
  if (hours === null) return { online: true, back_at: null };
  const opening = { timeZone, weeklyHours: hours, closures: [] };
  const end = new Date(now.getTime() + lookAheadDays * dayMs);
  const [next] = openIntervals(opening, { start: now, end });
  if (next === undefined) return { online: false, back_at: null };
  const online = next.start.getTime() <= now.getTime();
  return { online, back_at: online ? null : next.start.toISOString() };
}
