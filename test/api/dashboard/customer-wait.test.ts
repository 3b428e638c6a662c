import { expect, test } from "vitest";
import { createAgentMessage } from "../../../core/services/conversations/agent-messages.ts";
import { insertOutbound } from "../../../core/services/conversations/messages.ts";
import { lockConversation } from "../../../core/services/conversation-records/conversation-records.ts";
import {
  beginSend,
  cancelSend,
  completeSend,
  recordMessageStatus,
} from "../../../core/services/conversations/message-sending.ts";
import { setBot } from "../../../core/services/conversations/conversations.ts";
import { asSystem } from "../../support/accounts.ts";
import { noPace } from "../../support/conversations.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { startInboxFixture } from "./inbox-fixture.ts";

const fixture = useFixture(startInboxFixture);

/** Since when the customer waits, by the message that began the wait; null where nobody waits. */
async function waitOf(id: number): Promise<number | null> {
  const [row] = await fixture.query<{ first: number | null; waits: number }>(
    `SELECT MIN(m.id) AS first, c.customer_waits_since IS NOT NULL AS waits FROM conversations c
       LEFT JOIN messages m ON m.conversation_id = c.id AND m.direction = 'inbound'
        AND m.created_at = c.customer_waits_since WHERE c.id = ? GROUP BY c.id`,
    [id],
  );
  expect(Number(row?.waits)).toBe(row?.first === null ? 0 : 1);
  return row?.first === null ? null : Number(row?.first);
}

const apart = async () => await new Promise((resolve) => setTimeout(resolve, 5));

async function reply(id: number, by: "person" | "api" = "person"): Promise<number> {
  const { account, api } = fixture;
  const path = `/conversations/${id}/messages`;
  const body = { content: "Right away" };
  const answer =
    by === "person"
      ? await fixture.call(account, "POST", path, body)
      : await api.call("POST", `/api/v1${path}`, { apiKey: account.apiKey, body });
  expect(answer.status).toBe(201);
  await apart();
  return answer.json.data.id;
}

async function inAccount<T>(work: Parameters<typeof asSystem<T>>[2]): Promise<T> {
  return await asSystem(fixture.database.dataSource, fixture.account.accountId, work);
}

test("the wait begins with the first message after ours, and further messages leave it", async () => {
  const { id, from, messageId } = await fixture.write(fixture.account);
  await apart();
  await fixture.write(fixture.account, { from });
  expect(await waitOf(id)).toBe(messageId);
  await reply(id);
  expect(await waitOf(id)).toBeNull();
  const again = await fixture.write(fixture.account, { from });
  expect(await waitOf(id)).toBe(again.messageId);
});

test.each(["person", "api"] as const)("a reply by a %s ends the wait", async (by) => {
  const { id } = await fixture.write(fixture.account);
  await reply(id, by);
  expect(await waitOf(id)).toBeNull();
  expect(await fixture.rowOf(fixture.account, id)).toMatchObject({
    customer_waits_since: null,
    spoke_last: "us",
  });
});

test("a message of the AI agent ends the wait; a pause that cancels it begins the wait again", async () => {
  const { id, messageId } = await fixture.write(fixture.account);
  const text = { conversationId: id, epoch: 0, watermark: messageId, content: "At ten?" };
  expect(await inAccount((tx) => createAgentMessage(tx, text))).not.toBeNull();
  expect(await waitOf(id)).toBeNull();
  const paused = await inAccount((tx) => setBot(tx, id, { enabled: false }));
  expect(await waitOf(id)).toBe(messageId);
  expect(paused.customerWaitsSince).not.toBeNull();
});

test("a template ends the wait, and opening a conversation without a message begins none", async () => {
  const { id, from } = await fixture.write(fixture.account);
  const template = { name: "hello", language: "es" };
  const body = { phone: from, template };
  expect((await fixture.call(fixture.account, "POST", "/conversations", body)).status).toBe(200);
  expect(await waitOf(id)).toBeNull();
  const opened = await fixture.call(fixture.account, "POST", "/conversations", {
    phone: "5215511119999",
  });
  expect(opened.json.data).toMatchObject({ customer_waits_since: null, spoke_last: null });
});

test("notes and changes do not speak", async () => {
  const { id, messageId } = await fixture.write(fixture.account);
  for (const [path, body] of [
    ["notes", { text: "Prefers evenings" }],
    ["assign", { user_id: fixture.account.userId }],
    ["bot", { enabled: false }],
    ["read", {}],
  ] as const) {
    await fixture.call(fixture.account, "POST", `/conversations/${id}/${path}`, body);
    expect(await waitOf(id)).toBe(messageId);
  }
});

