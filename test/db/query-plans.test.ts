import { expect, test } from "vitest";
import { createAgentMessage } from "../../core/services/conversations/agent-messages.ts";
import {
  listConversations,
  type ConversationFilter,
} from "../../core/services/read-models/conversation-list.ts";
import { lockNewest, setBot } from "../../core/services/conversations/conversations.ts";
import { presentMessages } from "../../core/services/conversations/message-views.ts";
import { listMessages } from "../../core/services/conversations/messages.ts";
import { upsertContact } from "../../core/services/contacts/contact-upserts.ts";
import { listContacts } from "../../core/services/contacts/contacts.ts";
import { eraseContact } from "../../core/services/contact-lifecycle/contact-erasure.ts";
import { listByActivity } from "../../core/services/read-models/contact-list.ts";
import { listTimeline } from "../../core/services/read-models/contact-timeline.ts";
import {
  eraseContactEvents,
  forgetRefusedCalls,
} from "../../core/services/contact-lifecycle/contact-traces.ts";
import { type Tx } from "../../db/transaction.ts";
import { usePlans } from "../support/query-plans.ts";
import { fillForPlans, longConversation } from "./plan-rows.ts";

const page = { limit: 50, offset: 0 };
const { plansOf, indexesOf } = usePlans(fillForPlans);

/** Gives 450 of the 750 events of account 2 to a contact, without reading the whole table. */
async function giveEventsTo(tx: Tx, contactId: number): Promise<void> {
  await tx.manager.query(
    "UPDATE events SET contact_id = ? WHERE id < UNHEX(LPAD(HEX(1800), 32, '0')) AND account_id = 2",
    [contactId],
  );
}

test("contacts are read in the order of their index", async () => {
  const [list] = await plansOf((tx) => listContacts(tx, page));
  expect(list).toMatchObject({ table: "c", key: "contacts_newest" });
  expect(list?.Extra).not.toMatch(/filesort/);
});

test.each(["active", "quiet"] as const)(
  "contacts by last activity, %s first, are read in the order of their index from any page on",
  async (order) => {
    const cursor = { at: Date.now() - 600_000, id: 700 };
    for (const from of [{}, { cursor }]) {
      const steps = await plansOf((tx) => listByActivity(tx, {}, { order, limit: 50, ...from }));
      const [list] = steps;
      expect(list).toMatchObject({ table: "c", key: "contacts_activity" });
      expect(list?.Extra).not.toMatch(/filesort/);
    }
  },
);

test("a filter of contacts reads no whole table", async () => {
  const filters = [
    { tag: "vip" },
    { stage_id: 3 },
    { channel: "web" as const },
    { assigned_to_user_id: 3 },
    { assigned_to_user_id: null },
    { search: "n42", tag: "vip" },
  ];
  for (const filter of filters) {
    const work = (tx: Tx) => listByActivity(tx, filter, { order: "active", limit: 50 });
    const steps = await plansOf(work);
    const scanned = steps.filter(
      ({ table, type }) => type === "ALL" && table?.startsWith("<") !== true,
    );
    expect([filter, scanned]).toEqual([filter, []]);
  }
});

test("a search reads its account alone, in the order of the index", async () => {
  const steps = await plansOf((tx) => listContacts(tx, { search: "n42", limit: 50, offset: 0 }));
  expect(steps.filter(({ type }) => type === "ALL")).toEqual([]);
});

test("a tag finds the contacts that have it, and nobody else's are read", async () => {
  const steps = await plansOf((tx) => listContacts(tx, { ...page, tag: "vip" }));
  expect(steps.filter(({ type }) => type === "ALL")).toEqual([]);
});

test("an erasure finds events by their contact and deliveries by their event", async () => {
  const steps = await plansOf(async (tx) => {
    await giveEventsTo(tx, 5);
    await eraseContact(tx, 5);
    await eraseContactEvents(tx, { accountId: 2, contactId: 5, after: null }, 100);
  });
  const scanned = steps.filter(({ type }) => type === "ALL" || type === "index");
  // The newest events, a bounded number of them.
  expect(scanned.map(({ table }) => table)).toEqual(["<derived2>"]);
});

