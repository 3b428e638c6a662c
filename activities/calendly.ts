import { calendlyToken } from "../core/calendars/calendly-credentials.ts";
import type { InviteeRef } from "../core/calendars/calendly-ids.ts";
import { readWebhook, type CalendlyInvitee } from "../core/calendars/calendly-payload.ts";
import type {
  CalendlyInviteeRun,
  CalendlyPairOutcome,
  CalendlyRequestOutcome,
  CalendlyRequestRun,
  CalendlyTellOutcome,
} from "../core/model/workflow/calendly.ts";
import {
  applyInvitee,
  cancelHeld,
  endHold,
} from "../core/services/calendar-intake/calendly-intake.ts";
import {
  findOpenCalendly,
  type OpenCalendly,
} from "../core/services/calendars/calendly-accounts.ts";
import {
  findHeldInvitee,
  findUntoldChange,
  storeTold,
  type UntoldChange,
} from "../core/services/calendars/calendly-own-changes.ts";
import {
  endCalendlyRequest,
  findQueuedRequest,
} from "../core/services/calendars/calendly-requests.ts";
import { disconnectConnection } from "../core/services/calendars/connections.ts";
import type { CalendlyInviteeRow } from "../db/entities/calendly.ts";
import { transaction, type Tx } from "../db/transaction.ts";
import {
  callsOf,
  CalendlyAway,
  CalendlyRefused,
  CalendlyTokenInvalid,
  type CalendlyCalls,
} from "./calendars/calendly-calls.ts";
import { openFreshCalendly, renewRefused } from "./calendars/calendly-tokens.ts";
import type { ActivityDeps } from "./deps.ts";

/** Dependencies of all work with Calendly. */
export type CalendlyDeps = Pick<
  ActivityDeps,
  "dataSource" | "secretBox" | "calendly" | "log" | "publicUrl"
>;

/** Code of work that stops because its token was just renewed. The next try has the new one. */
export const tokenRenewed = "token_renewed";

/** Most invitees of one chain of moves that are asked for. */
const maxChain = 20;

/** A connection under work. */
export interface CalendlyWork extends OpenCalendly {
  calls: CalendlyCalls;
  run: Run;
  /** Renews the token after its refusal. @returns false if a person has to connect again */
  renew(this: void): Promise<boolean>;
}

/** Runs a transaction as what a calendar does. */
export type Run = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;

/** Transactions of an account. New contacts read as made in the Dashboard, where it was connected. */
export function runOf({ dataSource }: CalendlyDeps, accountId: number): Run {
  return async (work) => await transaction(dataSource, { actor: actorOf(accountId) }, work);
}

function actorOf(accountId: number) {
  return { type: "calendar", accountId } as const;
}

/**
 * Opens a connection, or null if it is gone or needs a person.
 * @throws CalendlyAway if its token has to be renewed, and Calendly does not answer
 */
export async function openWork(
  deps: CalendlyDeps,
  accountId: number,
  connectionId: number,
): Promise<CalendlyWork | null> {
  const run = runOf(deps, accountId);
  const { calendly, secretBox, dataSource } = deps;
  const tokens = { calendly, secretBox, dataSource };
  const actor = actorOf(accountId);
  try {
    const open = await openFreshCalendly(tokens, actor, connectionId);
    if (open === null) return null;
    const calls = callsOf(calendly, calendlyToken(open.credentials));
    return { ...open, run, calls, renew: async () => await renewRefused(tokens, actor, open) };
  } catch (error) {
    if (!(error instanceof CalendlyTokenInvalid)) throw error;
    const known = await run((tx) => findOpenCalendly(tx, secretBox, connectionId));
    if (known !== null) await disconnect({ ...known, run });
    return null;
  }
}

/** Ends a connection whose credentials Calendly refuses. */
async function disconnect({
  run,
  connection,
  credentials,
}: Pick<CalendlyWork, "run" | "connection" | "credentials">): Promise<void> {
  const code = "token" in credentials ? "token_invalid" : "grant_revoked";
  await run((tx) => disconnectConnection(tx, connection, code));
}

/**
 * Applies an invitee, after those before it in a chain of moves that nobody has told us of.
 * @returns true where something changed
 * @throws CalendlyAway, CalendlyTokenInvalid
 */
export async function applyChain(
  { run, calls, connection }: CalendlyWork,
  invitee: CalendlyInvitee,
): Promise<boolean> {
  const chain = [invitee];
  let changed = false;
  while (chain.length > 0) {
    const [next] = chain;
    if (next === undefined) break;
    const orphan = chain.length > maxChain;
    const applied = await run((tx) => applyInvitee(tx, connection.id, next, { orphan }));
    const before = applied.missing === null ? null : await findVisible(calls, applied.missing);
    if (before !== null) {
      chain.unshift(before);
      continue;
    }
    if (applied.missing !== null) {
      await run((tx) => applyInvitee(tx, connection.id, next, { orphan: true }));
    }
    changed ||= applied.missing !== null || applied.changed;
    chain.shift();
  }
  return changed;
}

