import { expect, test } from "vitest";
import { openMediaWork } from "../../../activities/media/open-media-work.ts";
import type { Principal } from "../../../core/model/principal.ts";
import { beginSend } from "../../../core/services/conversations/message-sending.ts";
import {
  beginUpload,
  completeUpload,
} from "../../../core/services/conversations/message-uploads.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { MetaNetwork } from "../../../dev/stand-in/meta-accounts.ts";
import { asSystem } from "../../support/accounts.ts";
import { samples, tinyPng } from "../../support/media.ts";
import { noPace } from "../../support/conversations.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { startFileSendingFixture, type TalkOptions, type TestTalk } from "./sending-fixture.ts";

const fixture = useFixture(startFileSendingFixture);

function mediaWork() {
  return openMediaWork({
    media: { folder: fixture.folder, s3: null, scanner: null, retentionDays: 30 },
    graphUrl: "http://127.0.0.1:9",
    policy: { allowPrivate: false, ownHosts: [] },
    timeoutMs: 5_000,
  });
}

async function talkTo(network: MetaNetwork, options: TalkOptions = {}): Promise<TestTalk> {
  return await fixture.talk(network, { media: mediaWork(), ...options });
}

function personOf({ account: { userId, accountId } }: TestTalk): Principal {
  return { type: "user", userId, accountId, role: "admin" } as Principal;
}

async function upload(
  { account }: Pick<TestTalk, "account">,
  bytes: Buffer,
  filename = "file",
): Promise<number> {
  const path = `/dashboard/api/media?filename=${encodeURIComponent(filename)}`;
  const headers = { "content-type": "application/octet-stream" };
  const answer = await fixture.api.call("POST", path, {
    body: bytes,
    headers,
    cookie: account.cookie,
  });
  return answer.json.data.id;
}

const pagedInstagram = {
  driver: "instagram_page",
  network: "instagram",
  id: "17841405822309999",
  parentId: "178229012934077",
  name: "@paged",
  token: "page-token-77",
} as const;

test("WhatsApp gets the bytes once, then a message by their id with caption and name", async () => {
  const talk = await talkTo("whatsapp");
  const upload_id = await upload(talk, samples.pdf, "análisis.pdf");
  const body = { type: "document", upload_id, content: "Su análisis" };
  const input = await talk.queue(body, personOf(talk));
  expect(await talk.step(input)).toEqual({ state: "upload" });
  expect(await talk.giveFile(input)).toEqual({ state: "waiting", waitMs: 0, why: "file" });
  const [uploaded] = talk.standIn.uploads();
  expect(uploaded).toMatchObject({ mime: "application/pdf", filename: "análisis.pdf" });
  expect(uploaded?.bytes.equals(samples.pdf)).toBe(true);
  expect(await talk.step(input)).toEqual({ state: "sent", reports: [] });
  expect(talk.bodies()).toEqual([
    expect.objectContaining({
      type: "document",
      document: { id: uploaded?.id, caption: "Su análisis", filename: "análisis.pdf" },
      biz_opaque_callback_data: String(input.messageId),
    }),
  ]);
  await talk.settle();
  expect(await talk.read(input)).toMatchObject({ status: "read", tries: 1 });
});

test("a voice message goes as audio/ogg, and its caption as a text behind it", async () => {
  const talk = await talkTo("whatsapp");
  const upload_id = await upload(talk, samples.ogg);
  const input = await talk.queue({ type: "audio", upload_id, content: "Hola" }, personOf(talk));
  expect(await talk.run(input)).toMatchObject({ state: "sent" });
  expect(talk.standIn.uploads()).toMatchObject([{ mime: "audio/ogg" }]);
  const id = talk.standIn.uploads()[0]?.id;
  expect(talk.bodies()).toMatchObject([
    { type: "audio", audio: { id } },
    { type: "text", text: { body: "Hola" } },
  ]);
  await talk.settle();
  expect(await talk.read(input)).toMatchObject({ status: "read" });
});

