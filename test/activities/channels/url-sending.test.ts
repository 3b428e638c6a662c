import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ActivityDeps } from "../../../activities/deps.ts";
import { createFetchMedia } from "../../../activities/fetch-media.ts";
import { openMediaWork } from "../../../activities/media/open-media-work.ts";
import { createLog } from "../../../core/log.ts";
import type { FetchMediaOutcome } from "../../../core/model/workflow/media.ts";
import type { SendMessageInput } from "../../../core/model/workflow/sending.ts";
import { runActivity } from "../../support/activity.ts";
import { createMediaFolder, samples, tinyPng } from "../../support/media.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { startSendingFixture, type TestTalk } from "./sending-fixture.ts";

const fixture = useFixture(async () => {
  const { folder, stop } = await createMediaFolder();
  const sending = await startSendingFixture({ MEDIA_DIR: folder });
  return {
    ...sending,
    folder,
    async stop() {
      await sending.stop();
      await stop();
    },
  };
});

/** Bytes by path; a missing one is 404. */
const served = new Map<string, Buffer>();
let host: Server;
beforeAll(async () => {
  host = createServer(({ url = "" }, response) => {
    const bytes = served.get(url);
    response.writeHead(bytes === undefined ? 404 : 200).end(bytes);
  });
  await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve));
});
afterAll(() => void host.close());

function mediaWork(allowPrivate = true) {
  return openMediaWork({
    media: { folder: fixture.folder, s3: null, scanner: null, retentionDays: 30 },
    graphUrl: "http://127.0.0.1:9",
    policy: { allowPrivate, ownHosts: [] },
    timeoutMs: 5_000,
  });
}

const openTalk = async (): Promise<TestTalk> =>
  await fixture.talk("whatsapp", { media: mediaWork() });

/** Queues a message whose address, an HTTPS one, leads to the host of this test. */
async function queueUrl(talk: TestTalk, path: string, body: object): Promise<SendMessageInput> {
  const input = await talk.queue({ media_url: `https://files.example${path}`, ...body });
  await fixture.query("UPDATE message_media SET source_url = ? WHERE message_id = ?", [
    `http://127.0.0.1:${(host.address() as AddressInfo).port}${path}`,
    input.messageId,
  ]);
  return input;
}

interface FileRow {
  id: number;
  state: string;
  reason: string | null;
  mime: string | null;
}

async function fileOf({ messageId }: SendMessageInput): Promise<FileRow> {
  const sql = "SELECT id, state, reason, mime FROM message_media WHERE message_id = ?";
  const [row] = await fixture.query<FileRow>(sql, [messageId]);
  if (row === undefined) throw new Error("no file");
  return row;
}

/** One try of the download. */
async function fetchFile(input: SendMessageInput, media = mediaWork()): Promise<FetchMediaOutcome> {
  const deps = {
    dataSource: fixture.database.dataSource,
    log: createLog("worker", "silent"),
    media,
    stopping: new AbortController().signal,
  } as unknown as ActivityDeps;
  const { accountId } = input;
  const { id: mediaId } = await fileOf(input);
  return await runActivity(() => createFetchMedia(deps).fetchMedia({ accountId, mediaId }));
}

test("a message waits for its file without a try, and goes once the file is here", async () => {
  served.set("/a.pdf", samples.pdf);
  const talk = await openTalk();
  const input = await queueUrl(talk, "/a.pdf", { type: "document", filename: "Receta.pdf" });
  expect(await talk.step(input)).toEqual({ state: "waiting", waitMs: 500, why: "file" });
  expect(await talk.read(input)).toMatchObject({ status: "queued", tries: 0 });
  expect(await fetchFile(input)).toEqual({ state: "ready" });
  expect(await talk.run(input)).toMatchObject({ state: "sent" });
  const id = talk.standIn.uploads()[0]?.id;
  expect(talk.bodies()).toMatchObject([{ document: { id, filename: "Receta.pdf" } }]);
  expect(await talk.read(input)).toMatchObject({ tries: 1 });
});

test("the download is requested with ids alone", async () => {
  const talk = await openTalk();
  const input = await queueUrl(talk, "/secret-canary.png", { type: "image" });
  const { id } = await fileOf(input);
  const rows = await fixture.query<{ command: unknown }>(
    "SELECT * FROM outbox WHERE account_id = ?",
    [talk.account.accountId],
  );
  const text = JSON.stringify(rows);
  expect(text).toContain(`media-${id}`);
  expect(text).not.toContain("canary");
});

test.each([
  ["a page that calls itself a picture", "image", samples.html, "wrong_type", "media_type_refused"],
  [
    "a picture above 5 MiB",
    "image",
    Buffer.concat([tinyPng, Buffer.alloc(5 * 1_024 * 1_024)]),
    "too_large",
    "media_too_large",
  ],
] as const)("%s is refused before it is stored", async (_, type, bytes, reason, code) => {
  served.set("/refused", bytes);
  const talk = await openTalk();
  const input = await queueUrl(talk, "/refused", { type });
  expect(await fetchFile(input)).toEqual({ state: "refused" });
  expect(await fileOf(input)).toMatchObject({ state: "refused", reason });
  expect(await talk.step(input)).toEqual({ state: "failed" });
  expect(await talk.read(input)).toMatchObject({ error: { code } });
  expect(talk.standIn.uploads()).toEqual([]);
  expect(talk.bodies()).toEqual([]);
});

test("a private address is refused, and the message fails", async () => {
  served.set("/private.png", tinyPng);
  const talk = await openTalk();
  const input = await queueUrl(talk, "/private.png", { type: "image" });
  expect(await fetchFile(input, mediaWork(false))).toEqual({ state: "refused" });
  expect(await fileOf(input)).toMatchObject({ reason: "foreign_host" });
  expect(await talk.step(input)).toEqual({ state: "failed" });
  expect(await talk.read(input)).toMatchObject({ error: { code: "media_unavailable" } });
  expect(talk.bodies()).toEqual([]);
});

test("an address without a file fails at the third try", async () => {
  const talk = await openTalk();
  const input = await queueUrl(talk, "/missing.png", { type: "image" });
  const states = [];
  for (let n = 0; n < 3; n += 1) states.push((await fetchFile(input)).state);
  expect(states).toEqual(["waiting", "waiting", "failed"]);
  expect(await talk.step(input)).toEqual({ state: "failed" });
  expect(await talk.read(input)).toMatchObject({ error: { code: "media_unavailable" } });
});

test("younger messages wait for the file, so that the customer reads in order", async () => {
  served.set("/first.png", tinyPng);
  const talk = await openTalk();
  const older = await queueUrl(talk, "/first.png", { type: "image" });
  const younger = await talk.queue("dos");
  await talk.step(older);
  expect(await talk.step(younger)).toMatchObject({ state: "waiting", why: "order" });
  await fetchFile(older);
  await talk.run(older);
  await talk.run(younger);
  expect(talk.bodies().map(({ type }) => type)).toEqual(["image", "text"]);
});
