import { expect, test } from "vitest";
import { receiveCustomerMessage } from "../../core/services/conversations/customer-messages.ts";
import { sendMessage } from "../../core/services/conversations/messages.ts";
import { metaAccounts } from "../../dev/stand-in/meta-accounts.ts";
import { asSystem } from "../support/accounts.ts";
import { startTestApi } from "../support/api.ts";
import { eventually } from "../support/eventually.ts";
import { startMetaChannels } from "../support/meta-channel.ts";
import { createProcessFixture } from "../support/process-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

/** A number that people use in their app too sends this many messages a second. */
const rate = 20;
const messages = 80;

/** Two worker processes, and a number of WhatsApp whose network is a stand-in. */
const fixture = useFixture(async () => {
  const processes = await createProcessFixture();
  const { database, account } = processes;
  const { dataSource } = database;
  const api = await startTestApi(database);
  const number = metaAccounts.filter(({ network }) => network === "whatsapp").slice(0, 1);
  const { standIn, ids } = await startMetaChannels(dataSource, api.url, account.accountId, number);
  await dataSource.query("UPDATE channel_accounts SET health = ? WHERE id = ?", [
    JSON.stringify({ facts: { platform_type: "CLOUD_API", is_on_biz_app: true } }),
    ids[0],
  ]);
  const settings = { META_GRAPH_URL: standIn.url, META_INSTAGRAM_URL: standIn.url };
  const starts = [processes.startWorker(settings), processes.startWorker(settings)];
  const workers = await Promise.all(starts);
  return {
    dataSource,
    accountId: account.accountId,
    channelAccountId: ids[0] ?? 0,
    standIn,
    workers,
    async stop() {
      await processes.stop();
      await standIn.close();
      await api.stop();
    },
  };
});

/** Lets a customer write, an hour ago so that it takes no part of the pace. */
async function openTalk(index: number): Promise<number> {
  const { dataSource, accountId, channelAccountId } = fixture;
  const text = { type: "text", content: "hola", media: null, providerId: null } as const;
  const from = String(5_215_500_000_000 + index);
  return await asSystem(dataSource, accountId, async (tx) => {
    const message = { channelAccountId, from, name: null, ...text };
    const { row } = await receiveCustomerMessage(tx, message);
    await tx.manager.query(
      "UPDATE messages SET created_at = created_at - INTERVAL 1 HOUR WHERE id = ?",
      [row.id],
    );
    return row.conversationId;
  });
}

test("two worker processes send the pace of one number together, and no more", async () => {
  const { dataSource, accountId, standIn, workers } = fixture;
  await eventually(async () => {
    expect(await dataSource.query("SELECT id FROM worker_heartbeats")).toHaveLength(2);
  });
  const talks: number[] = [];
  for (let index = 0; index < messages; index += 1) talks.push(await openTalk(index));
  await asSystem(dataSource, accountId, async (tx) => {
    for (const id of talks) await sendMessage(tx, id, { type: "text", content: "hola" });
  });
  await eventually(() => expect(standIn.calls()).toHaveLength(messages), 60_000);
  await eventually(() => {
    const senders = workers.filter((worker) => worker.output().includes("message.handed_over"));
    expect(senders).toHaveLength(2);
  });
  const times = standIn.calls().map(({ at }) => at);
  const seconds = (Math.max(...times) - Math.min(...times)) / 1_000;
  // Two processes that do not share would need half of this time.
  expect(seconds).toBeGreaterThan((0.85 * (messages - 1)) / rate);
});
