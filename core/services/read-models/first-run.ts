import type { Tx } from "../../../db/transaction.ts";
import { retentionMs } from "../../model/workflow/retention.ts";
import type { FirstRunView } from "../../model/views/dashboard.ts";

/** An account with more conversations is past its first steps. The limit keeps the query cheap. */
const mostConversations = 200;

/** Reads the account's progress. The progress itself is not stored. */
export async function getFirstRun(tx: Tx): Promise<FirstRunView> {
  return {
    ...(await lookAtSetup(tx)),
    ...(await lookAtConversations(tx)),
    ...(await lookAtWebhooks(tx)),
  };
}

type SetupSteps = Pick<
  FirstRunView,
  "zone_set" | "team_invited" | "hours_set" | "service_added" | "link_added" | "key_created"
>;

async function lookAtSetup(tx: Tx): Promise<SetupSteps> {
  const [own] = await tx.manager.query<Record<keyof SetupSteps, number>[]>(
    `SELECT a.time_zone <> 'UTC' OR a.updated_at <> a.created_at AS zone_set,
            (SELECT COUNT(*) FROM memberships m WHERE m.account_id = a.id) > 1
              OR EXISTS (SELECT 1 FROM user_links l
                          WHERE l.account_id = a.id AND l.kind = 'invitation') AS team_invited,
            EXISTS (SELECT 1 FROM resources r
                     WHERE r.account_id = a.id AND r.archived_at IS NULL
                       AND JSON_EXTRACT(r.weekly_hours, '$.*[0]') IS NOT NULL) AS hours_set,
            EXISTS (SELECT 1 FROM services s
                     WHERE s.account_id = a.id AND s.archived_at IS NULL) AS service_added,
            EXISTS (SELECT 1 FROM booking_links b
                     WHERE b.account_id = a.id AND b.deleted_at IS NULL) AS link_added,
            EXISTS (SELECT 1 FROM api_keys k WHERE k.account_id = a.id) AS key_created
       FROM accounts a WHERE a.id = ?`,
    [tx.actor.accountId],
  );
  return {
    zone_set: own?.zone_set === 1,
    team_invited: own?.team_invited === 1,
    hours_set: own?.hours_set === 1,
    service_added: own?.service_added === 1,
    link_added: own?.link_added === 1,
    key_created: own?.key_created === 1,
  };
}

async function lookAtConversations(
  tx: Tx,
): Promise<Pick<FirstRunView, "customer_wrote" | "replied" | "conversation_id">> {
  const [found] = await tx.manager.query<
    { conversation_id: number | null; replied: number | null }[]
  >(
    `SELECT MAX(IF(last_customer_message_at IS NULL, NULL, id)) AS conversation_id,
            MAX(last_human_reply_at IS NOT NULL) AS replied
       FROM (SELECT id, last_customer_message_at, last_human_reply_at
               FROM conversations FORCE INDEX (conversations_newest)
              WHERE account_id = ? ORDER BY sort_at DESC, id DESC LIMIT ${mostConversations}) AS newest`,
    [tx.actor.accountId],
  );
  const conversationId = found?.conversation_id ?? null;
  return {
    customer_wrote: conversationId !== null,
    replied: Number(found?.replied ?? 0) === 1,
    conversation_id: conversationId === null ? null : Number(conversationId),
  };
}

/**
 * A deleted subscription counts as added. A sent test is found by its audit row, because the event
 * is purged earlier. If a subscription is older than the audit log's retention, its test counts as
 * sent.
 */
async function lookAtWebhooks(
  tx: Tx,
): Promise<Pick<FirstRunView, "webhook_added" | "test_sent" | "subscription_id">> {
  const [own] = await tx.manager.query<
    { active_id: number | null; oldest: Date | null; tested: number }[]
  >(
    `SELECT MAX(IF(state = 'active', id, NULL)) AS active_id, MIN(created_at) AS oldest,
            EXISTS (SELECT 1 FROM audit_log FORCE INDEX (audit_log_account)
                     WHERE account_id = ? AND action = 'subscription.tested') AS tested
       FROM subscriptions WHERE account_id = ?`,
    [tx.actor.accountId, tx.actor.accountId],
  );
  const oldest = own?.oldest ?? null;
  const forgotten = tx.now.getTime() - retentionMs.audit_log;
  return {
    webhook_added: oldest !== null,
    test_sent: own?.tested === 1 || (oldest !== null && oldest.getTime() < forgotten),
    subscription_id: own?.active_id === null || own === undefined ? null : Number(own.active_id),
  };
}