/** The steps of webhooks, of pairs and of our own changes. Each may run twice. */
export function createCalendlyWork(deps: CalendlyDeps) {
  const { log } = deps;
  return {
    /** Applies a stored webhook. */
    async applyCalendlyRequest(input: CalendlyRequestRun): Promise<CalendlyRequestOutcome> {
      const { accountId, requestId } = input;
      const run = runOf(deps, accountId);
      const stored = await run((tx) => findQueuedRequest(tx, requestId));
      if (stored === null) return { state: "ignored" };
      const work = await openWork(deps, accountId, stored.connectionId);
      const webhook = readWebhook(stored.body?.toString("utf8") ?? "");
      const isApplied = work !== null && (await applyWebhook(work, webhook));
      const state = isApplied ? "applied" : "ignored";
      await run((tx) => endCalendlyRequest(tx, requestId, state));
      log.info({ request_id: requestId, kind: webhook?.kind, state }, "calendly.webhook_applied");
      return { state };
    },

    /** Looks for the other half of a move whose time is over. */
    async settleCalendlyPair(input: CalendlyInviteeRun): Promise<CalendlyPairOutcome> {
      const { accountId, inviteeId } = input;
      const run = runOf(deps, accountId);
      const held = await run((tx) => findHeldInvitee(tx, inviteeId));
      if (held === null) return { state: "over" };
      const work = await openWork(deps, accountId, held.connectionId);
      const settled =
        work === null ? null : await unlessInvalid(work, () => settleHeld(work, held));
      const state = settled ?? "left";
      // Without an answer nobody knows of a cancellation, so the appointment stays.
      if (state === "left") await run((tx) => endHold(tx, inviteeId));
      log.info({ invitee_id: inviteeId, state }, "calendly.pair_settled");
      return { state };
    },

    /** Tells Calendly of a visit that was cancelled or missed here. */
    async tellCalendly(input: CalendlyInviteeRun): Promise<CalendlyTellOutcome> {
      const { accountId, inviteeId } = input;
      const run = runOf(deps, accountId);
      for (;;) {
        const change = await run((tx) => findUntoldChange(tx, inviteeId));
        if (change === null) return { state: "over" };
        const { invitee, status } = change;
        const work = await openWork(deps, accountId, invitee.connectionId);
        const told =
          work === null ? null : await unlessInvalid(work, () => sendChange(work.calls, change));
        const isEnded = await run((tx) => storeTold(tx, invitee, told ?? {}));
        log.info({ invitee_id: inviteeId, status, again: !isEnded }, "calendly.told");
        if (isEnded) return { state: told === null ? "over" : "told" };
      }
    },
  };
}

/** @returns false where the webhook says nothing that we know */
async function applyWebhook(
  work: CalendlyWork,
  webhook: ReturnType<typeof readWebhook>,
): Promise<boolean> {
  const ref = webhook?.ref ?? null;
  if (webhook === null || ref === null) return false;
  const applied = await unlessInvalid(work, async () => {
    const invitee = webhook.invitee ?? (await findVisible(work.calls, ref));
    if (invitee !== null) await applyChain(work, invitee);
    return invitee !== null;
  });
  return applied === true;
}

/**
 * Asks Calendly for the other half of a move. The appointment is moved to it, or cancelled if there
 * is none.
 * @returns `left` where Calendly refuses to tell of the first half; then nothing has changed
 * @throws CalendlyAway, CalendlyTokenInvalid
 */
export async function settleHeld(
  work: CalendlyWork,
  { id, connectionId, externalId, eventId, nextId, nextEventId }: CalendlyInviteeRow,
): Promise<"moved" | "cancelled" | "left"> {
  const { calls, run } = work;
  const old = { eventId, inviteeId: externalId };
  const known =
    nextId === null || nextEventId === null ? null : { eventId: nextEventId, inviteeId: nextId };
  const asked = await unlessRefused(async () => ({ invitee: await calls.findInvitee(old) }));
  if (asked === null) return "left";
  const ref = asked.invitee?.next ?? known;
  const next = ref === null ? null : await findVisible(calls, ref);
  if (next !== null) await applyChain(work, { ...next, old });
  return (await run((tx) => cancelHeld(tx, connectionId, id))) ? "cancelled" : "moved";
}

/**
 * An invitee of whom Calendly tells this token; else null. A token for one host is refused the
 * bookings of others, so a refusal reads as a booking that is not ours.
 */
async function findVisible(calls: CalendlyCalls, ref: InviteeRef): Promise<CalendlyInvitee | null> {
  return await unlessRefused(() => calls.findInvitee(ref));
}

async function unlessRefused<T>(call: () => Promise<T>): Promise<T | null> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof CalendlyRefused) return null;
    throw error;
  }
}

/**
 * Result of calls; null where the token is no longer valid, which ends the connection.
 * @throws CalendlyAway where the token was renewed, so that the same calls work soon
 */
export async function unlessInvalid<T>(
  work: CalendlyWork,
  calls: () => Promise<T>,
): Promise<T | null> {
  try {
    return await calls();
  } catch (error) {
    if (!(error instanceof CalendlyTokenInvalid)) throw error;
    if (await work.renew()) throw new CalendlyAway(tokenRenewed, 1_000);
    await disconnect(work);
    return null;
  }
}

/** Makes the one call that brings Calendly in line. @returns what is to be stored */
async function sendChange(
  calls: CalendlyCalls,
  { invitee, status, cancelReason }: UntoldChange,
): Promise<Parameters<typeof storeTold>[2]> {
  const { eventId, externalId, noShowId } = invitee;
  if (status === "cancelled") {
    await calls.cancelEvent(eventId, cancelReason);
    return { state: "cancelled" };
  }
  if (status === "no_show") {
    if (noShowId !== null) return {};
    return { noShowId: await calls.markNoShow({ eventId, inviteeId: externalId }) };
  }
  if (noShowId === null) return {};
  await calls.unmarkNoShow(noShowId);
  return { noShowId: null };
}