test.each([
  ["messenger", undefined],
  ["instagram", pagedInstagram],
] as const)("%s gets the file by its id, then the caption", async (network, account) => {
  const talk = await talkTo(network, account === undefined ? {} : { account });
  const upload_id = await upload(talk, tinyPng);
  const input = await talk.queue({ type: "image", upload_id, content: "Hola" }, personOf(talk));
  expect(await talk.run(input)).toMatchObject({ state: "sent" });
  const id = talk.standIn.uploads()[0]?.id;
  expect(talk.bodies().map(({ message }) => message)).toEqual([
    {
      attachment: { type: "image", payload: { attachment_id: id } },
      metadata: `${input.messageId}.0`,
    },
    { text: "Hola", metadata: String(input.messageId) },
  ]);
  await talk.settle();
  expect((await talk.read(input)).provider_ids?.split(",")).toHaveLength(2);
  expect(await talk.read(input)).toMatchObject({ status: "read", error: null });
  const sql = "SELECT id FROM messages WHERE conversation_id = ? AND direction = 'outbound'";
  expect(await fixture.query(sql, [talk.conversationId])).toHaveLength(1);
});

test("Instagram Login reads the file by a signed link, and nothing is uploaded", async () => {
  const talk = await talkTo("instagram");
  const upload_id = await upload(talk, tinyPng);
  const input = await talk.queue({ type: "image", upload_id }, personOf(talk));
  expect(await talk.step(input)).toMatchObject({ state: "sent" });
  expect(talk.standIn.uploads()).toEqual([]);
  const { url } = talk.bodies()[0].message.attachment.payload;
  const answer = await fetch(String(url));
  expect(answer.headers.get("content-type")).toBe("image/png");
  expect(Buffer.from(await answer.arrayBuffer()).equals(tinyPng)).toBe(true);
});

test("after a crash between the parts the caption goes alone, and reports wait for it", async () => {
  const talk = await talkTo("messenger");
  const upload_id = await upload(talk, tinyPng);
  const input = await talk.queue({ type: "image", upload_id, content: "Hola" }, personOf(talk));
  await talk.step(input);
  await talk.giveFile(input);
  expect(await talk.step(input)).toEqual({ state: "waiting", waitMs: 0, why: "caption" });
  // The process dies here. The file's echo and reports come meanwhile.
  await talk.settle();
  expect(await talk.read(input)).toMatchObject({ status: "sending", in_flight_since: null });
  expect(await talk.step(input)).toMatchObject({ state: "sent" });
  expect(talk.bodies()).toHaveLength(2);
  expect(talk.bodies()[1].message).toMatchObject({ text: "Hola" });
  await talk.settle();
  expect(await talk.read(input)).toMatchObject({ status: "read" });
});

test.each([0, 1])("a crash in the middle of part %d sends nothing again", async (part) => {
  const talk = await talkTo("messenger");
  const upload_id = await upload(talk, tinyPng);
  const input = await talk.queue({ type: "image", upload_id, content: "Hola" }, personOf(talk));
  await talk.step(input);
  await talk.giveFile(input);
  if (part === 1) await talk.step(input);
  const { accountId } = talk.account;
  await asSystem(fixture.database.dataSource, accountId, (tx) => beginSend(tx, input, noPace));
  expect(await talk.step(input)).toMatchObject({ state: "waiting", why: "order" });
  await talk.outlast(input);
  expect(await talk.step(input)).toEqual({ state: "unknown" });
  expect(talk.bodies()).toHaveLength(part);
});

test.each(["messenger", "whatsapp"] as const)(
  "%s: a file that the network took without an answer is never sent twice",
  async (network) => {
    const talk = await talkTo(network, { timeoutMs: 1_500 });
    const upload_id = await upload(talk, tinyPng);
    const input = await talk.queue({ type: "image", upload_id, content: "Hola" }, personOf(talk));
    await talk.step(input);
    await talk.giveFile(input);
    talk.standIn.script("hang", 1);
    expect(await talk.step(input)).toEqual({ state: "unknown" });
    // The worker asks again at once, and after the network has told of the file.
    await talk.step(input);
    await talk.settle();
    await talk.step(input);
    await talk.giveFile(input);
    await talk.step(input);
    expect(talk.standIn.calls()).toMatchObject([{ answered: 0 }]);
    expect(talk.standIn.uploads()).toHaveLength(1);
    expect((await talk.read(input)).provider_ids).not.toBeNull();
  },
);

test("the echo of the caption settles a message whose answer never came", async () => {
  const talk = await talkTo("messenger", { timeoutMs: 1_500 });
  const upload_id = await upload(talk, tinyPng);
  const input = await talk.queue({ type: "image", upload_id, content: "Hola" }, personOf(talk));
  await talk.step(input);
  await talk.giveFile(input);
  await talk.step(input);
  talk.standIn.script("hang", 1);
  await talk.step(input);
  await talk.settle();
  expect(await talk.read(input)).toMatchObject({ status: "read", error: null });
});

