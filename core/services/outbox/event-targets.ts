import type { DataSource } from "typeorm";
import type { CommitNotes, Tx } from "../../../db/transaction.ts";
import type { EventChannel } from "../../model/channels.ts";
import type { SubscriptionState } from "../../model/subscription.ts";

/** A subscription as events see it. */
export interface EventTarget {
  id: number;
  url: string;
  state: SubscriptionState;
  events: string[];
  channels: EventChannel[] | null;
  max_concurrency: number | null;
}

/**
 * SQL for the version of an account's subscriptions, as `noteTargetsVersion` takes it. The account is
 * the parameter. Each change of a subscription raises the row's version, a deletion too, and no row
 * is ever removed. So the sum grows with each change. Null without subscriptions.
 */
export const targetsVersionSql =
  "(SELECT SUM(version) FROM subscriptions FORCE INDEX (subscriptions_account) WHERE account_id = ?)";

/** Targets of an account, as they were at this version or later. */
interface Remembered {
  version: string;
  targets: readonly EventTarget[];
}

/** The targets of an account, as a transaction has seen them. */
interface Seen {
  version: string | null;
  targets: readonly EventTarget[] | null;
}

const maxAccounts = 500;
const ofProcess = new WeakMap<DataSource, Map<number, Remembered>>();
const ofTransactions = new WeakMap<CommitNotes, Map<number, Seen>>();

/**
 * Notes the version of the account's subscriptions, which a statement of this transaction has read.
 * Events of the transaction then need no statement for subscriptions that this process remembers.
 */
export function noteTargetsVersion(tx: Tx, version: string | null): void {
  const seen = seenBy(tx);
  if (seen !== null) seen.version ??= version ?? "0";
}

/**
 * Subscriptions of the account that are not deleted. A transaction reads them once. An event may
 * miss a subscription that was committed after its transaction began.
 */
export async function listTargets(tx: Tx): Promise<readonly EventTarget[]> {
  const seen = seenBy(tx);
  if (seen === null) return await readTargets(tx);
  seen.targets ??= recall(tx, seen.version) ?? (await readTargets(tx));
  if (seen.version !== null) remember(tx, { version: seen.version, targets: seen.targets });
  return seen.targets;
}

async function readTargets(tx: Tx): Promise<EventTarget[]> {
  return await tx.manager.query<EventTarget[]>(
    "SELECT id, url, state, events, channels, max_concurrency FROM subscriptions WHERE account_id = ? AND state <> 'deleted'",
    [tx.actor.accountId],
  );
}

/** Null outside of a transaction. */
function seenBy({ notes, actor }: Tx): Seen | null {
  if (notes === undefined) return null;
  const accounts = ofTransactions.get(notes) ?? new Map<number, Seen>();
  ofTransactions.set(notes, accounts);
  const seen = accounts.get(actor.accountId) ?? { version: null, targets: null };
  accounts.set(actor.accountId, seen);
  return seen;
}

function recall({ manager, actor }: Tx, version: string | null): readonly EventTarget[] | null {
  const remembered = ofProcess.get(manager.dataSource)?.get(actor.accountId);
  return version !== null && remembered?.version === version ? remembered.targets : null;
}

/** The account goes to the end. The one that was not asked for longest is forgotten first. */
function remember({ manager, actor }: Tx, known: Remembered): void {
  const accounts = ofProcess.get(manager.dataSource) ?? new Map<number, Remembered>();
  ofProcess.set(manager.dataSource, accounts);
  accounts.delete(actor.accountId);
  accounts.set(actor.accountId, known);
  const [first] = accounts.keys();
  if (accounts.size > maxAccounts && first !== undefined) accounts.delete(first);
}