test("an automatic message answers nobody", async () => {
  const { id, messageId } = await fixture.write(fixture.account);
  await inAccount(async (tx) => {
    await insertOutbound(tx, await lockConversation(tx, id), { type: "text", content: "Reminder" });
  });
  expect(await waitOf(id)).toBe(messageId);
});

test.each(["refused", "out of tries", "reported as failed", "cancelled"])(
  "a message that is %s counts no more: the customer waits since before it",
  async (end) => {
    const { id, from, messageId: first } = await fixture.write(fixture.account);
    await apart();
    const messageId = await reply(id);
    // Written after the reply, and not what the customer waits for since.
    await fixture.write(fixture.account, { from });
    const input = { accountId: fixture.account.accountId, messageId };
    if (end === "cancelled") await inAccount((tx) => cancelSend(tx, input));
    else await inAccount((tx) => beginSend(tx, input, noPace));
    if (end === "refused") {
      const error = { code: "x", message: "x", provider_code: null } as never;
      await inAccount((tx) => completeSend(tx, input, { kind: "permanent", error }));
    }
    if (end === "out of tries") {
      await fixture.query("UPDATE messages SET tries = 99 WHERE id = ?", [messageId]);
      await inAccount((tx) =>
        completeSend(tx, input, {
          kind: "transient",
          scope: "provider",
          waitMs: 0,
          providerCode: null,
        }),
      );
    }
    if (end === "reported as failed") {
      await inAccount((tx) =>
        completeSend(tx, input, { kind: "accepted", providerId: `p${id}`, reports: [] }),
      );
      await inAccount((tx) => recordMessageStatus(tx, messageId, "failed"));
    }
    expect(await waitOf(id)).toBe(first);
  },
);

test("a message that fails after another one of ours leaves the customer answered", async () => {
  const { id } = await fixture.write(fixture.account);
  const failing = await reply(id);
  await reply(id);
  const input = { accountId: fixture.account.accountId, messageId: failing };
  await inAccount((tx) => cancelSend(tx, input));
  expect(await waitOf(id)).toBeNull();
});

test("a failed message is tried again, and the wait ends with the new one", async () => {
  const { id, messageId: first } = await fixture.write(fixture.account);
  const messageId = await reply(id);
  const input = { accountId: fixture.account.accountId, messageId };
  await inAccount((tx) => beginSend(tx, input, noPace));
  const error = { code: "x", message: "x", provider_code: null } as never;
  await inAccount((tx) => completeSend(tx, input, { kind: "permanent", error }));
  expect(await waitOf(id)).toBe(first);
  await fixture.call(fixture.account, "POST", `/messages/${messageId}/retry`, {});
  expect(await waitOf(id)).toBeNull();
});

test("a customer who comes back after the end waits since then, not since before", async () => {
  const { id, from } = await fixture.write(fixture.account);
  await fixture.call(fixture.account, "PATCH", `/conversations/${id}`, { status: "resolved" });
  await apart();
  const { messageId } = await fixture.write(fixture.account, { from });
  expect(await waitOf(id)).toBe(messageId);
});

test("a merge leaves the wait of the conversations that move", async () => {
  const { account } = fixture;
  const one = await fixture.write(account);
  const other = await fixture.write(account, { channel: "web", from: "visitor-merge" });
  const [row] = await fixture.query<{ loser: number; winner: number }>(
    `SELECT l.contact_id AS loser, w.contact_id AS winner FROM conversations l, conversations w
      WHERE l.id = ? AND w.id = ?`,
    [other.id, one.id],
  );
  const merged = await fixture.call(account, "POST", `/contacts/${row?.loser}/merge`, {
    into_contact_id: row?.winner,
  });
  expect(merged.status).toBe(200);
  expect(await waitOf(other.id)).toBe(other.messageId);
  expect(await waitOf(one.id)).toBe(one.messageId);
});

test("a reply and the customer's next message at once leave one of both truths", async () => {
  const { account } = fixture;
  const { id, from } = await fixture.write(account);
  const path = `/conversations/${id}/messages`;
  await Promise.all([
    fixture.call(account, "POST", path, { content: "Here" }),
    fixture.write(account, { from }),
  ]);
  const [last] = await fixture.query<{ id: number; direction: string }>(
    "SELECT id, direction FROM messages WHERE conversation_id = ? ORDER BY id DESC LIMIT 1",
    [id],
  );
  const waits = await waitOf(id);
  expect(waits).toBe(last?.direction === "inbound" ? Number(last.id) : null);
});
