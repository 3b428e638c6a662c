import { z } from "zod";
import { deliveryStates, retryWaitsMs } from "../../core/model/workflow/delivery.ts";
import { eventTypes } from "../../core/model/events.ts";
import type { Principal } from "../../core/model/principal.ts";
import {
  idParameter,
  listMeta,
  logMeta,
  logParameters,
  pageParameters,
} from "../../core/model/wire.ts";
import {
  getDelivery,
  listAttempts,
  listDeliveries,
} from "../../core/services/deliveries/deliveries.ts";
import {
  cancelByOperator,
  redeliver,
  retryDelivery,
} from "../../core/services/deliveries/delivery-actions.ts";
import type { Tx } from "../../db/transaction.ts";
import type { Deps } from "../deps.ts";
import { requireTokens } from "../http/rate-limit.ts";
import { route } from "../http/route.ts";
import { agent } from "./access.ts";
import { optionalReasonBody, reasonBody } from "./inputs.ts";
import { metaOf } from "./list-meta.ts";
import { runUrl } from "./temporal-links.ts";
import {
  attemptView,
  deliveryView,
  deliveryWithAttempts,
} from "../../core/model/views/dashboard.ts";

const noun = "delivery";
const tag = "Deliveries";

/** The delivery log, and the actions of operators on a delivery. */
export const deliveryRoutes = [
  route({
    method: "GET",
    path: "/deliveries",
    access: agent,
    tag,
    summary: "List deliveries, newest first",
    query: z.object({
      subscription_id: idParameter.optional(),
      state: z.enum(deliveryStates).optional(),
      event_type: z.enum(eventTypes).optional(),
      event_id: z.uuid().optional(),
      ...logParameters,
    }),
    successes: { 200: { description: "Rows.", data: z.array(deliveryView), meta: logMeta } },
    run: async (tx, { query }, deps) => {
      const { limit, before_id, ...filter } = query;
      const page = await listDeliveries(tx, filter, { limit, before_id });
      return { data: page.views.map((view) => withLink(deps, view)), meta: metaOf(page, limit) };
    },
  }),
  route({
    method: "GET",
    path: "/deliveries/:id",
    access: agent,
    tag,
    noun,
    summary: "Read a delivery with its event and its newest 100 attempts",
    successes: { 200: { description: "The delivery.", data: deliveryWithAttempts } },
    run: async (tx, { id }, deps) => ({ data: await readDelivery(tx, id, deps) }),
  }),
  route({
    method: "GET",
    path: "/deliveries/:id/attempts",
    access: agent,
    tag,
    noun,
    summary: "List the attempts of a delivery, newest first",
    query: z.object(pageParameters),
    successes: { 200: { description: "Rows.", data: z.array(attemptView), meta: listMeta } },
    run: async (tx, { id, query }) => {
      const { views, total } = await listAttempts(tx, id, query);
      return { data: views, meta: { total, ...query } };
    },
  }),
  route({
    method: "POST",
    path: "/deliveries/:id/retry",
    access: agent,
    tag,
    noun,
    summary: "Post the next attempt now instead of waiting for it",
    body: optionalReasonBody,
    successes: { 202: { description: "Asked for.", data: deliveryWithAttempts } },
    errors: ["delivery_finished", "subscription_not_active"],
    prepare: limitRepeats,
    run: async (tx, { id, body }, deps) => {
      await retryDelivery(tx, id, body.reason);
      return { data: await readDelivery(tx, id, deps) };
    },
  }),
  route({
    method: "POST",
    path: "/deliveries/:id/cancel",
    access: agent,
    tag,
    noun,
    summary: "End a delivery that is not over yet",
    body: reasonBody,
    successes: { 200: { description: "Cancelled.", data: deliveryWithAttempts } },
    errors: ["delivery_finished"],
    run: async (tx, { id, body }, deps) => {
      await cancelByOperator(tx, id, body.reason);
      return { data: await readDelivery(tx, id, deps) };
    },
  }),
  route({
    method: "POST",
    path: "/deliveries/:id/redeliver",
    access: agent,
    tag,
    noun,
    summary: "Send a finished delivery again: same event, same bytes, attempts from 1",
    body: optionalReasonBody,
    successes: { 202: { description: "Queued as a new run.", data: deliveryWithAttempts } },
    errors: ["delivery_open", "event_erased", "subscription_not_active"],
    prepare: limitRepeats,
    run: async (tx, { id, body }, deps) => {
      await redeliver(tx, id, body.reason);
      return { data: await readDelivery(tx, id, deps) };
    },
  }),
];

/** Counts a manual attempt, both retries and redeliveries. */
function limitRepeats({ id, actor }: { id: number; actor: Principal }, deps: Deps): undefined {
  requireTokens(deps.limitRepeats, `${actor.accountId}:${id}`);
}

async function readDelivery(tx: Tx, id: number, deps: Deps) {
  const waits_ms = deps.config.retryWaitsMs ?? retryWaitsMs;
  return { ...withLink(deps, await getDelivery(tx, id)), waits_ms };
}

/** Names the run as Temporal does, and adds its link in Temporal UI, if the UI is configured. */
function withLink<View extends { workflow_id: string | null }>(
  { config, naming }: Deps,
  view: View,
) {
  const workflowId = view.workflow_id && naming(view.workflow_id);
  return { ...view, workflow_id: workflowId, workflow_url: runUrl(config, workflowId) };
}
