import { expect, test } from "vitest";
import {
  listMessagesAt,
  searchMessages,
} from "../../core/services/conversations/message-places.ts";
import { listContactFiles } from "../../core/services/conversations/contact-files.ts";
import { transaction, type Tx } from "../../db/transaction.ts";
import { usePlans } from "../support/query-plans.ts";
import { fillForPlans, longConversation } from "./plan-rows.ts";

const { dataSource, indexesOf } = usePlans(fillForPlans);

const works: [string, (tx: Tx) => Promise<unknown>][] = [
  [
    "around",
    async (tx) => await listMessagesAt(tx, longConversation, { limit: 5, around_id: 900 }),
  ],
  ["after", async (tx) => await listMessagesAt(tx, longConversation, { limit: 5, after_id: 900 })],
  ["at", async (tx) => await listMessagesAt(tx, longConversation, { limit: 5, at: new Date() })],
  ["search", async (tx) => await searchMessages(tx, longConversation, { q: "x", limit: 5 })],
];

test.each(works)("messages %s are read in the order of their conversation", async (_name, work) => {
  expect(await indexesOf(work, "m")).not.toContain("sorted");
  const places = await indexesOf(work, "messages");
  expect(places).not.toContain("sorted");
  const indexes = new Set([...(await indexesOf(work, "m")), ...places]);
  // The time of a message is found by its id.
  indexes.delete("messages_conversation");
  expect(indexes).toEqual(new Set(["messages_thread"]));
});

test("a search in 25,000 messages reads at most 10,000 for a page, and finds the oldest", async () => {
  const source = dataSource();
  await source.query(
    `INSERT INTO messages (account_id, conversation_id, contact_id, channel_account_id, channel, direction, type,
         content, sender_type, status)
     WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 25000)
     SELECT 2, 90001, 1, 1, 'web', 'inbound', 'text', IF(i = 1, 'The needle', 'Hay'), 'contact', 'received'
       FROM n`,
  );
  await source.query(
    `INSERT INTO conversations (id, account_id, contact_id, channel, channel_account_id, status,
         bot_enabled, unread_count, sort_at)
     SELECT 90001, 2, contact_id, channel, channel_account_id, 'resolved', 1, 0, sort_at
       FROM conversations WHERE id = ?`,
    [longConversation],
  );
  const actor = { type: "system", accountId: 2 } as const;
  let before: number | null | undefined;
  const sizes: number[] = [];
  do {
    const page = { q: "NEEDLE", limit: 50, before_id: before ?? undefined };
    // oxlint-disable-next-line no-await-in-loop -- each page begins where the one before ends
    const found = await transaction(source, { actor }, async (tx) => {
      return await searchMessages(tx, 90_001, page);
    });
    sizes.push(found.rows.length);
    before = found.next;
  } while (before !== null);
  expect(sizes).toEqual([0, 0, 1]);
});

test.each([undefined, "image" as const])(
  "files of a contact (%s) are read in the order of their index",
  async (kind) => {
    const work = async (tx: Tx) =>
      await listContactFiles(tx, 5, { limit: 5, before_id: 900, kind });
    expect(await indexesOf(work, "MessageMedia")).toEqual(new Set(["message_media_contact"]));
  },
);
