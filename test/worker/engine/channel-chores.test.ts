import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createGraph } from "../../../activities/channels/graph.ts";
import { createLog } from "../../../core/log.ts";
import { findChannelChores } from "../../../core/services/channels/channel-chores.ts";
import { markConversationRead } from "../../../core/services/conversations/conversations.ts";
import { oneStatement, systemOf, transaction } from "../../../db/transaction.ts";
import { startChannelChores } from "../../../worker/engine/channel-chores.ts";
import { startSendingFixture, type TestTalk } from "../../activities/channels/sending-fixture.ts";
import { testSecretBox } from "../../support/accounts.ts";
import { eventually } from "../../support/eventually.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(startSendingFixture);

async function find() {
  return await oneStatement(fixture.database.dataSource, systemOf(), findChannelChores);
}

/** The chores of a talk's channel: each function makes one due, or tells if it was done. */
async function openChores(talk: TestTalk, url = talk.standIn.url) {
  const { dataSource } = fixture.database;
  const { accountId, userId } = talk.account;
  const actor = { type: "user", accountId, userId, role: "agent" } as const;
  const channel = [talk.channelAccountId];
  const graph = createGraph({ graphUrl: url, instagramUrl: url, version: "v26.0" });
  onTestFinished(async () => await graph.close());
  const log = createLog("worker", "silent");
  const publicUrl = "https://parley.example";
  const readChannel = async () => {
    const [row] = await fixture.query<{ held: number; due: number }>(
      `SELECT held_since IS NOT NULL AS held, check_at <= UTC_TIMESTAMP(3) AS due
         FROM channel_accounts WHERE id = ?`,
      channel,
    );
    return row;
  };
  return {
    readChannel,
    read: async () =>
      await transaction(dataSource, { actor }, (tx) =>
        markConversationRead(tx, talk.conversationId),
      ),
    hold: async () =>
      await fixture.query(
        "UPDATE channel_accounts SET held_since = UTC_TIMESTAMP(3) WHERE id = ?",
        channel,
      ),
    makeCheckDue: async () =>
      await fixture.query(
        "UPDATE channel_accounts SET check_at = UTC_TIMESTAMP(3) WHERE id = ?",
        channel,
      ),
    start: () =>
      startChannelChores({ dataSource, secretBox: testSecretBox, graph, log, publicUrl }),
  };
}

test("one look finds each chore by itself, and all together", async () => {
  const talk = await fixture.talk("whatsapp");
  const { read, hold, makeCheckDue } = await openChores(talk);
  await fixture.query("UPDATE channel_accounts SET check_at = NULL");
  expect(await find()).toEqual([]);
  await read();
  expect(await find()).toEqual(["marks"]);
  await fixture.query("UPDATE conversations SET seen_due_at = NULL");
  await makeCheckDue();
  expect(await find()).toEqual(["checks"]);
  await fixture.query("UPDATE accounts SET disabled_at = UTC_TIMESTAMP(3) WHERE id = ?", [
    talk.account.accountId,
  ]);
  expect(await find()).toEqual([]);
  await fixture.query("UPDATE accounts SET disabled_at = NULL WHERE id = ?", [
    talk.account.accountId,
  ]);
  await hold();
  expect(await find()).toEqual(["held", "checks"]);
});

test("the loop does each chore", async () => {
  const talk = await fixture.talk("messenger");
  const { readChannel, read, hold, makeCheckDue, start } = await openChores(talk);
  await hold();
  await makeCheckDue();
  await read();
  const chores = start();
  await eventually(async () => {
    expect(talk.bodies()).toHaveLength(1);
    expect(await readChannel()).toEqual({ held: 0, due: 0 });
  });
  await chores.stop();
  expect(talk.bodies()).toHaveLength(1);
  expect(await find()).not.toContain("marks");
});

test("a network that does not answer a mark delays no other chore", async () => {
  const talk = await fixture.talk("messenger");
  const asked: string[] = [];
  const silent = createServer(({ method }) => void asked.push(method ?? ""));
  silent.listen(0, "127.0.0.1");
  await once(silent, "listening");
  onTestFinished(() => void silent.close());
  const { port } = silent.address() as AddressInfo;
  const { readChannel, read, hold, makeCheckDue, start } = await openChores(
    talk,
    `http://127.0.0.1:${port}`,
  );
  await fixture.query("UPDATE channel_accounts SET check_at = NULL");
  const chores = start();
  await read();
  await eventually(() => expect(asked).toContain("POST"));
  await hold();
  await makeCheckDue();
  await eventually(async () => expect(await readChannel()).toEqual({ held: 0, due: 0 }));
  silent.closeAllConnections();
  await chores.stop();
});
