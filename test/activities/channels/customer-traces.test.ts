import { beforeAll, expect, test } from "vitest";
import type { ActivityDeps } from "../../../activities/deps.ts";
import { createEraseContact } from "../../../activities/erase-contact.ts";
import { createFetchMedia } from "../../../activities/fetch-media.ts";
import { createGraph } from "../../../activities/channels/graph.ts";
import { openMediaWork } from "../../../activities/media/open-media-work.ts";
import { createLog } from "../../../core/log.ts";
import type { MetaCustomer } from "../../../dev/stand-in/meta-accounts.ts";
import type { MetaDeed } from "../../../dev/stand-in/meta-customer.ts";
import { createTestAccount, testSecretBox, type TestAccount } from "../../support/accounts.ts";
import { runActivity } from "../../support/activity.ts";
import { listFiles, samples, tinyPng } from "../../support/media.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { findRows, sweep } from "../../api/dashboard/erasure-fixture.ts";
import { startFileSendingFixture, type TestTalk } from "./sending-fixture.ts";

const fixture = useFixture(startFileSendingFixture);

const ana = { id: "5215512345678", userId: "MX.1349", name: "Ana" };
const canary = { id: "5215587654321", userId: "MX.99117733", name: "Kanarien" };
let stranger: TestAccount;

beforeAll(async () => {
  stranger = await createTestAccount(fixture.database.dataSource);
});

/** A talk with the customer, and the steps of a worker with the files of its account. */
async function openTalk(customer: MetaCustomer = ana) {
  const mediaOf = (graphUrl: string) =>
    openMediaWork({
      media: { folder: fixture.folder, s3: null, scanner: null, retentionDays: null },
      graphUrl,
      policy: { allowPrivate: false, ownHosts: [] },
    });
  const talk = await fixture.talk("whatsapp", { customer, media: mediaOf("http://127.0.0.1:9") });
  const { url } = talk.standIn;
  const graph = createGraph({ graphUrl: url, instagramUrl: url, version: "v26.0" });
  const deps = {
    dataSource: fixture.database.dataSource,
    secretBox: testSecretBox,
    media: mediaOf(url),
    graph,
    log: createLog("worker", "silent"),
    stopping: new AbortController().signal,
  } as unknown as ActivityDeps;
  const downloads = createFetchMedia(deps);
  const { accountId } = talk.account;
  return {
    ...talk,
    erasure: createEraseContact(deps),
    /** The customer does something, and the worker applies it. */
    async does(deed: MetaDeed): Promise<string> {
      const id = await talk.standIn.receive("whatsapp", deed, customer);
      await talk.settle();
      return id;
    },
    async fetchFiles(): Promise<void> {
      const rows = await fixture.query<{ id: number }>(
        "SELECT id FROM message_media WHERE account_id = ? AND state = 'pending'",
        [accountId],
      );
      for (const { id } of rows) {
        const input = { accountId, mediaId: Number(id) };
        expect(await runActivity(async () => await downloads.fetchMedia(input))).toEqual({
          state: "ready",
        });
      }
    },
    close: async () => await graph.close(),
  };
}

type Talk = Awaited<ReturnType<typeof openTalk>>;

/** Attachments of the newest message, as the REST API shows them. */
async function newestFiles({ account, conversationId }: TestTalk) {
  const path = `/api/v1/conversations/${conversationId}/messages`;
  const { json } = await fixture.api.call("GET", path, { apiKey: account.apiKey });
  const [newest] = json.data.toSorted((a: { id: number }, b: { id: number }) => b.id - a.id);
  return newest.attachments as { id: number; url: string; thumbnail_url: string | null }[];
}

const script = "<script>alert(document.domain)</script>";
const latin = (text: string): Buffer => Buffer.from(text, "latin1");

/** Files that are of one type to one program, and of another type to another program. */
const polyglots: readonly [name: string, deed: MetaDeed["kind"], bytes: Buffer, mime: string][] = [
  ["a picture that is a script", "image", latin("GIF89a/*\0\0\0\0\0*/=1;alert(1)//"), "image/gif"],
  [
    "a picture with a page behind it",
    "image",
    Buffer.concat([tinyPng, latin(`<html>${script}`)]),
    "image/png",
  ],
  [
    "a picture with an archive behind it",
    "image",
    Buffer.concat([tinyPng, latin("PK\x03\x04\x14\0\0\0\0\0evil.jar")]),
    "image/png",
  ],
  [
    "a page in front of a PDF",
    "document",
    latin(`<!doctype html>${script}\n%PDF-1.7\n`),
    "application/octet-stream",
  ],
  [
    "a PDF with a page inside",
    "document",
    Buffer.concat([samples.pdf, latin(script)]),
    "application/pdf",
  ],
  ["a drawing with a script", "image", samples.svg, "application/octet-stream"],
  ["a video whose first box is a page", "video", latin(`\0\0\0\x18ftypisom${script}`), "video/mp4"],
  [
    "a text with a byte order mark and a page",
    "document",
    latin(`\xef\xbb\xbf${script}`),
    "application/octet-stream",
  ],
];

