import type { DataSource } from "typeorm";
import { deliveryStates } from "../../core/model/workflow/delivery.ts";

const accounts = 4;
/** Of most tables. */
export const rows = 3_000;
/** Of account 2, as every look is; half of all messages are in it. */
export const longConversation = 41;

/** Fills a database so that MySQL chooses its plans as it would in use, and tells it what there is. */
export async function fillForPlans(dataSource: DataSource): Promise<void> {
  const numbers = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})`;
  const fill = async (table: string, columns: string, select: string) =>
    await dataSource.query(`INSERT INTO ${table} (${columns}) ${numbers} SELECT ${select} FROM n`);
  const account = `1 + i % ${accounts}`;
  const states = deliveryStates.map((state) => `'${state}'`).join(", ");
  await dataSource.query("SET SESSION cte_max_recursion_depth = 1000000");
  await fill(
    "contacts",
    "account_id, name, phone, phone_key, email, source, last_activity_at, created_at",
    `${account}, CONCAT('n', i), 34600000000 + i, 34600000000 + i, CONCAT(i, '@x.co'), 'api', NOW() - INTERVAL i SECOND, NOW() - INTERVAL i SECOND`,
  );
  await fill(
    "subscriptions",
    "account_id, name, url, events, state",
    `${account}, 's', 'https://x/', '["*"]', ELT(1 + i % 4, 'active', 'paused', 'disabled', 'deleted')`,
  );
  await fill(
    "events",
    "id, account_id, type, body, occurred_at",
    `UNHEX(LPAD(HEX(i), 32, '0')), ${account}, 'contact.created', '{}', NOW()`,
  );
  await fill(
    "deliveries",
    "account_id, event_id, subscription_id, event_type, state",
    `${account}, UNHEX(LPAD(HEX(i), 32, '0')), 1 + i % 40, 'contact.created', ELT(1 + i % ${deliveryStates.length}, ${states})`,
  );
  await fill(
    "delivery_attempts",
    "account_id, delivery_id, subscription_id, run, seq, number, started_at, started_hour, request_url",
    `${account}, i, 1 + i % 40, 1, 1, 1, NOW(), UNIX_TIMESTAMP() DIV 3600 - i % 24, 'https://x/'`,
  );
  await fill(
    "outbox",
    "account_id, kind, delivery_id, lane, available_at",
    `${account}, 'delivery', i, 'l', UTC_TIMESTAMP(3) - INTERVAL 1 + i % 50 SECOND`,
  );
  await fill(
    "notifications",
    "account_id, kind, params, dedupe_key, group_key",
    `${account}, 'delivery_discarded', '{}', i, 'g'`,
  );
  await fill("notification_reads", "user_id, notification_id", "i % 10, i");
  await fill(
    "api_keys",
    "account_id, name, scopes, key_hash, prefix, last_four",
    `${account}, 'k', '[]', UNHEX(SHA2(i, 256)), 'p', 'l'`,
  );
  await fill("contact_tags", "contact_id, tag, account_id", `i, 'vip', ${account}`);
  await fill(
    "contact_identities",
    "account_id, contact_id, channel_account_id, channel, external_id",
    `${account}, i, 1, 'whatsapp', i`,
  );
  await fill(
    "audit_log",
    "account_id, actor_type, action, target_type",
    `${account}, 'user', 'a', 't'`,
  );
  await fill(
    "sessions",
    "token_hash, user_id, account_id, last_seen_at, expires_at",
    `UNHEX(SHA2(i, 256)), i % 100, ${account}, NOW(), NOW() + INTERVAL 1 DAY`,
  );
  await fill(
    "inbound_requests",
    "account_id, endpoint_id, received_at, verdict, status_code, duration_ms",
    `${account}, 1, NOW() - INTERVAL i SECOND, 'done', 200, 1`,
  );
  await fill(
    "inbound_events",
    "account_id, endpoint_id, event_id, body_hash, lease_until",
    `${account}, 1, i, UNHEX(SHA2(i, 256)), NOW()`,
  );
  await fill(
    "user_links",
    "account_id, kind, token_hash, expires_at, created_by_user_id",
    `${account}, 'invitation', UNHEX(SHA2(i, 256)), NOW() - INTERVAL i SECOND, 1`,
  );
  await fill(
    "worker_heartbeats",
    "id, version, temporal_reachable, seen_at",
    "i, '1', 1, NOW() - INTERVAL i SECOND",
  );
  for (const [table, owner] of [
    ["subscription_secrets", "subscription_id"],
    ["inbound_endpoint_secrets", "endpoint_id"],
    ["widget_secrets", "widget_id"],
  ] as const) {
    await fill(
      table,
      `account_id, ${owner}, sealed, key_id, valid_until`,
      `${account}, i, 's', 'k', IF(i % 3, NOW() - INTERVAL i SECOND, NULL)`,
    );
  }
  await fill(
    "widget_sessions",
    "account_id, widget_id, channel_account_id, visitor_id, token_hash, expires_at, locale, last_seen_at",
    `${account}, 1 + i % 20, 1 + i % 16, i, UNHEX(SHA2(i, 256)), NOW() - INTERVAL i SECOND, 'en', NOW() - INTERVAL i SECOND`,
  );
  await fill(
    "calendly_requests",
    "account_id, connection_id, hash, state, received_at",
    `${account}, 1 + i % 20, UNHEX(SHA2(i, 256)), IF(i % 50 = 0, 'queued', 'applied'), NOW() - INTERVAL i MINUTE`,
  );
  await fill(
    "calendly_invitees",
    "account_id, connection_id, external_id, event_id, state, appointment_id, held_until, start_time, changed_at, tell_at",
    `${account}, 1 + i % 20, i, i, IF(i % 50 = 0, 'held', 'active'), i, IF(i % 50 = 0, NOW() - INTERVAL i MINUTE, NULL), NOW(), NOW(), IF(i % 50 = 0, NOW() - INTERVAL i MINUTE, NULL)`,
  );
  await fill(
    "calendly_accounts",
    "connection_id, account_id, user_uri, organization_uri, scope, next_read_at",
    `i, ${account}, 'u', 'o', 'user', NOW() + INTERVAL 60 - i % 100 MINUTE`,
  );
  await fill("memberships", "account_id, user_id, role", `${account}, i, 'admin'`);
  await fill("users", "email, name, password_hash", "CONCAT(i, '@x.co'), 'u', '-'");
  await fill("accounts", "name, settings", "'a', '{}'");
  await fill(
    "idempotency_keys",
    "account_id, api_key_id, method, path, value, body_hash, lease_until",
    `${account}, i, 'POST', '/api/v1/contacts', i, UNHEX(SHA2(i, 256)), NOW()`,
  );
  await fill(
    "conversations",
    "account_id, contact_id, channel_account_id, channel, status, bot_enabled, assigned_to_user_id, unread_count, sort_at",
    `${account}, i, 1 + i % 16, ELT(1 + i % 3, 'whatsapp', 'instagram', 'web'), ELT(1 + i % 7 % 4, 'active', 'waiting', 'resolved', 'handed_off'), 1, IF(i % 5, NULL, 1 + i % 10), i % 2, NOW() - INTERVAL i * 37 % 3001 SECOND`,
  );
  await fill(
    "messages",
    "account_id, conversation_id, contact_id, channel_account_id, channel, direction, type, content, sender_type, status, external_id, provider_id",
    `${account}, IF(i % 2, ${longConversation}, 1 + i % 60), 1 + i % 60, 1, 'whatsapp', ELT(1 + i % 3, 'inbound', 'outbound', 'outbound'), 'text', 'Hola', 'contact', 'received', IF(i % 3, NULL, i), i`,
  );
  await fill(
    "message_media",
    "account_id, message_id, conversation_id, contact_id, channel_account_id, position, kind, state",
    `${account}, i, IF(i % 2, ${longConversation}, 1 + i % 60), 1 + i % 60, 1, 0, 'image', IF(i % 9, 'ready', 'pending')`,
  );
  await fill(
    "message_reactions",
    "account_id, message_id, conversation_id, emoji",
    `${account}, i, IF(i % 2, ${longConversation}, 1 + i % 60), 'x'`,
  );
  await fill(
    "conversation_notes",
    "account_id, conversation_id, kind",
    `${account}, 1 + i % 60, 'note'`,
  );
  await fill(
    "agent_turns",
    "account_id, conversation_id, contact_id, epoch, watermark, settings_number, mode, engine",
    `${account}, 1 + i % 60, 1 + i % 60, 0, i, 1, 'live', 'basic'`,
  );
  await fill("agent_steps", "account_id, turn_id, seq, state", `${account}, i, 1, 'done'`);
  await fill(
    "agent_tool_calls",
    "account_id, turn_id, conversation_id, contact_id, seq, position, call_id, tool, code",
    `${account}, i, 1 + i % 60, 1 + i % 60, 1, 0, 'c', 'add_note', 'ok'`,
  );
  await fill(
    "knowledge_gaps",
    "account_id, conversation_id, contact_id, turn_id, question, language",
    `${account}, 1 + i % 60, 1 + i % 60, i, 'q', 'es'`,
  );
  await fill(
    "agent_cases",
    "account_id, channel, customer_lines, expected, queued_at",
    `${account}, 'web', '["a"]', '{}', IF(i % 50 = 0, '2026-01-01', NULL)`,
  );
  await fill(
    "agent_ratings",
    "account_id, conversation_id, message_id, turn_id, user_id, value",
    `${account}, 1 + i % 60, i, i, 1, ELT(1 + i % 2, 'up', 'down')`,
  );
  await fill(
    "agent_drafts",
    "account_id, conversation_id, contact_id, turn_id, source, text, proposals, state",
    `${account}, 1 + i % 60, 1 + i % 60, i, 'automatic', 'Hola', '[]', 'stale'`,
  );
  await fill(
    "knowledge_sources",
    "account_id, kind, location, location_hash, language, requested_at, due_at",
    `${account}, 'page', 'u', i, 'es', IF(i % 9, NULL, NOW()), NOW() + INTERVAL i SECOND`,
  );
  await fill(
    "channel_template_syncs",
    "account_id, waba_id, requested_at, due_at",
    `${account}, i, IF(i % 9, NULL, NOW()), NOW() + INTERVAL i SECOND`,
  );
  await fill(
    "channel_templates",
    "account_id, waba_id, name, language, category, status, format, components, words, gone_at",
    `${account}, i % 40, CONCAT('t', i), 'es', 'utility', 'approved', 'positional', '[]', 'words', IF(i % 9, NULL, NOW())`,
  );
  const tables = await dataSource.query<{ name: string }[]>(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE()",
  );
  await dataSource.query(`ANALYZE TABLE ${tables.map(({ name }) => name).join(", ")}`);
}
