import { invalidField, notFound } from "../../core/errors.ts";
import { maskUrl } from "../../core/model/subscription.ts";
import { isAdmin } from "../../core/services/accounts/actor.ts";
import { listSignedSamples } from "../../core/services/subscriptions/subscription-samples.ts";
import { listSubscriptionStats } from "../../core/services/subscriptions/subscription-stats.ts";
import {
  createSubscription,
  deleteSubscription,
  getSubscription,
  listSubscriptions,
  maxSubscriptions,
  pauseSubscription,
  resumeSubscription,
  rotateSubscriptionSecret,
  sendTestPing,
  updateSubscription,
} from "../../core/services/subscriptions/subscriptions.ts";
import type { Subscription } from "../../db/entities/subscription.ts";
import type { Tx } from "../../db/transaction.ts";
import type { Deps } from "../deps.ts";
import { requireTokens } from "../http/rate-limit.ts";
import { admin, agent } from "./access.ts";
import { pageMetaOf } from "./list-meta.ts";
import { dashboardRoute } from "./route.ts";
import { requireTarget } from "./target.ts";

const noun = "subscription";
const tag = "Subscriptions";

/** Webhook subscriptions. Rules C39 to C60. */
export const subscriptionRoutes = [
  dashboardRoute("GET /subscriptions", {
    access: agent,
    tag,
    summary: "List subscriptions, newest first",
    run: async (tx, { query }) => {
      const page = await listSubscriptions(tx, query);
      return { data: page.rows.map((row) => present(tx, row)), meta: pageMetaOf(page, query) };
    },
  }),
  dashboardRoute("GET /subscriptions/stats", {
    access: agent,
    tag,
    summary: "How every subscription's receiver has answered in the last 24 hours",
    run: async (tx) => {
      const { rows } = await listSubscriptions(tx, { limit: maxSubscriptions, offset: 0 });
      const ids = rows.map(({ id }) => id);
      return { data: await listSubscriptionStats(tx, ids) };
    },
  }),
  dashboardRoute("POST /subscriptions", {
    access: admin,
    tag,
    summary: "Add a subscription; its secret is in this answer alone",
    prepare: async ({ body }, deps) => {
      requireConcurrency(body.max_concurrency, deps);
      await requireTarget("body.url", body.url, deps);
    },
    run: async (tx, { body }, { secretBox }) => {
      const { row, secret } = await createSubscription(tx, secretBox, body);
      return { data: { ...present(tx, row), secret } };
    },
  }),
  dashboardRoute("GET /subscriptions/:id", {
    access: agent,
    tag,
    noun,
    summary: "Read a subscription",
    run: async (tx, { id }) => ({ data: present(tx, await getSubscription(tx, id)) }),
  }),
  dashboardRoute("GET /subscriptions/:id/stats", {
    access: agent,
    tag,
    noun,
    summary: "How a subscription's receiver has answered in the last 24 hours",
    run: async (tx, { id }) => {
      await getSubscription(tx, id);
      const [data] = await listSubscriptionStats(tx, [id]);
      if (data === undefined) throw notFound(noun);
      return { data };
    },
  }),
  dashboardRoute("GET /subscriptions/:id/samples", {
    access: admin,
    tag,
    noun,
    summary: "What a subscription would be posted of each event type, signed with its secret",
    run: async (tx, { id }, { secretBox }) => ({
      data: await listSignedSamples(tx, secretBox, id),
    }),
  }),
  dashboardRoute("PATCH /subscriptions/:id", {
    access: admin,
    tag,
    noun,
    summary:
      "Change name, URL, events, channels, automatic disabling, limit or state; the next attempt already follows",
    prepare: async ({ body }, deps) => {
      requireConcurrency(body.max_concurrency, deps);
      if (body.url !== undefined) await requireTarget("body.url", body.url, deps);
    },
    run: async (tx, { id, body }) => ({
      data: present(tx, await updateSubscription(tx, id, body)),
    }),
  }),
  dashboardRoute("DELETE /subscriptions/:id", {
    access: admin,
    tag,
    noun,
    summary: "Delete a subscription; its open deliveries end as cancelled, its log stays",
    run: async (tx, { id }) => {
      await deleteSubscription(tx, id);
      return { data: { id } };
    },
  }),
  dashboardRoute("POST /subscriptions/:id/pause", {
    access: admin,
    tag,
    noun,
    summary: "Stop attempts for a while; open deliveries are held",
    errors: ["subscription_not_active"],
    run: async (tx, { id, body }) => ({
      data: present(tx, await pauseSubscription(tx, id, body.reason)),
    }),
  }),
  dashboardRoute("POST /subscriptions/:id/resume", {
    access: admin,
    tag,
    noun,
    summary: "Go on after a pause; what was held continues with the numbers it had",
    errors: ["subscription_disabled"],
    run: async (tx, { id, body }) => ({
      data: present(tx, await resumeSubscription(tx, id, body.reason)),
    }),
  }),
  dashboardRoute("POST /subscriptions/:id/test", {
    access: admin,
    tag,
    noun,
    summary: "Send test.ping to this subscription",
    errors: ["subscription_not_active"],
    prepare: ({ id, actor }, { limitTests }) =>
      requireTokens(limitTests, `${actor.accountId}:${id}`),
    run: async (tx, { id }) => {
      const { eventId, deliveryId } = await sendTestPing(tx, id);
      return { data: { event_id: eventId, delivery_id: deliveryId } };
    },
  }),
  dashboardRoute("POST /subscriptions/:id/rotate-secret", {
    access: admin,
    tag,
    noun,
    summary: "Give the subscription a new secret; the old one signs along for 24 hours",
    run: async (tx, { id }, { secretBox }) => ({
      data: { id, secret: await rotateSubscriptionSecret(tx, secretBox, id) },
    }),
  }),
];

/** @throws AppError `validation_error` for a limit above the one of the installation. */
function requireConcurrency(wanted: number | null | undefined, { config }: Deps): void {
  const most = config.receiverMaxConcurrency;
  if (wanted === undefined || wanted === null || wanted <= most) return;
  throw invalidField(
    "body.max_concurrency",
    "above_installation",
    `Use at most ${most}, the limit of this installation.`,
  );
}

function present({ actor }: Tx, row: Subscription) {
  return {
    id: row.id,
    name: row.name,
    url: isAdmin(actor) ? row.url : maskUrl(row.url),
    events: row.events,
    channels: row.channels,
    auto_disable: row.autoDisable,
    max_concurrency: row.maxConcurrency,
    state: row.state,
    disabled_reason: row.disabledReason,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}
