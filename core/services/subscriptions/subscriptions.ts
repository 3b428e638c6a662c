import { isDeepStrictEqual } from "node:util";
import { In, Not } from "typeorm";
import { Subscription, SubscriptionSecret } from "../../../db/entities/subscription.ts";
import type { Tx } from "../../../db/transaction.ts";
import { AppError } from "../../errors.ts";
import {
  defaultName,
  type SubscriptionCreateBody,
  type SubscriptionPatchBody,
} from "../../model/subscription.ts";
import { generateSigningSecret, type SecretBox } from "../../secrets.ts";
import type { Page, PageBounds } from "../../model/page.ts";
import { actingUserId, requireUserId } from "../accounts/actor.ts";
import { auditOf, recordAudit } from "../accounts/audit.ts";
import { requireRoom } from "../accounts/require-room.ts";
import { recordSubscriptionChange } from "../outbox/changes.ts";
import { publish } from "../outbox/outbox.ts";
import { insertSigningSecret, rotateSigningSecret, type SecretTable } from "./signing-secrets.ts";
import { findPage, getOwned, insertRow, lockOwned } from "../sql.ts";
import { changeSubscriptionState, forgetFailures, requestFollowUp } from "./subscription-state.ts";

const audit = auditOf("subscription");

/** Maximum number of subscriptions in an account. */
export const maxSubscriptions = 20;
const limit = {
  max: maxSubscriptions,
  code: "too_many_subscriptions",
  message: `An account has at most ${maxSubscriptions} subscriptions. Delete one first.`,
};

/** The account's subscriptions, newest first, without deleted ones, with their total. */
export async function listSubscriptions(tx: Tx, page: PageBounds): Promise<Page<Subscription>> {
  return await findPage(tx, Subscription, page, {
    where: { accountId: tx.actor.accountId, state: Not("deleted") },
    order: { id: "DESC" },
  });
}

/** @throws AppError `subscription_not_found` */
export async function getSubscription(tx: Tx, id: number): Promise<Subscription> {
  return await getOwned(tx, Subscription, "subscription", { id, state: Not("deleted") });
}

/**
 * Creates a subscription with a secret of its own.
 * @returns the row and the secret, which is shown this once.
 * @throws AppError `validation_error` beyond 20 subscriptions.
 */
export async function createSubscription(
  tx: Tx,
  secretBox: SecretBox,
  input: SubscriptionCreateBody,
): Promise<{ row: Subscription; secret: string }> {
  await requireRoom(tx, Subscription, { state: Not("deleted") }, limit);
  const row = tx.manager.create(Subscription, {
    accountId: tx.actor.accountId,
    name: input.name ?? defaultName(input.url),
    url: input.url,
    events: input.events,
    channels: input.channels ?? null,
    autoDisable: input.auto_disable ?? false,
    maxConcurrency: input.max_concurrency ?? null,
    state: "active",
    disabledReason: null,
    createdByUserId: actingUserId(tx.actor),
    deletedAt: null,
    createdAt: tx.now,
    updatedAt: tx.now,
    version: 1,
  });
  row.id = await insertRow(tx, Subscription, row);
  const secret = await insertSigningSecret(tx, secretBox, secrets, row.id);
  await recordAudit(tx, audit("created", row.id, { name: row.name, events: row.events }));
  await recordSubscriptionChange(tx, row.id);
  return { row, secret };
}

/**
 * Pauses the attempts of a subscription and holds its open deliveries. A paused subscription stays
 * paused.
 * @throws AppError `subscription_not_active` for a disabled subscription.
 */
export async function pauseSubscription(tx: Tx, id: number, why?: string): Promise<Subscription> {
  const row = await lockSubscription(tx, id);
  if (row.state === "disabled") throw notActive(row);
  await changeSubscriptionState(tx, row, "paused", { why });
  return row;
}

/**
 * Resumes a paused subscription. Held deliveries continue with the numbers that they had (rule
 * C57).
 * @throws AppError `subscription_disabled` for a disabled subscription, which an admin enables on
 *   purpose.
 */
export async function resumeSubscription(tx: Tx, id: number, why?: string): Promise<Subscription> {
  const row = await lockSubscription(tx, id);
  if (row.state === "disabled") {
    throw new AppError("subscription_disabled");
  }
  await changeSubscriptionState(tx, row, "active", { why });
  return row;
}

/**
 * Changes the fields that are sent. The next attempt of every open delivery already uses them.
 * Equal values change nothing.
 */
