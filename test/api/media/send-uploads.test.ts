import { expect, test } from "vitest";
import { createEraseContact } from "../../../activities/erase-contact.ts";
import { createPurgeMedia } from "../../../activities/purge-media.ts";
import { createSendMessage } from "../../../activities/send-message.ts";
import type { ActivityDeps } from "../../../activities/deps.ts";
import { createSendPace } from "../../../activities/limits/send-pace.ts";
import { openMediaWork } from "../../../activities/media/open-media-work.ts";
import { createLog } from "../../../core/log.ts";
import { addColleague, createTestAccount } from "../../support/accounts.ts";
import { runActivity } from "../../support/activity.ts";
import { createMediaFolder, listFiles, samples, tinyPng } from "../../support/media.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { startApiFixture } from "../api-fixture.ts";

const fixture = useFixture(async () => {
  const { folder, stop } = await createMediaFolder();
  const api = await startApiFixture({ MEDIA_DIR: folder });
  return {
    ...api,
    folder,
    async stop() {
      await api.stop();
      await stop();
    },
  };
});
let visitor = 0;

const call = async (
  method: string,
  path: string,
  body?: unknown,
  cookie = fixture.account.cookie,
) => await fixture.api.call(method, `/dashboard/api${path}`, { cookie, body });

async function upload(bytes: Buffer, cookie = fixture.account.cookie): Promise<number> {
  const { json } = await fixture.api.call("POST", "/dashboard/api/media?filename=a.png", {
    body: bytes,
    headers: { "content-type": "application/octet-stream" },
    cookie,
  });
  return json.data.id;
}

/** A conversation of the sandbox, or of a channel with limits in an account of its own. */
async function openTalk(driver = "sandbox", cookie = fixture.account.cookie) {
  const from = `visitor-${(visitor += 1)}`;
  const customer = { channel: "web", from, text: "Hi" };
  const written = await call("POST", "/sandbox/messages", customer, cookie);
  const id = Number(written.json.data.conversation_id);
  await fixture.query(
    `UPDATE channel_accounts a JOIN conversations c ON c.channel_account_id = a.id
        SET a.driver = ? WHERE c.id = ?`,
    [driver, id],
  );
  return { id, path: `/conversations/${id}/messages` };
}

test("a message takes its upload over, and lists it as ready with a link that plays", async () => {
  const { path } = await openTalk();
  const upload_id = await upload(tinyPng);
  const { status, json } = await call("POST", path, { type: "image", upload_id, content: "Hi" });
  expect(status).toBe(201);
  expect(json.data).toMatchObject({ type: "image", content: "Hi", has_media: true });
  expect(json.data.attachments).toMatchObject([
    { kind: "image", state: "ready", mime_type: "image/png", filename: "a.png", voice: false },
  ]);
  const link = new URL(json.data.attachments[0].url);
  const file = await fetch(`${fixture.api.url}${link.pathname}`);
  expect(Buffer.from(await file.arrayBuffer()).equals(tinyPng)).toBe(true);
  const sql = "SELECT id FROM media_uploads WHERE id = ?";
  expect(await fixture.query(sql, [upload_id])).toEqual([]);
});

test("an upload is sent once, also by two requests at the same time", async () => {
  const { path } = await openTalk();
  const upload_id = await upload(tinyPng);
  const answers = await Promise.all(
    [1, 2, 3].map(async () => call("POST", path, { type: "image", upload_id })),
  );
  expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(["201", "422", "422"]);
  const refused = answers.find(({ status }) => status === 422);
  expect(refused?.json.error.code).toBe("upload_unavailable");
});

test("nobody sends the upload of a colleague or of another account", async () => {
  const { path } = await openTalk();
  const { dataSource } = fixture.database;
  const colleague = await addColleague(dataSource, fixture.account.accountId, "Ben");
  const stranger = await createTestAccount(dataSource);
  for (const { cookie } of [colleague, stranger]) {
    const upload_id = await upload(tinyPng, cookie);
    const { status, json } = await call("POST", path, { type: "image", upload_id });
    expect([status, json.error.code]).toEqual([422, "upload_unavailable"]);
    const sql = "SELECT id FROM media_uploads WHERE id = ?";
    expect(await fixture.query(sql, [upload_id])).toHaveLength(1);
  }
});

test.each([
  ["whatsapp_cloud", "image", samples.pdf, "media_type_refused", "image/jpeg, image/png"],
  [
    "whatsapp_cloud",
    "image",
    Buffer.concat([tinyPng, Buffer.alloc(5 * 1_024 * 1_024)]),
    "media_too_large",
    "5 MiB",
  ],
  [
    "messenger",
    "image",
    Buffer.concat([tinyPng, Buffer.alloc(8 * 1_024 * 1_024)]),
    "media_too_large",
    "8 MiB",
  ],
])("%s refuses %s with the limit in words, and the upload stays", async (driver, type, ...rest) => {
  const [bytes, code, words] = rest;
  const { cookie } = await createTestAccount(fixture.database.dataSource);
  const { id, path } = await openTalk(driver, cookie);
  const upload_id = await upload(bytes, cookie);
  const before = await fixture.query("SELECT id FROM messages WHERE conversation_id = ?", [id]);
  const { status, json } = await call("POST", path, { type, upload_id }, cookie);
  expect([status, json.error.code]).toEqual([422, code]);
  expect(json.error.message).toContain(words);
  const after = await fixture.query("SELECT id FROM messages WHERE conversation_id = ?", [id]);
  expect(after).toEqual(before);
  const document = await call("POST", path, { type: "document", upload_id }, cookie);
  expect(document.status).toBe(201);
});

