import { networkOf } from "../../core/network.ts";
import { AppError } from "../../core/errors.ts";
import type { ProofOfWork } from "../../core/proof-of-work.ts";
import { createRateLimiter, requireTokens, type RateLimiter } from "../http/rate-limit.ts";
import { turnstilePrefix, type Turnstile } from "./turnstile.ts";

/** Limits for visitors of web chat, counted in each process. They hold before the AI agent. */
export interface WidgetLimits {
  /** Sessions that begin or go on, by network: of a minute, and of an hour. */
  sessions: RateLimiter;
  hourlySessions: RateLimiter;
  /** Soft limit of the same by network: above it a call brings a proof of work. */
  softSessions: RateLimiter;
  /** Messages of one session. */
  messages: RateLimiter;
  /** Conversations that begin, by network, and by widget from all networks. */
  conversations: RateLimiter;
  widgetConversations: RateLimiter;
  /** Soft limits of the same. */
  softConversations: RateLimiter;
  softWidgetConversations: RateLimiter;
  /** Signs of typing of one session. */
  typing: RateLimiter;
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
    softSessions: createRateLimiter({ perMinute: 0.5, burst: 8 }, nowMs),
    messages: createRateLimiter({ perMinute: 20, burst: 5 }, nowMs),
    conversations: createRateLimiter({ perMinute: 0.1, burst: 6 }, nowMs),
    widgetConversations: createRateLimiter({ perMinute: 60, burst: 60 }, nowMs),
    softConversations: createRateLimiter({ perMinute: 0.05, burst: 3 }, nowMs),
    softWidgetConversations: createRateLimiter({ perMinute: 30, burst: 30 }, nowMs),
    typing: createRateLimiter({ perMinute: 30, burst: 2 }, nowMs),
    uploads: createRateLimiter({ perMinute: 0.5, burst: 5 }, nowMs),
    calls: createRateLimiter({ perMinute: 120, burst: 60 }, nowMs),
  };
}

/** Parts of the API that tell visitors from programs. */
interface Provers {
  proofOfWork: ProofOfWork;
  turnstile: Turnstile | null;
}

/** Parts of the API that count visitors. */
interface Counters extends Provers {
  widgetLimits: WidgetLimits;
}

/**
 * Counts a call of POST /sessions.
 * @throws AppError `proof_required`, `rate_limited`
 */
export async function countSession(
  { widgetLimits: limits, ...provers }: Counters,
  ip: string,
  proof: string | undefined,
): Promise<void> {
  const network = networkOf(ip);
  if (!limits.softSessions(network).allowed) await requireProof(provers, proof);
  requireSession(limits, network);
}

/**
 * Counts the session that a reset begins. Without it a program would get endless sessions, each with
 * limits of its own. A logout does no proof of work.
 * @throws AppError `rate_limited`
 */
export function countReset({ widgetLimits }: Pick<Counters, "widgetLimits">, ip: string): void {
  requireSession(widgetLimits, networkOf(ip));
}

function requireSession({ sessions, hourlySessions }: WidgetLimits, network: string): void {
  requireTokens(sessions, network);
  requireTokens(hourlySessions, network);
}

/**
 * Counts a message. The first one of a session begins a conversation. One limit that refuses costs
 * the widget nothing.
 * @throws AppError `proof_required`, `rate_limited`
 */
export async function countMessage(
  { widgetLimits: limits, ...provers }: Counters,
  ip: string,
  visit: { sessionId: number; widgetId: number; contactId: number | null },
  proof: string | undefined,
): Promise<void> {
  requireTokens(limits.messages, String(visit.sessionId));
  if (visit.contactId !== null) return;
  const isUsual =
    limits.softConversations(networkOf(ip)).allowed &&
    limits.softWidgetConversations(String(visit.widgetId)).allowed;
  if (!isUsual) await requireProof(provers, proof);
  requireTokens(limits.conversations, networkOf(ip));
  requireTokens(limits.widgetConversations, String(visit.widgetId));
}

/**
 * Asks for a proof of work where a form's hidden field is filled. A person whose browser filled it
 * gets on, and a program pays.
 * @throws AppError `proof_required`
 */
export async function checkTrap(
  provers: Provers,
  { website = "", proof }: { website?: string | undefined; proof?: string | undefined },
): Promise<void> {
  if (website !== "") await requireProof(provers, proof);
}

/**
 * Turnstile alone counts once it is set up. A proof of work is the way while Cloudflare is away.
 * The refusal carries a new challenge, also where the proof was used before.
 */
async function requireProof(
  { proofOfWork, turnstile }: Provers,
  proof: string | undefined,
): Promise<void> {
  const token = proof?.startsWith(turnstilePrefix) ? proof.slice(turnstilePrefix.length) : null;
  if (token !== null && turnstile !== null && (await turnstile.redeem(token))) return;
  // Read after the call, which may have found that Cloudflare is away.
  const task = turnstile?.task() ?? null;
  if (task !== null) throw new AppError("proof_required", { details: { turnstile: task } });
  if (proof !== undefined && token === null && (await proofOfWork.redeem(proof))) return;
  const challenge = await proofOfWork.createChallenge();
  throw new AppError("proof_required", { details: { ...challenge } });
}
