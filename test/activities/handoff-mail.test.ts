import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { messageSendBody } from "../../core/model/message.ts";
import type { HandoffInput } from "../../core/model/workflow/handoff.ts";
import { setBot } from "../../core/services/conversations/conversations.ts";
import { beginHandoff } from "../../core/services/conversations/handoffs.ts";
import { beginMail } from "../../core/services/conversations/mail-sending.ts";
import { sendMessage } from "../../core/services/conversations/messages.ts";
import { testSecretBox } from "../support/accounts.ts";
import { createBench, type Bench } from "./attempt-fixture.ts";
import { createDesk, type Desk } from "./conversation-fixture.ts";

let bench: Bench;
let desk: Desk;
let agentId: number;

beforeAll(async () => {
  bench = await createBench();
});

beforeEach(async () => {
  desk = await createDesk(bench);
  agentId = await desk.addMember("agent");
  await wish(agentId);
});

afterAll(async () => await bench.stop());

const wish = async (userId: number) =>
  await desk.sql("UPDATE users SET mail_needs_person = 1 WHERE id = ?", [userId]);

const begin = async (input: HandoffInput, mailOn = true) =>
  await desk.traces(() => desk.run((tx) => beginHandoff(tx, input, mailOn)));

const mails = async () =>
  await desk.sql<{ id: number; state: string; user_id: number }>(
    `SELECT id, kind, state, user_id, conversation_id, user_link_id, sealed FROM mails
      WHERE account_id = ? ORDER BY id`,
    [desk.accountId],
  );

const send = async (mailId: number) =>
  await desk.run((tx) => beginMail(tx, testSecretBox, { accountId: desk.accountId, mailId }));

/** Queues the mail of a new handoff. */
async function queued(): Promise<{ input: HandoffInput; mailId: number }> {
  const input = await desk.handOver();
  await begin(input);
  return { input, mailId: Number((await mails())[0]?.id) };
}

test("whoever a handoff is assigned to gets one mail, however often the handoff begins", async () => {
  const { accountId } = desk;
  const input = await desk.handOver();
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
  await desk.run((tx) => setBot(tx, input.conversationId, { enabled: true }));
  await begin(await desk.pause(input.conversationId));
  expect(await mails()).toHaveLength(2);
});

test.each<[string, string]>([
  ["does not want it", "UPDATE users SET mail_needs_person = 0 WHERE id = ?"],
  ["has not proved the address", "UPDATE users SET unconfirmed_account_id = 7 WHERE id = ?"],
])("whoever %s gets no mail", async (_, statement) => {
  await desk.sql(statement, [agentId]);
  await begin(await desk.handOver());
  expect(await mails()).toEqual([]);
});

test("without a mail server no mail is written, and the others of the account get none", async () => {
  await wish(desk.adminId);
  const input = await desk.handOver();
  await begin(input, false);
  expect(await mails()).toEqual([]);
  await begin(input);
  expect((await mails()).map((row) => row.user_id)).toEqual([agentId]);
});

test("a person who has answered already gets no mail", async () => {
  const input = await desk.handOver();
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
      token: null,
      conversationId: input.conversationId,
    },
  });
});

const ends: [string, (input: HandoffInput) => Promise<unknown>][] = [
  ["a person has answered", async (input) => await reply(input)],
  [
    "the agent answers again",
    async ({ conversationId }) =>
      await desk.run((tx) => setBot(tx, conversationId, { enabled: true })),
  ],
  [
    "the person wants none any more",
    async () => await desk.sql("UPDATE users SET mail_needs_person = 0 WHERE id = ?", [agentId]),
  ],
  [
    "the account is closed to the person",
    async () =>
      await desk.sql("UPDATE memberships SET disabled_at = NOW(3) WHERE user_id = ?", [agentId]),
  ],
  [
    "somebody else has the conversation",
    async ({ conversationId }) =>
      await desk.sql("UPDATE conversations SET assigned_to_user_id = ? WHERE id = ?", [
        desk.adminId,
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
  const actor = { type: "user", accountId, userId: desk.adminId, role: "admin" } as const;
  const body = messageSendBody.parse({ content: "I am here." });
  await desk.run((tx) => sendMessage(tx, conversationId, body), actor);
}