test.each([
  [{ type: "image" }, "media_url", "required"],
  [{ type: "image", upload_id: 1, media_url: "https://x.example/a" }, "media_url", "not_allowed"],
  [{ type: "image", upload_id: 1, filename: "a" }, "filename", "not_allowed"],
  [{ content: "x", upload_id: 1 }, "upload_id", "not_allowed"],
  [{ content: "x", filename: "a" }, "filename", "not_allowed"],
])("%j is refused for %s: %s", async (body, field, code) => {
  const { path } = await openTalk();
  const { status, json } = await call("POST", path, body);
  expect(status).toBe(400);
  expect(json.error.details).toContainEqual(
    expect.objectContaining({ path: `body.${field}`, code }),
  );
});

test("a failed message gives its file to the one that replaces it", async () => {
  const { path } = await openTalk();
  const upload_id = await upload(tinyPng);
  const sent = await call("POST", path, { type: "image", upload_id, content: "Hi" });
  await fixture.query(
    `UPDATE messages SET status = 'failed', error = '{"code":"refused","message":"No."}'
      WHERE id = ?`,
    [sent.json.data.id],
  );
  // Meta has dropped the file of this id.
  await fixture.query("UPDATE message_media SET provider_media_id = '9001' WHERE message_id = ?", [
    sent.json.data.id,
  ]);
  const again = await call("POST", `/messages/${sent.json.data.id}/retry`, {});
  expect(again.status).toBe(201);
  expect(again.json.data).toMatchObject({
    content: "Hi",
    attachments: [{ state: "ready", filename: "a.png" }],
  });
  const rows = await fixture.query(
    "SELECT message_id, provider_media_id FROM message_media WHERE message_id IN (?, ?)",
    [sent.json.data.id, again.json.data.id],
  );
  expect(rows).toEqual([{ message_id: again.json.data.id, provider_media_id: null }]);
  const repeated = await call("POST", `/messages/${sent.json.data.id}/retry`, {});
  expect([repeated.status, repeated.json.data.id]).toEqual([200, again.json.data.id]);
});

test("the purge of old uploads leaves the files of sent messages", async () => {
  const { path } = await openTalk();
  const upload_id = await upload(tinyPng);
  const kept = await upload(tinyPng);
  await call("POST", path, { type: "image", upload_id });
  await fixture.query(
    "UPDATE media_uploads SET created_at = created_at - INTERVAL 2 DAY WHERE id = ?",
    [kept],
  );
  await runActivity(() => createPurgeMedia(workOf(fixture.folder)).purgeMedia());
  const files = await listFiles(fixture.folder);
  const { accountId } = fixture.account;
  expect(files).toContain(`${accountId}/upload-${upload_id}-original`);
  expect(files).not.toContain(`${accountId}/upload-${kept}-original`);
});

function workOf(folder: string): ActivityDeps {
  const media = openMediaWork({
    media: { folder, s3: null, scanner: null, retentionDays: null },
    graphUrl: "http://127.0.0.1:9",
    policy: { allowPrivate: false, ownHosts: [] },
  });
  const log = createLog("worker", "silent");
  const { dataSource } = fixture.database;
  const stopping = new AbortController().signal;
  const sendPace = createSendPace();
  return { dataSource, media, sendPace, log, stopping } as unknown as ActivityDeps;
}

test("the erasure of a contact deletes the bytes of the files that it got", async () => {
  const { path } = await openTalk();
  const upload_id = await upload(tinyPng);
  const sent = await call("POST", path, { type: "image", upload_id });
  const { accountId } = fixture.account;
  const key = `${accountId}/upload-${upload_id}-original`;
  expect(await listFiles(fixture.folder)).toContain(key);
  const { contact_id, id } = sent.json.data;
  const input = { accountId, contactIds: [contact_id], conversationIds: [], waitMs: 0 };
  const erasure = createEraseContact(workOf(fixture.folder));
  while (!(await runActivity(() => erasure.eraseContactRows(input))).done);
  expect(await listFiles(fixture.folder)).not.toContain(key);
  const sql = "SELECT id FROM message_media WHERE message_id = ?";
  expect(await fixture.query(sql, [id])).toEqual([]);
});

test("the sandbox waits for no address: the message goes, and its file follows", async () => {
  const { path } = await openTalk();
  const media_url = "https://files.example/a.png";
  const sent = await call("POST", path, { type: "image", media_url, filename: "a.png" });
  expect(sent.json.data).toMatchObject({
    media: { url: media_url },
    attachments: [{ state: "pending", filename: "a.png", url: null }],
  });
  const sending = createSendMessage(workOf(fixture.folder));
  const input = { accountId: fixture.account.accountId, messageId: sent.json.data.id };
  expect(await sending.sendToChannel(input)).toMatchObject({ state: "sent" });
});

test("a visitor of web chat gets a file once it is here, and none that could not be fetched", async () => {
  const { path } = await openTalk("web");
  const { accountId } = fixture.account;
  const sending = createSendMessage(workOf(fixture.folder));
  const sendFile = async (state: string) => {
    const media_url = "https://files.example/a.pdf";
    const { json } = await call("POST", path, { type: "document", media_url });
    const messageId = json.data.id;
    const send = async () => await sending.sendToChannel({ accountId, messageId });
    expect(await send()).toMatchObject({ state: "waiting", why: "file" });
    await fixture.query("UPDATE message_media SET state = ? WHERE message_id = ?", [
      state,
      messageId,
    ]);
    const outcome = await send();
    const sql = "SELECT status, error->>'$.code' AS code FROM messages WHERE id = ?";
    return [outcome, ...(await fixture.query(sql, [messageId]))];
  };
  const failed = { status: "failed", code: "media_unavailable" };
  expect(await sendFile("failed")).toMatchObject([{ state: "failed" }, failed]);
  expect(await sendFile("ready")).toMatchObject([{ state: "sent" }, { status: "sent" }]);
});
