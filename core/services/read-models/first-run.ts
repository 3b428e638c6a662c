import type { Tx } from "../../../db/transaction.ts";
import { retentionMs } from "../../model/workflow/retention.ts";
import type { FirstRunView } from "../../model/views/dashboard.ts";

/** An account with more conversations is past its first steps. The limit keeps the query cheap. */
const mostConversations = 200;

/** Reads the account's progress. The progress itself is not stored. */
export async function getFirstRun(tx: Tx): Promise<FirstRunView> {
  return { ...(await lookAtConversations(tx)), ...(await lookAtWebhooks(tx)) };
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
