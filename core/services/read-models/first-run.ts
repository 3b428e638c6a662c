import type { Tx } from "../../../db/transaction.ts";
import { retentionMs } from "../../model/workflow/retention.ts";

/** How far an account has come with its first steps, as its own rows tell it. */
export interface FirstRun {
  customer_wrote: boolean;
  replied: boolean;
  webhook_added: boolean;
  test_sent: boolean;
  /** The newest conversation that a customer has written in; null: none. */
  conversation_id: number | null;
  /** An active subscription, to send a test to; null: none. */
  subscription_id: number | null;
}

/** Whoever has more conversations than that is past the first steps: so a look stays cheap. */
const mostConversations = 200;

/** Reads how far the account has come. Nothing is stored for it. */
export async function getFirstRun(tx: Tx): Promise<FirstRun> {
  return { ...(await lookAtConversations(tx)), ...(await lookAtWebhooks(tx)) };
}

async function lookAtConversations(
  tx: Tx,
): Promise<Pick<FirstRun, "customer_wrote" | "replied" | "conversation_id">> {
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
 * A subscription that was deleted was added too. A test is known by its audit row: the event itself is
 * gone earlier. Where a subscription is older than the audit log reaches, its test may have gone too.
 */
async function lookAtWebhooks(
  tx: Tx,
): Promise<Pick<FirstRun, "webhook_added" | "test_sent" | "subscription_id">> {
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
