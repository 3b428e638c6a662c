import { widgetBody } from "../../core/model/widget.ts";
import { createWidget } from "../../core/services/widgets/widgets.ts";
import { transaction } from "../../db/transaction.ts";
import { openReader, type EventReader } from "./event-reader.ts";
import type { BenchStack } from "./stack.ts";

/** A visitor of the bench with a conversation. */
export interface Visitor {
  conversationId: number;
  token: string;
  reader: EventReader | null;
  /** True after the first event of the newest stream. */
  isGreeted: boolean;
}

/** Rows in one statement. */
const batch = 2_000;
const range = "WITH RECURSIVE n AS (SELECT ? AS i UNION ALL SELECT i + 1 FROM n WHERE i < ?)";
const now = "UTC_TIMESTAMP(3)";

/** Creates a widget and its visitors: each with a contact, a conversation and a session. */
export async function createVisitors(stack: BenchStack, count: number): Promise<Visitor[]> {
  const { dataSource, secretBox, accountId } = stack;
  const { row: widget } = await transaction(
    dataSource,
    { actor: { type: "system", accountId } },
    async (tx) => await createWidget(tx, secretBox, widgetBody.parse({ name: "Bench" })),
  );
  const { id: widgetId, channelAccountId } = widget;
  await dataSource.transaction(async (manager) => {
    await manager.query("SET SESSION cte_max_recursion_depth = 1000000");
    for (let from = 1; from <= count; from += batch) {
      const until = Math.min(from + batch - 1, count);
      await manager.query(
        `INSERT INTO contacts (id, account_id, name, source, last_activity_at, created_at, updated_at)
         ${range} SELECT 1000000 + i, ?, CONCAT('Visitor ', i), 'web', ${now}, ${now}, ${now} FROM n`,
        [from, until, accountId],
      );
      await manager.query(
        `INSERT INTO conversations (id, account_id, contact_id, channel_account_id, channel,
                customer_external_id, status, bot_enabled, sort_at, created_at, updated_at)
         ${range} SELECT 1000000 + i, ?, 1000000 + i, ?, 'web', CONCAT('v_', i), 'active', 0, ${now},
                ${now}, ${now} FROM n`,
        [from, until, accountId, channelAccountId],
      );
      await manager.query(
        `INSERT INTO widget_sessions (account_id, widget_id, channel_account_id, visitor_id,
                contact_id, conversation_id, token_hash, expires_at, locale, last_seen_at)
         ${range} SELECT ?, ?, ?, CONCAT('v_', i), 1000000 + i, 1000000 + i,
                UNHEX(SHA2(LPAD(i, 43, '0'), 256)), ${now} + INTERVAL 1 DAY, 'en', ${now} FROM n`,
        [from, until, accountId, widgetId, channelAccountId],
      );
    }
  });
  return Array.from({ length: count }, (_, index) => ({
    conversationId: 1_000_001 + index,
    token: String(index + 1).padStart(43, "0"),
    reader: null,
    isGreeted: false,
  }));
}

/** Times of the first arrival of each message, by its number. */
export type Arrivals = Map<number, number>;

/**
 * Opens a visitor's stream. It goes on after the last number, and comes back after a cut, with full
 * jitter, until `isOver`.
 */
export function follow(
  visitor: Visitor,
  place: { url: string; arrivals: Arrivals; isOver: () => boolean; onGreeted: () => void },
  attempt = 0,
): void {
  const lastId = visitor.reader?.lastId ?? null;
  visitor.isGreeted = false;
  let attempts = attempt;
  visitor.reader = openReader({
    url: place.url,
    path: "/widget/api/stream",
    headers: {
      authorization: `Bearer ${visitor.token}`,
      ...(lastId === null ? {} : { "last-event-id": lastId }),
    },
    onEvent(_, data) {
      const number = /"content":"bench-(\d+)"/.exec(data)?.[1];
      if (number !== undefined && !place.arrivals.has(Number(number))) {
        place.arrivals.set(Number(number), performance.now());
      }
      if (visitor.isGreeted) return;
      visitor.isGreeted = true;
      attempts = 0;
      place.onGreeted();
    },
    onClose(reader) {
      reader.lastId ??= lastId;
      visitor.isGreeted = false;
      if (place.isOver()) return;
      const mostMs = Math.min(30_000, 2_000 * 2 ** attempts);
      setTimeout(() => {
        if (!place.isOver()) follow(visitor, place, attempts + 1);
      }, Math.random() * mostMs);
    },
  });
}
