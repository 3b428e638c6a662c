import { dayMs } from "./durations.ts";

/** States of a stored webhook. `parked`: nobody could read it. */
export type WebhookState = "pending" | "done" | "parked";

/**
 * States of an item. `waiting` items wait for a message that may still arrive, and hold up no other
 * item. `unrouted` ones wait for their number or Page to be connected.
 */
export const itemStates = ["pending", "waiting", "done", "parked", "unrouted"] as const;
export type ItemState = (typeof itemStates)[number];

/** Tries of an item, or of a webhook, before it is parked. */
export const maxItemTries = 5;

/**
 * Milliseconds that rows are kept in each final state. A done item stays without its content, so
 * that a repeated webhook finds it.
 */
export const intakeKeptMs = {
  webhookDone: dayMs,
  itemDone: 30 * dayMs,
  parked: 30 * dayMs,
  unrouted: 7 * dayMs,
};

/** Maximum bytes of a webhook: 4 MiB. */
export const maxWebhookBytes = 4_194_304;