export async function updateSubscription(
  tx: Tx,
  id: number,
  patch: SubscriptionPatchBody,
): Promise<Subscription> {
  const row = await lockSubscription(tx, id);
  if (patch.state !== undefined) {
    const disabledReason = patch.state === "disabled" ? "disabled_by_admin" : null;
    await changeSubscriptionState(tx, row, patch.state, { disabledReason });
  }
  const { name, url, events, channels, autoDisable, maxConcurrency } = row;
  const before = { name, url, events, channels, autoDisable, maxConcurrency };
  const after = {
    name: patch.name ?? name,
    url: patch.url ?? url,
    events: patch.events ?? events,
    channels: patch.channels === undefined ? channels : patch.channels,
    autoDisable: patch.auto_disable ?? autoDisable,
    maxConcurrency: patch.max_concurrency === undefined ? maxConcurrency : patch.max_concurrency,
  };
  if (isDeepStrictEqual(after, before)) return row;
  const changed = { ...after, updatedAt: tx.now, version: row.version + 1 };
  await tx.manager.update(Subscription, id, changed);
  if (after.url !== url) await forgetFailures(tx, id);
  await recordAudit(tx, audit("updated", id, { fields: fieldsOf(patch) }));
  await recordSubscriptionChange(tx, id);
  return Object.assign(row, changed);
}

/** The state has an audit row of its own. */
function fieldsOf(patch: SubscriptionPatchBody): string[] {
  return Object.keys(patch)
    .filter((field) => field !== "state")
    .toSorted();
}

/**
 * Deletes a subscription. No attempt starts later than a second after the deletion. A workflow ends
 * its open deliveries as `cancelled` (rule C57). The delivery log stays.
 */
export async function deleteSubscription(tx: Tx, id: number): Promise<void> {
  const row = await lockSubscription(tx, id);
  const version = row.version + 1;
  const changed = { state: "deleted", stateVersion: version, updatedAt: tx.now, version } as const;
  await tx.manager.update(Subscription, id, { ...changed, deletedAt: tx.now });
  await requestFollowUp(tx, Object.assign(row, changed));
  await recordAudit(tx, audit("deleted", id, { name: row.name }));
  await recordSubscriptionChange(tx, id);
}

/**
 * Gives a subscription a new secret. `X-Service-Signature` uses the new secret at once. The
 * previous secret also signs `webhook-signature` for 24 hours (rule C53). Older secrets end at
 * once, so that the header stays small.
 */
export async function rotateSubscriptionSecret(
  tx: Tx,
  secretBox: SecretBox,
  id: number,
): Promise<string> {
  const row = await lockSubscription(tx, id);
  const secret = await rotateSigningSecret(tx, secretBox, secrets, row.id);
  await recordAudit(tx, audit("secret_rotated", id, {}));
  return secret;
}

/** Publishes `test.ping` to this one subscription, whatever it selects. */
export async function sendTestPing(
  tx: Tx,
  id: number,
): Promise<{ eventId: string; deliveryId: number }> {
  // Locked, because a subscription that is deleted or paused meanwhile would get no delivery.
  const row = await lockSubscription(tx, id);
  if (row.state !== "active") throw notActive(row);
  const data = {
    message: `Test of "${row.name}".`,
    subscription_id: id,
    triggered_by_user_id: requireUserId(tx.actor),
  };
  const { eventId, deliveryIds } = await publish(tx, "test.ping", data, { subscriptionId: id });
  const [deliveryId] = deliveryIds;
  if (deliveryId === undefined) throw new Error("An active subscription gets its own test.");
  await recordAudit(tx, audit("tested", id, { event_id: eventId }));
  await recordSubscriptionChange(tx, id);
  return { eventId, deliveryId };
}

/** The sealed secrets that sign now, the newest first. */
export async function listSigningSecrets(
  tx: Tx,
  subscriptionIds: number[],
): Promise<SubscriptionSecret[]> {
  const rows = await tx.manager.find(SubscriptionSecret, {
    where: { subscriptionId: In(subscriptionIds) },
    order: { id: "DESC" },
  });
  return rows.filter((row) => row.validUntil === null || row.validUntil > tx.now);
}

/** Context of a sealed secret, which can be opened for its own subscription alone. */
export function secretContext(accountId: number, subscriptionId: number): string {
  return `subscription_secrets:sealed:${accountId}:${subscriptionId}`;
}

const secrets: SecretTable = {
  name: "subscription_secrets",
  owner: "subscription_id",
  contextOf: secretContext,
  generate: generateSigningSecret,
};

function notActive({ state }: Subscription): AppError {
  const message = `This subscription is ${state}. Make it active first.`;
  return new AppError("subscription_not_active", { message });
}

async function lockSubscription(tx: Tx, id: number): Promise<Subscription> {
  return await lockOwned(tx, Subscription, "subscription", { id, state: Not("deleted") });
}