test("a retry uploads nothing again, and an upload without service costs tries", async () => {
  const talk = await talkTo("whatsapp");
  const upload_id = await upload(talk, tinyPng);
  const input = await talk.queue({ type: "image", upload_id }, personOf(talk));
  talk.standIn.refuseUploads(2);
  await talk.step(input);
  expect(await talk.giveFile(input)).toEqual({ state: "waiting", waitMs: 1_000, why: "channel" });
  expect(await talk.giveFile(input)).toEqual({ state: "waiting", waitMs: 5_000, why: "channel" });
  await talk.giveFile(input);
  talk.standIn.script("pair_limit", 2);
  expect(await talk.run(input)).toMatchObject({ state: "sent" });
  expect(talk.standIn.uploads()).toHaveLength(1);
  expect(talk.bodies()).toHaveLength(3);
});

test("a network that takes no upload in six tries fails the message", async () => {
  const talk = await talkTo("whatsapp");
  const upload_id = await upload(talk, tinyPng);
  const input = await talk.queue({ type: "image", upload_id }, personOf(talk));
  talk.standIn.refuseUploads(100);
  const states: string[] = [];
  for (let n = 0; n < 6; n += 1) states.push((await talk.giveFile(input)).state);
  expect(states).toEqual(["waiting", "waiting", "waiting", "waiting", "waiting", "failed"]);
  expect(await talk.read(input)).toMatchObject({ error: { code: "channel_unavailable" } });
  expect(talk.bodies()).toEqual([]);
});

test("the limit of a number costs an upload no try for 15 minutes, and tries after that", async () => {
  const talk = await talkTo("whatsapp");
  const upload_id = await upload(talk, tinyPng);
  const input = await talk.queue({ type: "image", upload_id }, personOf(talk));
  talk.standIn.refuseUploads(100, 130_429);
  const limited = { state: "waiting", waitMs: 2_000, why: "channel" };
  for (let n = 0; n < 8; n += 1) expect(await talk.giveFile(input)).toEqual(limited);
  expect(await talk.read(input)).toMatchObject({ status: "sending", tries: 0 });
  await fixture.query(
    "UPDATE messages SET limited_since = limited_since - INTERVAL 15 MINUTE WHERE id = ?",
    [input.messageId],
  );
  expect(await talk.giveFile(input)).toMatchObject({ waitMs: 1_000 });
  expect(await talk.read(input)).toMatchObject({ tries: 1 });
  talk.standIn.refuseUploads(0);
  expect(await talk.run(input)).toMatchObject({ state: "sent" });
});

test("an outcome of an upload that is stored twice gives one try back", async () => {
  const talk = await talkTo("whatsapp");
  const upload_id = await upload(talk, tinyPng);
  const input = await talk.queue({ type: "image", upload_id }, personOf(talk));
  const limit = {
    kind: "transient",
    scope: "number",
    waitMs: 0,
    providerCode: "130429",
  } as const;
  const { accountId } = talk.account;
  const inAccount = async <T>(work: (tx: Tx) => Promise<T>) =>
    await asSystem(fixture.database.dataSource, accountId, work);
  await fixture.query("UPDATE messages SET tries = 2 WHERE id = ?", [input.messageId]);
  const begun = await inAccount((tx) => beginUpload(tx, input));
  if (!("material" in begun)) throw new Error("The file is to be uploaded.");
  for (let n = 0; n < 2; n += 1) {
    await inAccount((tx) => completeUpload(tx, input, begun.material, limit));
    expect(await talk.read(input)).toMatchObject({ status: "sending", tries: 2 });
  }
});

test("a token that ended holds the message before its upload", async () => {
  const talk = await talkTo("whatsapp");
  const upload_id = await upload(talk, tinyPng);
  const input = await talk.queue({ type: "image", upload_id }, personOf(talk));
  talk.standIn.script("token");
  await talk.step(input);
  expect(await talk.giveFile(input)).toEqual({ state: "held" });
  const sql = "SELECT state FROM channel_accounts WHERE id = ?";
  expect(await fixture.query(sql, [talk.channelAccountId])).toEqual([{ state: "needs_reauth" }]);
});