test("an erasure searches refused calls in the order of an index, and changes them by their ids", async () => {
  const steps = await plansOf(async (tx) => {
    await tx.manager.query(
      `INSERT INTO inbound_requests (account_id, endpoint_id, received_at, verdict, status_code, duration_ms, contact_id)
       SELECT 1 + i % 2, 1, NOW(3), 'refused', 400, 1, IF(i % 3, NULL, i) FROM (
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900) SELECT i FROM n) numbers`,
    );
    await tx.manager.query("UPDATE contacts SET phone = '34600000055' WHERE id = 5");
    await eraseContact(tx, 5);
    await forgetRefusedCalls(tx, { accountId: 2, contactId: 5, after: 100 }, 100);
  });
  const ofCalls = steps.filter(({ table }) => table === "inbound_requests");
  expect(ofCalls.map(({ key, type }) => [key, type])).toEqual([
    ["inbound_requests_contact", "range"],
    ["PRIMARY", "range"],
  ]);
  expect(ofCalls.filter(({ Extra }) => /filesort|temporary/.test(Extra ?? ""))).toEqual([]);
});

test.each([undefined, "ffffffff-ffff-7fff-bfff-ffffffffffff"])(
  "a timeline from before %s reads a contact's events in order, and their deliveries by the event",
  async (before) => {
    const steps = await plansOf(async (tx) => {
      await giveEventsTo(tx, 5);
      await tx.manager.query("UPDATE contacts SET merged_into_id = 5 WHERE id = 9");
      expect((await listTimeline(tx, 5, { limit: 50, before })).rows).toHaveLength(50);
    });
    expect(steps.filter(({ type }) => type === "ALL" || type === "index")).toEqual([]);
    expect(steps.filter(({ Extra }) => /filesort|temporary/.test(Extra ?? ""))).toEqual([]);
    const keysOf = (table: string) =>
      steps.filter((step) => step.table === table).map(({ key }) => key);
    expect(keysOf("events").slice(1)).toEqual(["events_contact", "events_contact"]);
    expect(keysOf("d")).toEqual(["deliveries_event_subscription"]);
  },
);

test("an upsert finds its contact by the unique keys and locks it by its id", async () => {
  const body = { phone: "34600000005", email: "5@x.co" };
  const upsert = (tx: Tx) => upsertContact(tx, body);
  expect(await indexesOf(upsert, "contacts")).toEqual(
    new Set(["contacts_phone", "contacts_email"]),
  );
  expect(await indexesOf(upsert, "Contact")).toEqual(new Set(["PRIMARY"]));
});

test.each<[string, ConversationFilter, string]>([
  ["all", {}, "conversations_newest"],
  ["of one status", { status: "waiting" }, "conversations_status"],
  ["of one channel", { channel: "web" }, "conversations_channel"],
  ["of one assignee", { assigned_to_user_id: 1 }, "conversations_assignee"],
  ["of nobody", { assigned_to_user_id: null }, "conversations_assignee"],
  ["with unseen messages", { unread: true }, "conversations_newest"],
])("conversations are listed, %s, in the order of an index", async (_, filter, key) => {
  const list = (tx: Tx) => listConversations(tx, { ...filter, ...page });
  expect(await indexesOf(list, "c")).toEqual(new Set([key]));
});

test("a search for the text of messages reads recent ones in the order of indexes", async () => {
  const steps = await plansOf((tx) => listConversations(tx, { search: "zz", ...page }));
  const read = steps.filter(({ table }) => table === "messages" || table === "conversations");
  expect(read.map(({ table, key }) => `${table} ${key}`).toSorted()).toEqual([
    "conversations conversations_newest",
    "messages messages_conversation",
  ]);
  for (const { Extra } of read) expect(Extra ?? "").not.toMatch(/filesort|temporary/);
});

test.each<ConversationFilter>([{}, { channel: "web" }])(
  "open conversations are merged from what each status has in the order of the index (%j)",
  async (filter) => {
    const steps = await plansOf((tx) => listConversations(tx, { open: true, ...filter, ...page }));
    const [merged, ...each] = steps.filter(({ table }) => table !== "Conversation");
    const count = each.pop();
    expect(count).toMatchObject({ table: "c", key: "conversations_status" });
    expect(merged?.table).toMatch(/derived/);
    expect(each.map(({ table, key }) => [table, key])).toEqual(
      Array.from({ length: 3 }, () => ["c", "conversations_status"]),
    );
    for (const { Extra } of steps.filter(({ table }) => table === "c")) {
      expect(Extra).toContain("Using index");
      expect(Extra).not.toMatch(/filesort|temporary/);
    }
  },
);