test.each(polyglots)("%s is never a page", async (_, kind, bytes, mime) => {
  const talk = await openTalk();
  // The sender names it a page, with a name that leads out of any folder.
  const filename = '../../x".html';
  const media = talk.standIn.addFile({ mime: "text/html", bytes, filename });
  await talk.does({ kind, media });
  await talk.fetchFiles();
  const [file] = await newestFiles(talk);
  const answer = await fetch(fixture.api.url + new URL(file?.url ?? "").pathname);
  expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true);
  const isInline = /^(?:image|video)\//u.test(mime);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    "content-type": mime,
    "x-content-type-options": "nosniff",
    "content-security-policy": "sandbox; default-src 'none'",
    "cross-origin-resource-policy": "same-origin",
    "content-disposition": expect.stringMatching(isInline ? /^inline;/u : /^attachment;/u),
  });
  expect(answer.headers.get("content-disposition")).not.toMatch(/\.\.|\/|x"\./u);
  if (file?.thumbnail_url) await expectCleanThumbnail(file.thumbnail_url, bytes);
  await talk.close();
});

/** A thumbnail is a picture made anew, or the file under the same rules. */
async function expectCleanThumbnail(url: string, original: Buffer): Promise<void> {
  const answer = await fetch(fixture.api.url + new URL(url).pathname);
  const bytes = Buffer.from(await answer.arrayBuffer());
  expect(answer.headers.get("content-security-policy")).toBe("sandbox; default-src 'none'");
  if (bytes.equals(original)) return;
  expect(answer.headers.get("content-type")).toBe("image/webp");
  expect(bytes.includes("script") || bytes.includes("evil")).toBe(false);
}

test("another account reads 404 for the conversation, its files and its channel", async () => {
  const talk = await openTalk();
  await talk.does({ kind: "document", text: "Mi análisis" });
  await talk.fetchFiles();
  const { accountId, apiKey, cookie } = stranger;
  const [conversation] = await fixture.query<{ contact_id: number }>(
    "SELECT contact_id FROM conversations WHERE id = ?",
    [talk.conversationId],
  );
  const contactId = Number(conversation?.contact_id);
  const rest = [
    `/conversations/${talk.conversationId}`,
    `/conversations/${talk.conversationId}/messages`,
    `/contacts/${contactId}`,
  ];
  for (const path of rest) {
    const { status } = await fixture.api.call("GET", `/api/v1${path}`, { apiKey });
    expect([path, status]).toEqual([path, 404]);
  }
  const panel: [method: string, path: string, body?: object][] = [
    ["GET", `/conversations/${talk.conversationId}/messages`],
    ["GET", `/contacts/${contactId}/files`],
    ["PATCH", `/channel-accounts/${talk.channelAccountId}`, { name: "Mine" }],
    ["DELETE", `/channel-accounts/${talk.channelAccountId}`],
    ["POST", `/channel-accounts/${talk.channelAccountId}/check`],
  ];
  for (const [method, path, body] of panel) {
    const answer = await fixture.api.call(method, `/dashboard/api${path}`, { cookie, body });
    expect([path, answer.status]).toEqual([path, 404]);
  }
  // The refused calls changed nothing, and the other account sees no item and no file.
  const [channel] = await fixture.query<{ account_id: number; name: string; state: string }>(
    "SELECT account_id, name, state FROM channel_accounts WHERE id = ?",
    [talk.channelAccountId],
  );
  expect(channel).toMatchObject({ account_id: talk.account.accountId, name: "Test" });
  const items = await fixture.api.call("GET", "/dashboard/api/channel-items", { cookie });
  expect(items.json.data).toEqual([]);
  expect(accountId).not.toBe(talk.account.accountId);
  await talk.close();
});

