import { expect, onTestFinished, test } from "vitest";
import { createGraph } from "../../../activities/channels/graph.ts";
import { createLog } from "../../../core/log.ts";
import type { Principal } from "../../../core/model/principal.ts";
import { claimReadMarks } from "../../../core/services/conversations/read-marks.ts";
import { changeChannelAccount } from "../../../core/services/channels/channel-accounts.ts";
import { markConversationRead } from "../../../core/services/conversations/conversations.ts";
import { systemOf, transaction } from "../../../db/transaction.ts";
import { metaNetworks, type MetaNetwork } from "../../../dev/stand-in/meta-accounts.ts";
import { sendReadMarks } from "../../../worker/engine/read-marks.ts";
import { startSendingFixture, type TestTalk } from "../../activities/channels/sending-fixture.ts";
import { createTestAccount, testSecretBox } from "../../support/accounts.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(startSendingFixture);

/** A talk with a loop that marks its messages, and a person who opens it. */
async function openTalk(network: MetaNetwork) {
  const talk = await fixture.talk(network);
  const { dataSource } = fixture.database;
  const { url } = talk.standIn;
  const graph = createGraph({ graphUrl: url, instagramUrl: url, version: "v26.0" });
  onTestFinished(async () => await graph.close());
  const deps = { dataSource, secretBox: testSecretBox, graph, log: createLog("worker", "silent") };
  const { accountId, userId } = talk.account;
  const person = { type: "user", accountId, userId, role: "agent" } as Principal;
  return {
    ...talk,
    deps,
    mark: async () => await sendReadMarks(deps),
    open: async (upTo?: number, actor: Principal = person, id = talk.conversationId) =>
      await transaction(dataSource, { actor }, (tx) => markConversationRead(tx, id, upTo)),
    async write(text: string) {
      await talk.standIn.receive(network, { kind: "text", text });
      await talk.settle();
    },
  };
}

async function providerIds({ conversationId }: TestTalk): Promise<string[]> {
  const rows = await fixture.query<{ provider_id: string }>(
    "SELECT provider_id FROM message_provider_ids WHERE conversation_id = ? ORDER BY id",
    [conversationId],
  );
  return rows.map((row) => row.provider_id);
}

test.each(metaNetworks)("%s shows the newest opened message as read, once", async (network) => {
  const talk = await openTalk(network);
  await talk.write("¿Hay lugar?");
  await talk.open();
  expect(talk.bodies()).toEqual([]);
  expect(await talk.mark()).toBe(1);
  const [, newest] = await providerIds(talk);
  const recipient = { id: expect.any(String) as string };
  const expected =
    network === "whatsapp"
      ? { messaging_product: "whatsapp", status: "read", message_id: newest }
      : { recipient, sender_action: "mark_seen" };
  expect(talk.bodies()).toEqual([expected]);
  expect(talk.standIn.calls()).toMatchObject([{ answered: 200 }]);
  await talk.open();
  await fixture.query("UPDATE conversations SET unread_count = 1 WHERE id = ?", [
    talk.conversationId,
  ]);
  await talk.open();
  expect(await talk.mark()).toBe(0);
  await talk.write("¿Hola?");
  await talk.open();
  expect(await talk.mark()).toBe(1);
});

test("a message that the person has not seen yet stays unread at the network", async () => {
  const talk = await openTalk("whatsapp");
  const [first] = await fixture.query<{ id: number }>(
    "SELECT id FROM messages WHERE conversation_id = ?",
    [talk.conversationId],
  );
  await talk.write("Later");
  await talk.open(Number(first?.id));
  await talk.mark();
  expect(talk.bodies()).toMatchObject([{ message_id: (await providerIds(talk))[0] }]);
});

test("the setting of the channel switches it off, also for a mark that waits", async () => {
  const talk = await openTalk("whatsapp");
  const change = async (marks_read: boolean) =>
    await transaction(fixture.database.dataSource, systemOf(talk.account.accountId), (tx) =>
      changeChannelAccount(tx, talk.channelAccountId, { marks_read }),
    );
  await talk.open();
  await change(false);
  await talk.mark();
  await talk.write("Hola");
  await talk.open();
  expect(await talk.mark()).toBe(0);
  expect(talk.bodies()).toEqual([]);
  await change(true);
  await talk.write("Hola");
  await talk.open();
  expect(await talk.mark()).toBe(1);
  expect(talk.bodies()).toHaveLength(1);
});

test("a program reads without a mark, and another account finds no conversation", async () => {
  const talk = await openTalk("whatsapp");
  const { accountId, apiKeyId } = talk.account;
  await talk.open(undefined, { type: "api_key", accountId, apiKeyId, scopes: [] });
  expect(await talk.mark()).toBe(0);
  const other = await createTestAccount(fixture.database.dataSource);
  const stranger = {
    type: "user",
    accountId: other.accountId,
    userId: other.userId,
    role: "agent",
  };
  await expect(talk.open(undefined, stranger as Principal)).rejects.toThrow(/conversation/iu);
  expect(await talk.mark()).toBe(0);
});

test("a worker that dies after the claim sends nothing, and the next message is marked", async () => {
  const talk = await openTalk("whatsapp");
  await talk.open();
  await transaction(fixture.database.dataSource, systemOf(), (tx) => claimReadMarks(tx, 10));
  expect(await talk.mark()).toBe(0);
  await talk.write("¿Hola?");
  await talk.open();
  expect(await talk.mark()).toBe(1);
  expect(talk.bodies()).toHaveLength(1);
});

test("two loops send a mark once, and a network that refuses is not asked again", async () => {
  const talk = await openTalk("whatsapp");
  talk.standIn.script("server_error", 1);
  await talk.open();
  const marked = await Promise.all([talk.mark(), talk.mark(), talk.mark()]);
  expect(marked.reduce((sum, one) => sum + one, 0)).toBe(1);
  expect(await talk.mark()).toBe(0);
  expect(talk.bodies()).toHaveLength(1);
});
