import { retryWaitsMs } from "../../core/model/workflow/delivery.ts";
import type { Principal } from "../../core/model/principal.ts";
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
import { getSignedRequest } from "../../core/services/deliveries/signed-request.ts";
import type { Tx } from "../../db/transaction.ts";
import type { Deps } from "../deps.ts";
import { requireTokens } from "../http/rate-limit.ts";
import { admin, agent } from "./access.ts";
import { runUrl } from "./temporal-links.ts";
import { logMetaOf, pageMetaOf } from "./list-meta.ts";
import { dashboardRoute } from "./route.ts";

const noun = "delivery";
const tag = "Deliveries";

/** The delivery log, and the actions of operators on a delivery. */
export const deliveryRoutes = [
  dashboardRoute("GET /deliveries", {
    access: agent,
    tag,
    summary: "List deliveries, newest first",
    run: async (tx, { query }, deps) => {
      const page = await listDeliveries(tx, query, query);
      const data = page.rows.map((row) => withLink(deps, row));
      return { data, meta: logMetaOf(page, query) };
    },
  }),
  dashboardRoute("GET /deliveries/:id", {
    access: agent,
    tag,
    noun,
    summary: "Read a delivery with its event and its newest 100 attempts",
    run: async (tx, { id }, deps) => ({ data: await readDelivery(tx, id, deps) }),
  }),
  dashboardRoute("GET /deliveries/:id/signed-request", {
    access: admin,
    tag,
    noun,
    summary: "The POST of a delivery as an attempt would make it now, signed anew",
    errors: ["event_erased"],
    run: async (tx, { id }, { secretBox }) => ({
      data: await getSignedRequest(tx, secretBox, id),
    }),
  }),
  dashboardRoute("GET /deliveries/:id/attempts", {
    access: agent,
    tag,
    noun,
    summary: "List the attempts of a delivery, newest first",
    run: async (tx, { id, query }) => {
      const page = await listAttempts(tx, id, query);
      return { data: page.rows, meta: pageMetaOf(page, query) };
    },
  }),
  dashboardRoute("POST /deliveries/:id/retry", {
    access: agent,
    tag,
    noun,
    summary: "Post the next attempt now instead of waiting for it",
    errors: ["delivery_finished", "subscription_not_active"],
    prepare: limitRepeats,
    run: async (tx, { id, body }, deps) => {
      await retryDelivery(tx, id, body.reason);
      return { data: await readDelivery(tx, id, deps) };
    },
  }),
  dashboardRoute("POST /deliveries/:id/cancel", {
    access: agent,
    tag,
    noun,
    summary: "End a delivery that is not over yet",
    errors: ["delivery_finished"],
    run: async (tx, { id, body }, deps) => {
      await cancelByOperator(tx, id, body.reason);
      return { data: await readDelivery(tx, id, deps) };
    },
  }),
  dashboardRoute("POST /deliveries/:id/redeliver", {
    access: agent,
    tag,
    noun,
    summary: "Send a finished delivery again: same event, same bytes, attempts from 1",
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
  const waits_ms = [...(deps.config.retryWaitsMs ?? retryWaitsMs)];
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