/** Everything that a customer and a person of the account can leave behind on a channel. */
async function leaveTraces(talk: Talk): Promise<void> {
  const { standIn } = talk;
  const pdf = { mime: "application/pdf", bytes: samples.pdf, filename: "kanarien.pdf" };
  const first = await talk.does({ kind: "text", text: "Soy Kanarien" });
  await talk.does({ kind: "image", text: "Kanarien en la playa" });
  await talk.does({ kind: "document", media: standIn.addFile(pdf) });
  await talk.does({ kind: "button", text: "Kanarien acepta", choiceId: "kanarien-1" });
  await talk.does({ kind: "contact", text: "Kanarien" });
  await talk.does({ kind: "unsupported" });
  await talk.does({ kind: "edit", text: "Soy Kanarien, otra vez", targetId: first });
  await talk.fetchFiles();
  const upload = await fixture.api.call("POST", "/dashboard/api/media?filename=para-kanarien.pdf", {
    body: Buffer.concat([samples.pdf, latin("kanarien")]),
    headers: { "content-type": "application/octet-stream" },
    cookie: talk.account.cookie,
  });
  const { accountId, userId } = talk.account;
  const body = { type: "document", upload_id: upload.json.data.id, content: "Para Kanarien" };
  const person = { type: "user", accountId, userId, role: "admin" } as const;
  expect(await talk.run(await talk.queue(body, person))).toMatchObject({ state: "sent" });
  await talk.settle();
  const sent = standIn.lines().findLast(({ isOurs }) => isOurs);
  await talk.does({ kind: "reaction", text: "👍", targetId: sent?.messageId ?? "" });
  // A message that nobody could apply keeps its bytes until it is retried.
  await fixture.query(
    `CREATE TRIGGER poison BEFORE INSERT ON messages FOR EACH ROW
       IF NEW.content LIKE '%veneno%' THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'x'; END IF`,
  );
  try {
    await standIn.receive("whatsapp", { kind: "text", text: "Kanarien veneno" }, canary);
    await standIn.idle();
    for (let n = 0; n < 6; n += 1) {
      await fixture.drain();
      await fixture.query("UPDATE channel_items SET due_at = created_at WHERE account_id = ?", [
        accountId,
      ]);
    }
  } finally {
    await fixture.query("DROP TRIGGER poison");
  }
}

test("the erasure of a customer leaves no byte: in no table, no file, no webhook and no link", async () => {
  const talk = await openTalk(canary);
  await leaveTraces(talk);
  const { accountId, cookie } = talk.account;
  const words = ["kanarien", canary.id.slice(-10), canary.userId.toLowerCase()];
  const tables = new Set((await findRows(fixture, words)).map((row) => row.split(":")[0]));
  for (const name of ["contacts", "messages", "message_media", "channel_webhooks"])
    expect(tables).toContain(name);
  expect(tables).toContain("channel_items");
  const ofAccount = (path: string) => path.startsWith(`${accountId}/`);
  // Two files with a thumbnail of the picture, and the file that was sent.
  const before = (await listFiles(fixture.folder)).filter(ofAccount);
  expect(before.length).toBeGreaterThanOrEqual(4);
  const [conversation] = await fixture.query<{ contact_id: number }>(
    "SELECT contact_id FROM conversations WHERE id = ?",
    [talk.conversationId],
  );
  const links = await linksOf(talk);
  expect(links.length).toBeGreaterThanOrEqual(3);

  const contactId = Number(conversation?.contact_id);
  const path = `/dashboard/api/contacts/${contactId}`;
  expect((await fixture.api.call("DELETE", path, { cookie })).status).toBe(200);
  const { erasure: activities, account } = talk;
  await sweep({ query: fixture.query, activities, account }, contactId);
  expect(await findRows(fixture, words)).toEqual([]);
  const after = await listFiles(fixture.folder);
  expect(after.filter(ofAccount)).toEqual([]);
  expect(after.filter((file) => file.startsWith(".spool"))).toEqual([]);
  for (const link of links) expect((await fetch(link)).status).toBe(404);
  await talk.close();
});

/** Links to every stored file of the conversation. */
async function linksOf({ account, conversationId }: Talk): Promise<string[]> {
  const path = `/api/v1/conversations/${conversationId}/messages`;
  const { json } = await fixture.api.call("GET", path, { apiKey: account.apiKey });
  const links = json.data.flatMap(({ attachments }: { attachments: { url: string | null }[] }) =>
    attachments.flatMap(({ url }) => (url === null ? [] : [new URL(url).pathname])),
  ) as string[];
  for (const link of links) expect((await fetch(fixture.api.url + link)).status).toBe(200);
  return links.map((link) => fixture.api.url + link);
}
