import { join } from "node:path";
import { Client } from "@temporalio/client";
import { expect, test } from "vitest";
import { openMediaWork } from "../../activities/media/open-media-work.ts";
import type { NamedFile } from "../../core/services/conversations/attachments.ts";
import { revokeMessage } from "../../core/services/conversations/message-changes.ts";
import { fileIdOf } from "../../dev/stand-in/meta-media.ts";
import { startMetaStandIn } from "../../dev/stand-in/meta-server.ts";
import { asSystem, createTestAccount } from "../support/accounts.ts";
import { receive } from "../support/conversations.ts";
import { createTestDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { holdTimers } from "../support/held-timers.ts";
import { createMediaFolder, listFiles } from "../support/media.ts";
import { useFixture } from "../support/use-fixture.ts";
import { createNamespace, linkTemporal, payloadsOf, startTestWorker } from "../support/worker.ts";

// A worker with a storage, and a stand-in of Meta that serves files.
const fixture = useFixture(async () => {
  const database = await createTestDatabase();
  const { accountId } = await createTestAccount(database.dataSource);
  const namespace = await createNamespace();
  const meta = await startMetaStandIn({ app: { id: "771", secret: "secret" } });
  const { folder, stop } = await createMediaFolder();
  const media = openMediaWork({
    media: { folder, s3: null, scanner: null, retentionDays: null },
    graphUrl: meta.url,
    policy: { allowPrivate: false, ownHosts: [] },
  });
  const worker = await startTestWorker(database, namespace, { media });
  const link = await linkTemporal(namespace);
  return {
    database,
    accountId,
    meta,
    folder,
    client: new Client(link),
    async stop() {
      await worker.stop();
      await link.connection.close();
      await meta.close();
      await stop();
      await database.stop();
    },
  };
});

const file: NamedFile = {
  kind: "image",
  providerMediaId: null,
  url: null,
  mime: "image/png",
  sha256: null,
  filename: "canary-name-7712.png",
  voice: false,
  errorCode: null,
};

async function readRow(messageId: number) {
  const [row] = await fixture.database.dataSource.query<
    { id: number; state: string; storage_key: string | null }[]
  >("SELECT id, state, storage_key FROM message_media WHERE message_id = ?", [messageId]);
  if (row === undefined) throw new Error("There is no row.");
  return row;
}

test("a message's file is fetched within 5 s and deleted with it, and Temporal knows ids alone", async ({
  onTestFinished,
}) => {
  const { database, accountId, meta, folder, client } = fixture;
  const url = `${meta.url}/cdn/${fileIdOf("image")}`;
  // The test waits for no timer of 5 s.
  const pauses = holdTimers(5_000);
  onTestFinished(() => pauses.mockRestore());
  const { row } = await receive(database.dataSource, accountId, {
    from: "5215512345678",
    type: "image",
    attachments: [{ ...file, url }],
  });
  const stored = await eventually(async () => {
    const found = await readRow(row.id);
    if (found.state !== "ready") throw new Error(found.state);
    return found;
  });
  pauses.mockRestore();
  const { id, storage_key: key } = stored;
  expect(await listFiles(folder)).toContain(key);
  const handle = client.workflow.getHandle(`media-${id}`);
  expect(await handle.result()).toEqual({ state: "ready" });
  const payloads = payloadsOf(await handle.fetchHistory());
  expect(payloads).toContain("mediaId");
  expect(payloads).not.toMatch(/canary|cdn|http/u);

  await asSystem(database.dataSource, accountId, (tx) => revokeMessage(tx, row.id, new Date()));
  await eventually(async () => {
    const files = (await listFiles(folder)).filter((path) => !path.startsWith(".spool"));
    if (files.length > 0) throw new Error(join(...files));
  });
  expect(await readRow(row.id)).toMatchObject({ state: "erased" });
});
