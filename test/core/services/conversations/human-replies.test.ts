import { beforeEach, expect, test } from "vitest";
import { createAgentMessage } from "../../../../core/services/conversations/agent-messages.ts";
import {
  setBot,
  setConversationStatus,
} from "../../../../core/services/conversations/conversations.ts";
import { sendMessage } from "../../../../core/services/conversations/messages.ts";
import { transaction, type Tx } from "../../../../db/transaction.ts";
import { asSystem, createTestAccount, type TestAccount } from "../../../support/accounts.ts";
import { freshPhone } from "../../../support/contact-load.ts";
import { receive, tracesOf } from "../../../support/conversations.ts";
import { createTestDatabase } from "../../../support/database.ts";
import { useFixture } from "../../../support/use-fixture.ts";

const database = useFixture(createTestDatabase);
let account: TestAccount;
let conversationId: number;
let watermark: number;

beforeEach(async () => {
  account = await createTestAccount(database.dataSource);
  const first = await receive(database.dataSource, account.accountId, { from: freshPhone() });
  ({ conversationId, id: watermark } = first.row);
});

/** What a person's message leaves behind. */
async function reply(body: { content: string; external_id?: string } = { content: "Soy Ada" }) {
  const { accountId, userId } = account;
  const actor = { type: "user", accountId, userId, role: "agent" } as const;
  return await tracesOf(database.dataSource, accountId, () =>
    transaction(database.dataSource, { actor }, (tx) =>
      sendMessage(tx, conversationId, { type: "text", ...body }),
    ),
  );
}

const inAccount = async (work: (tx: Tx) => Promise<unknown>) =>
  await asSystem(database.dataSource, account.accountId, work);

async function readState() {
  const [row] = await database.dataSource.query<Record<string, unknown>[]>(
    `SELECT status, bot_enabled, bot_epoch, unread_count, last_human_reply_at IS NOT NULL AS replied
       FROM conversations WHERE id = ?`,
    [conversationId],
  );
  return row;
}

const commandsOf = ({ commands }: Awaited<ReturnType<typeof reply>>) =>
  commands.map(({ op, workflowId, signal }) => [op, workflowId, signal ?? null]);

test("a person's message pauses the agent, cancels what it was about to say, and starts a handoff", async () => {
  const turn = { conversationId, epoch: 0, watermark, content: "Claro" };
  await inAccount((tx) => createAgentMessage(tx, turn));
  const [queued] = await database.dataSource.query<{ id: number }[]>(
    "SELECT id FROM messages WHERE sender_type = 'ai' AND conversation_id = ?",
    [conversationId],
  );
  const done = await reply();
  const who = {
    source: "panel",
    actor_user_id: account.userId,
    api_key_id: null,
    assigned_to_user_id: account.userId,
  };
  expect(done.events.map(({ type, data }) => [type, data])).toEqual([
    [
      "conversation.bot.disabled",
      expect.objectContaining({
        ...who,
        status: "handed_off",
        previous_status: "active",
        reason: "human_reply",
        cancelled_message_ids: [queued?.id],
      }),
    ],
    ["conversation.updated", expect.objectContaining({ ...who, status: "handed_off" })],
  ]);
  expect(done.result.row).toMatchObject({
    senderType: "user",
    senderUserId: account.userId,
    apiKeyId: null,
    status: "queued",
  });
  expect(commandsOf(done)).toEqual([
    ["start", `message-${done.result.row.id}`, null],
    ["start", `handoff-${conversationId}-1`, null],
  ]);
  expect(done.notes).toMatchObject([
    { kind: "assigned", params: { from: null, to: account.userId } },
    { kind: "handed_off", text: "human_reply" },
  ]);
  expect(await readState()).toEqual({
    status: "handed_off",
    bot_enabled: 0,
    bot_epoch: 1,
    unread_count: 0,
    replied: 1,
  });
});

test("the first message of a person in a handoff tells its run so, further ones change nothing", async () => {
  await inAccount((tx) => setBot(tx, conversationId, { enabled: false }));
  const first = await reply();
  expect([first.events, first.notes.map(({ kind }) => kind)]).toEqual([[], ["assigned"]]);
  expect(commandsOf(first)).toEqual([
    ["start", `message-${first.result.row.id}`, null],
    ["signal", `handoff-${conversationId}-1`, "replied"],
  ]);
  const second = await reply();
  expect([second.events, second.notes]).toEqual([[], []]);
  expect(commandsOf(second)).toEqual([["start", `message-${second.result.row.id}`, null]]);
  expect((await readState())?.["bot_epoch"]).toBe(1);
});

test("each handoff has a run of its own, which the next state ends", async () => {
  await reply();
  const ended = await tracesOf(database.dataSource, account.accountId, () =>
    inAccount((tx) => setBot(tx, conversationId, { enabled: true })),
  );
  expect(ended.commands).toMatchObject([
    { op: "signal", workflowId: `handoff-${conversationId}-1`, signal: "ended" },
  ]);
  const again = await reply();
  expect(commandsOf(again)[1]).toEqual(["start", `handoff-${conversationId}-3`, null]);
});

test("where the flag is off already, a person's message to an active conversation hands it over without a bot event", async () => {
  await inAccount((tx) => setBot(tx, conversationId, { enabled: false }));
  await inAccount((tx) => setConversationStatus(tx, conversationId, "active"));
  const done = await reply();
  expect(done.events.map(({ type }) => type)).toEqual(["conversation.updated"]);
  expect(await readState()).toMatchObject({ status: "handed_off", bot_enabled: 0, bot_epoch: 2 });
});

test("an account may have it that a person's message leaves the agent on", async () => {
  await database.dataSource.query(
    `UPDATE accounts SET settings = '{"pause_on_human_reply": false}' WHERE id = ?`,
    [account.accountId],
  );
  const done = await reply();
  expect([done.events, done.commands.length]).toEqual([[], 1]);
  expect(done.notes.map(({ kind }) => kind)).toEqual(["assigned"]);
  expect(await readState()).toEqual({
    status: "active",
    bot_enabled: 1,
    bot_epoch: 0,
    unread_count: 0,
    replied: 1,
  });
});

test("who replies attends the conversation, unless somebody does", async () => {
  const attends = async () =>
    await database.dataSource.query<unknown[]>(
      "SELECT assigned_to_user_id AS id FROM conversations WHERE id = ?",
      [conversationId],
    );
  await reply();
  expect(await attends()).toEqual([{ id: account.userId }]);
  await database.dataSource.query("UPDATE conversations SET assigned_to_user_id = 999");
  await reply();
  expect(await attends()).toEqual([{ id: 999 }]);
});

test("a message that is sent again under its external_id pauses nothing a second time", async () => {
  const body = { content: "Soy Ada", external_id: "a-1" };
  await reply(body);
  await inAccount((tx) => setBot(tx, conversationId, { enabled: true }));
  const again = await reply(body);
  expect([again.result.created, again.events, again.commands]).toEqual([false, [], []]);
  expect((await readState())?.["status"]).toBe("active");
});