test.each([true, false])(
  "conversations handed off and answered (%j) are counted and found in the index alone",
  async (answered) => {
    const steps = await plansOf((tx) => listConversations(tx, { answered, ...page }));
    const ofList = steps.filter(({ table }) => table === "c");
    expect(ofList.map(({ key }) => key)).toEqual(Array(2).fill("conversations_status"));
    for (const { Extra } of ofList) {
      expect(Extra).toContain("Using index");
      expect(Extra).not.toMatch(/filesort|temporary|index condition/);
    }
  },
);

test.each<ConversationFilter>([{}, { channel: "web" }])(
  "a person's open conversations are counted and found in the index alone (%j)",
  async (filter) => {
    const mine = { open: true, assigned_to_user_id: 1, ...filter };
    const steps = await plansOf((tx) => listConversations(tx, { ...mine, ...page }));
    const ofList = steps.filter(({ table }) => table === "c");
    expect(ofList.map(({ key }) => key)).toEqual(Array(2).fill("conversations_assignee"));
    for (const { Extra } of ofList) {
      expect(Extra).toContain("Using index");
      expect(Extra).not.toMatch(/filesort|temporary|index condition/);
    }
  },
);

test("conversations of one status and one channel are listed in the order of either index", async () => {
  const filter = { status: "waiting", channel: "web" } as const;
  const [key = null, ...more] = await indexesOf(
    (tx) => listConversations(tx, { ...filter, ...page }),
    "c",
  );
  expect(["conversations_status", "conversations_channel"]).toContain(key);
  expect(more).toEqual([]);
});

test.each<ConversationFilter>([{}, { status: "waiting" }, { channel: "web" }])(
  "one contact's conversations are found by the contact and sorted: they are few (%j)",
  async (filter) => {
    const list = (tx: Tx) => listConversations(tx, { contact_id: 5, ...filter, ...page });
    expect(await indexesOf(list, "c")).toEqual(new Set(["conversations_contact", "sorted"]));
  },
);

test("a page of conversations is read by its ids", async () => {
  const steps = await plansOf((tx) => listConversations(tx, page));
  expect(steps.filter(({ table }) => table === "Conversation")).toMatchObject([{ key: "PRIMARY" }]);
});

test.each([undefined, 1_500])(
  "messages before %s are read in the order of their index",
  async (before_id) => {
    const list = (tx: Tx) => listMessages(tx, longConversation, { limit: 50, before_id });
    expect(await indexesOf(list, "m")).toEqual(new Set(["messages_thread"]));
  },
);

test("files and reactions of a page of messages take one statement each, by the messages", async () => {
  const steps = await plansOf(async (tx) => {
    const { rows } = await listMessages(tx, longConversation, { limit: 50, before_id: 1_500 });
    for (const row of rows) row.attachmentCount = 1;
    await presentMessages(tx, rows);
  });
  const read = steps.filter(({ table }) => /^Message(Media|Reaction)$/.test(table ?? ""));
  expect(read).toMatchObject([
    { table: "MessageMedia", key: "message_media_message" },
    { table: "MessageReaction", key: "message_reactions_message" },
  ]);
  expect(read.filter(({ type }) => type === "ALL")).toEqual([]);
});

test("messages without files and queued ones need no further statement", async () => {
  const steps = await plansOf(async (tx) => {
    const { rows } = await listMessages(tx, longConversation, { limit: 50 });
    for (const row of rows) row.status = "queued";
    await presentMessages(tx, rows);
  });
  expect(steps.filter(({ table }) => /^Message(Media|Reaction)$/.test(table ?? ""))).toEqual([]);
});

test("what the agent and a pause look for is found in the order of the conversation's messages", async () => {
  const reply = (tx: Tx) =>
    createAgentMessage(tx, {
      conversationId: longConversation,
      epoch: 0,
      watermark: 0,
      content: "x",
    });
  expect(await indexesOf(reply, "messages")).toEqual(new Set(["messages_conversation"]));
  const pause = (tx: Tx) => setBot(tx, longConversation, { enabled: false });
  expect(await indexesOf(pause, "messages")).toEqual(new Set(["messages_conversation"]));
});

test("the newest conversation of a contact is locked alone, by the contact", async () => {
  const lock = (tx: Tx) => lockNewest(tx, 5, 6);
  expect(await indexesOf(lock, "Conversation")).toEqual(new Set(["conversations_contact"]));
});
