import { ownSigningKey } from "../core/calendars/calendly-credentials.ts";
import type { CalendlyEvent } from "../core/calendars/calendly-payload.ts";
import { dayMs } from "../core/model/durations.ts";
import {
  calendlyHourMs,
  calendlyPollMs,
  type CalendlyConnectionRun,
  type CalendlyReadOutcome,
} from "../core/model/workflow/calendly.ts";
import { listStaleEvents } from "../core/services/calendar-intake/calendly-reads.ts";
import { takeIn } from "../core/services/calendar-intake/calendly-mapping.ts";
import {
  calendlyWebhookUrl,
  storeEntries,
  storeNextRead,
  storeSubscription,
} from "../core/services/calendars/calendly-accounts.ts";
import { listLeftInvitees } from "../core/services/calendars/calendly-own-changes.ts";
import {
  lockConnection,
  noteConnectionError,
  noteConnectionSynced,
} from "../core/services/calendars/connections.ts";
import {
  CalendlyAway,
  CalendlyRefused,
  type CalendlyCoverage,
} from "./calendars/calendly-calls.ts";
import { ensureSubscription } from "./calendars/calendly-setup.ts";
import {
  applyChain,
  openWork,
  runOf,
  settleHeld,
  tokenRenewed,
  unlessInvalid,
  type CalendlyDeps,
  type CalendlyWork,
  type Run,
} from "./calendly.ts";

/** Events that began earlier are read no more. */
const backMs = dayMs;
/** Pause before the read that follows a change of the connection during this one. */
const changedMs = 1_000;
/** Pause after a read that Calendly refuses for another reason than the token. */
const refusedMs = calendlyHourMs;

/** Reads what Calendly has, and brings ours in line. */
export function createReadCalendly(deps: CalendlyDeps) {
  return {
    /**
     * One read of a connection. It keeps the subscription working, and finds what no webhook told.
     * A read that stops half-way goes on there: events that are in line are not asked for again.
     */
    async readCalendly(input: CalendlyConnectionRun): Promise<CalendlyReadOutcome> {
      const { accountId, connectionId } = input;
      const run = runOf(deps, accountId);
      try {
        const work = await openWork(deps, accountId, connectionId);
        if (work === null) return await endReads(run, connectionId);
        const read = await unlessInvalid(work, () => readAll(work, deps.publicUrl));
        if (read === null) return await endReads(run, connectionId);
        deps.log.info({ connection_id: connectionId, changed: read.changed }, "calendly.read");
        return await wait(run, connectionId, read.waitMs, read.changed);
      } catch (error) {
        const isAway = error instanceof CalendlyAway;
        if (!isAway && !(error instanceof CalendlyRefused)) throw error;
        const code = isAway ? error.code : `http_${error.status}`;
        deps.log.warn({ connection_id: connectionId, code }, "calendly.read_failed");
        if (code !== tokenRenewed) await run((tx) => noteConnectionError(tx, connectionId, code));
        const waitMs = isAway ? Math.max(error.waitMs, 1_000) : refusedMs;
        return await wait(run, connectionId, waitMs, 0);
      }
    },
  };
}

/** Without a next read, nobody looks for a lost run. A new token begins the reads again. */
async function endReads(run: Run, connectionId: number): Promise<CalendlyReadOutcome> {
  await run((tx) => storeNextRead(tx, connectionId, null));
  return { state: "over" };
}

async function wait(
  run: Run,
  connectionId: number,
  waitMs: number,
  changed: number,
): Promise<CalendlyReadOutcome> {
  await run((tx) => storeNextRead(tx, connectionId, new Date(tx.now.getTime() + waitMs)));
  return { state: "waiting", waitMs, changed };
}

async function readAll(
  work: CalendlyWork,
  publicUrl: string,
): Promise<{ waitMs: number; changed: number }> {
  const { run, calls, connection, account } = work;
  const { scope, organizationUri, userUri } = account;
  const coverage: CalendlyCoverage = { scope, organizationUri, userUri };
  const mode = await subscribe(work, coverage, publicUrl);
  if (mode === null) return { waitMs: changedMs, changed: 0 };
  const eventTypes = await calls.listEventTypes(coverage);
  const users = scope === "organization" ? await calls.listUsers(organizationUri) : [];
  await run((tx) => storeEntries(tx, connection.id, { users, eventTypes }));
  const from = new Date(Date.now() - backMs);
  const events = [
    ...(await calls.listEvents(coverage, from, "active")),
    ...(await calls.listEvents(coverage, from, "canceled")),
  ];
  const changed = (await applyEvents(work, events)) + (await settleLeft(work));
  const taken = await run((tx) => takeIn(tx, connection.id));
  await run((tx) => noteConnectionSynced(tx, connection.id));
  return { waitMs: mode === "push" ? calendlyHourMs : calendlyPollMs, changed: changed + taken };
}

/**
 * Keeps the subscription working. A person may connect or disconnect meanwhile: then a subscription
 * of this read has an old signing key, and goes.
 * @returns null where the connection has changed
 */
async function subscribe(
  work: CalendlyWork,
  coverage: CalendlyCoverage,
  publicUrl: string,
): Promise<"push" | "polling" | null> {
  const { calls, connection, account, credentials } = work;
  if (!publicUrl.startsWith("https:")) {
    return (await storeUnchanged(work, null, "no_https")) ? "polling" : null;
  }
  const id = await ensureSubscription(calls, {
    coverage,
    url: calendlyWebhookUrl(publicUrl, connection.slug ?? ""),
    signingKey: ownSigningKey(credentials),
    known: account.subscriptionId,
    anew: false,
  });
  if (await storeUnchanged(work, id, id === null ? "forbidden" : null)) {
    return id === null ? "polling" : "push";
  }
  if (id !== null && id !== account.subscriptionId) await calls.unsubscribe(id);
  return null;
}

/** @returns false where the connection has changed, and nothing is stored */
async function storeUnchanged(
  { run, connection }: CalendlyWork,
  subscriptionId: string | null,
  reason: "no_https" | "forbidden" | null,
): Promise<boolean> {
  return await run(async (tx) => {
    const now = await lockConnection(tx, connection.id);
    if (now?.version !== connection.version) return false;
    await storeSubscription(tx, connection.id, subscriptionId, reason);
    return true;
  });
}

/** Applies the invitees of events that are not in line. @returns the number of changes */
async function applyEvents(work: CalendlyWork, events: CalendlyEvent[]): Promise<number> {
  const stale = await work.run((tx) => listStaleEvents(tx, work.connection.id, events));
  let changed = 0;
  for (const event of stale) {
    for (const invitee of await work.calls.listInvitees(event)) {
      if (await applyChain(work, invitee)) changed += 1;
    }
  }
  return changed;
}

/** Settles moves whose wait ended while Calendly could not be asked. @returns the number of them */
async function settleLeft(work: CalendlyWork): Promise<number> {
  let settled = 0;
  for (const held of await work.run((tx) => listLeftInvitees(tx, work.connection.id))) {
    if ((await settleHeld(work, held)) !== "left") settled += 1;
  }
  return settled;
}
