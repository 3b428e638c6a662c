import { Readable } from "node:stream";
import { Client } from "@temporalio/client";
import { expect, test } from "vitest";
import { createGraph } from "../../activities/channels/graph.ts";
import { openMediaWork } from "../../activities/media/open-media-work.ts";
import { mediaKey } from "../../core/media/storage.ts";
import { inboxSendBody } from "../../core/model/message.ts";
import { sendMessage } from "../../core/services/conversations/messages.ts";
import { announceUpload, completeUpload } from "../../core/services/media/uploads.ts";
import { transaction } from "../../db/transaction.ts";
import { metaAccounts } from "../../dev/stand-in/meta-accounts.ts";
import { createTestAccount } from "../support/accounts.ts";
import { receive } from "../support/conversations.ts";
import { createTestDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { createMediaFolder, samples, sha256Of } from "../support/media.ts";
import { startMetaChannels } from "../support/meta-channel.ts";
import { useFixture } from "../support/use-fixture.ts";
import { createNamespace, linkTemporal, payloadsOf, startTestWorker } from "../support/worker.ts";

// A worker with a storage, and a stand-in that plays WhatsApp.
const fixture = useFixture(async () => {
  const database = await createTestDatabase();
  const account = await createTestAccount(database.dataSource);
  const namespace = await createNamespace();
  const { dataSource } = database;
  const numbers = metaAccounts.slice(0, 1);
  const nowhere = "http://127.0.0.1:9";
  const channels = await startMetaChannels(dataSource, nowhere, account.accountId, numbers);
  const { standIn } = channels;
  const graph = createGraph({
    graphUrl: standIn.url,
    instagramUrl: standIn.url,
    version: "v26.0",
  });
  const { folder, stop } = await createMediaFolder();
  const media = openMediaWork({
    media: { folder, s3: null, scanner: null, retentionDays: null },
    graphUrl: standIn.url,
    policy: { allowPrivate: false, ownHosts: [] },
  });
  const worker = await startTestWorker(database, namespace, { media, graph });
  const link = await linkTemporal(namespace);
  return {
    database,
    account,
    standIn,
    media,
    client: new Client(link),
    async stop() {
      await worker.stop();
      await link.connection.close();
      await graph.close();
      await standIn.close();
      await stop();
      await database.stop();
    },
  };
});

const actorOf = ({ userId, accountId }: { userId: number; accountId: number }) =>
  ({ type: "user", userId, accountId, role: "admin" }) as const;

/** An upload as the API leaves it. */
async function upload(bytes: Buffer): Promise<number> {
  const { database, account, media } = fixture;
  const { accountId, userId } = account;
  const facts = {
    filename: "canary-name-5561.ogg",
    mime: "audio/ogg",
    size: bytes.length,
    sha256: sha256Of(bytes),
  };
  const options = { actor: actorOf(account) };
  return await transaction(database.dataSource, options as never, async (tx) => {
    const id = await announceUpload(tx, userId, facts);
    const key = mediaKey(accountId, `upload-${id}`, "original");
    await media.storage.put(key, Readable.from([bytes]), bytes.length);
    await completeUpload(tx, id, key);
    return id;
  });
}

test("a voice message and its caption leave in one run, and Temporal knows ids alone", async () => {
  const { database, account, standIn, client } = fixture;
  const { dataSource } = database;
  const { row: asked } = await receive(dataSource, account.accountId, { from: "5215512345678" });
  const upload_id = await upload(samples.ogg);
  const body = inboxSendBody.parse({ type: "audio", upload_id, content: "canary-caption-5561" });
  const options = { actor: actorOf(account) };
  const { row } = await transaction(dataSource, options as never, (tx) =>
    sendMessage(tx, asked.conversationId, body),
  );
  await eventually(() => {
    if (standIn.calls().length < 2) throw new Error("not sent yet");
  });
  const handle = client.workflow.getHandle(`message-${row.id}`);
  expect(await handle.result()).toEqual({ state: "sent" });
  const [uploaded, ...more] = standIn.uploads();
  expect(more).toEqual([]);
  expect(uploaded?.mime).toBe("audio/ogg");
  expect(uploaded?.bytes.equals(samples.ogg)).toBe(true);
  expect(standIn.calls().map((call) => call.body)).toMatchObject([
    { type: "audio", audio: { id: uploaded?.id } },
    { type: "text", text: { body: "canary-caption-5561" } },
  ]);
  expect(payloadsOf(await handle.fetchHistory())).not.toMatch(/canary|http/u);
});
