import { beforeEach, expect, test } from "vitest";
import { messageSendBody } from "../../core/model/message.ts";
import type { HandoffInput } from "../../core/model/workflow/handoff.ts";
import { setBot } from "../../core/services/conversations/conversations.ts";
import { beginHandoff } from "../../core/services/conversations/handoffs.ts";
import { beginMail } from "../../core/services/mails/mail-sending.ts";
import { sendMessage } from "../../core/services/conversations/messages.ts";
import { testSecretBox } from "../support/accounts.ts";
import { createAttemptFixture } from "./attempt-fixture.ts";
import { createConversationFixture, type ConversationFixture } from "./conversation-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(createAttemptFixture);
let conversations: ConversationFixture;
let agentId: number;

beforeEach(async () => {
  conversations = await createConversationFixture(fixture);
  agentId = await conversations.addMember("agent");
  await wish(agentId);
});

const wish = async (userId: number) =>
  await conversations.sql(
    "INSERT INTO notification_preferences (user_id, kind, app, desktop, email) VALUES (?, 'conversation_handed_off', 1, 0, 1)",
    [userId],
  );

const begin = async (input: HandoffInput, mailOn = true) =>
  await conversations.traces(() => conversations.run((tx) => beginHandoff(tx, input, mailOn)));

const mails = async () =>
  await conversations.sql<{ id: number; state: string; user_id: number }>(
    `SELECT id, kind, state, user_id, conversation_id, user_link_id, sealed FROM mails
      WHERE account_id = ? ORDER BY id`,
    [conversations.accountId],
  );

const send = async (mailId: number) =>
  await conversations.run((tx) =>
    beginMail(tx, testSecretBox, { accountId: conversations.accountId, mailId }),
  );

/** Queues the mail of a new handoff. */
async function queued(): Promise<{ input: HandoffInput; mailId: number }> {
  const input = await conversations.handOver();
  await begin(input);
  return { input, mailId: Number((await mails())[0]?.id) };
}

test("whoever a handoff is assigned to gets one mail, however often the handoff begins", async () => {
  const { accountId } = conversations;
  const input = await conversations.handOver();
  const { commands } = await begin(input);
  const rows = await mails();
  expect(rows).toEqual([
    {
      id: expect.any(Number),
      kind: "needs_person",
      state: "queued",
      user_id: agentId,
      conversation_id: input.conversationId,
      user_link_id: null,
      sealed: null,
    },
  ]);
  const mailId = Number(rows[0]?.id);
  expect(commands).toEqual([
    expect.objectContaining({ workflow: "sendMail", input: { accountId, mailId } }),
  ]);
  expect((await begin(input)).commands).toEqual([]);
  expect(await mails()).toHaveLength(1);
});

test("each handoff of a conversation sends a mail of its own", async () => {
  const { input } = await queued();
  await conversations.run((tx) => setBot(tx, input.conversationId, { enabled: true }));
  await begin(await conversations.pause(input.conversationId));
  expect(await mails()).toHaveLength(2);
});

test.each<[string, string]>([
  ["does not want it", "DELETE FROM notification_preferences WHERE user_id = ?"],
  ["has not proved the address", "UPDATE users SET unconfirmed_account_id = 7 WHERE id = ?"],
])("whoever %s gets no mail", async (_, statement) => {
  await conversations.sql(statement, [agentId]);
  await begin(await conversations.handOver());
  expect(await mails()).toEqual([]);
});

test("without a mail server no mail is written, and the others of the account get none", async () => {
  await wish(conversations.adminId);
  const input = await conversations.handOver();
  await begin(input, false);
  expect(await mails()).toEqual([]);
  await begin(input);
  expect((await mails()).map((row) => row.user_id)).toEqual([agentId]);
});

test("a person who has answered already gets no mail", async () => {
  const input = await conversations.handOver();
  await reply(input);
  await begin(input);
  expect(await mails()).toEqual([]);
});

test("a queued mail is sent to the person's address with the conversation alone", async () => {
  const { input, mailId } = await queued();
  expect(await send(mailId)).toMatchObject({
    material: {
      kind: "needs_person",
      to: expect.stringMatching(/^member/),
      path: `/inbox/${input.conversationId}`,
    },
  });
});

const ends: [string, (input: HandoffInput) => Promise<unknown>][] = [
  ["a person has answered", async (input) => await reply(input)],
  [
    "the agent answers again",
    async ({ conversationId }) =>
      await conversations.run((tx) => setBot(tx, conversationId, { enabled: true })),
  ],
  [
    "the person wants none any more",
    async () =>
      await conversations.sql("DELETE FROM notification_preferences WHERE user_id = ?", [agentId]),
  ],
  [
    "the account is closed to the person",
    async () =>
      await conversations.sql("UPDATE memberships SET disabled_at = NOW(3) WHERE user_id = ?", [
        agentId,
      ]),
  ],
  [
    "somebody else has the conversation",
    async ({ conversationId }) =>
      await conversations.sql("UPDATE conversations SET assigned_to_user_id = ? WHERE id = ?", [
        conversations.adminId,
        conversationId,
      ]),
  ],
];

test.each(ends)("a queued mail is cancelled where %s", async (_, end) => {
  const { input, mailId } = await queued();
  await end(input);
  expect(await send(mailId)).toEqual({ outcome: { state: "over" } });
  expect(await mails()).toMatchObject([{ state: "cancelled" }]);
});

async function reply({ conversationId, accountId }: HandoffInput): Promise<void> {
  const actor = { type: "user", accountId, userId: conversations.adminId, role: "admin" } as const;
  const body = messageSendBody.parse({ content: "I am here." });
  await conversations.run((tx) => sendMessage(tx, conversationId, body), actor);
}
