import { networkOf } from "../../core/network.ts";
import { createRateLimiter, requireTokens, type RateLimiter } from "../http/rate-limit.ts";

/** Limits for visitors of web chat, counted in each process. They hold before the AI agent. */
export interface WidgetLimits {
  /** Sessions that begin or go on, by network: of a minute, and of an hour. */
  sessions: RateLimiter;
  hourlySessions: RateLimiter;
  /** Messages of one session. */
  messages: RateLimiter;
  /** Conversations that begin, by network, and by widget from all networks. */
  conversations: RateLimiter;
  widgetConversations: RateLimiter;
  /** Files of one session. */
  uploads: RateLimiter;
  /** Every other call of one session. */
  calls: RateLimiter;
}

/** The limits of one process. @param nowMs clock of a test */
export function createWidgetLimits(nowMs?: () => number): WidgetLimits {
  return {
    sessions: createRateLimiter({ perMinute: 10, burst: 10 }, nowMs),
    hourlySessions: createRateLimiter({ perMinute: 1, burst: 60 }, nowMs),
    messages: createRateLimiter({ perMinute: 20, burst: 5 }, nowMs),
    conversations: createRateLimiter({ perMinute: 0.1, burst: 6 }, nowMs),
    widgetConversations: createRateLimiter({ perMinute: 60, burst: 60 }, nowMs),
    uploads: createRateLimiter({ perMinute: 0.5, burst: 5 }, nowMs),
    calls: createRateLimiter({ perMinute: 120, burst: 60 }, nowMs),
  };
}

/** Counts a call of POST /sessions. @throws AppError `rate_limited` */
export function countSession(limits: WidgetLimits, ip: string): void {
  const network = networkOf(ip);
  requireTokens(limits.sessions, network);
  requireTokens(limits.hourlySessions, network);
}

/**
 * Counts a message. The first one of a session begins a conversation. One limit that refuses costs
 * the widget nothing.
 * @throws AppError `rate_limited`
 */
export function countMessage(
  limits: WidgetLimits,
  ip: string,
  visit: { sessionId: number; widgetId: number; contactId: number | null },
): void {
  requireTokens(limits.messages, String(visit.sessionId));
  if (visit.contactId !== null) return;
  requireTokens(limits.conversations, networkOf(ip));
  requireTokens(limits.widgetConversations, String(visit.widgetId));
}
