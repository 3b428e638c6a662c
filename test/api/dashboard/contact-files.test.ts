import { beforeAll, expect, test } from "vitest";
import { createTestAccount, type TestAccount } from "../../support/accounts.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { startApiFixture } from "../api-fixture.ts";

const fixture = useFixture(startApiFixture);
let contactId: number;
let messageIds: number[] = [];

async function call(path: string, { cookie }: TestAccount = fixture.account) {
  return await fixture.api.call("GET", `/dashboard/api/contacts/${path}`, { cookie });
}

/** Two conversations of one contact, with a file of each kind and state. */
const files = [
  ["image", "ready"],
  ["sticker", "ready"],
  ["video", "pending"],
  ["document", "failed"],
  ["audio", "ready"],
  ["image", "erased"],
] as const;

beforeAll(async () => {
  const { dataSource } = fixture.database;
  const { cookie } = fixture.account;
  messageIds = [];
  for (const [at, [kind, state]] of files.entries()) {
    const body = { channel: "web", from: "files-1", text: `File ${at}` };
    const path = "/dashboard/api/sandbox/messages";
    const { json } = await fixture.api.call("POST", path, { cookie, body });
    const { id, conversation_id: conversation, contact_id } = json.data;
    contactId = contact_id;
    messageIds.push(id);
    await dataSource.query(
      `INSERT INTO message_media (account_id, message_id, conversation_id, contact_id,
           channel_account_id, position, kind, state, mime, filename)
       SELECT account_id, id, conversation_id, contact_id, channel_account_id, 0, ?, ?, ?, ?
         FROM messages WHERE id = ?`,
      [kind, state, kind === "image" ? "image/png" : null, `file-${at}`, id],
    );
    if (at === 2) {
      const status = { status: "resolved" };
      const one = `/dashboard/api/conversations/${conversation}`;
      await fixture.api.call("PATCH", one, { cookie, body: status });
    }
  }
});

const namesOf = async (query: string) => {
  const { status, json } = await call(`${contactId}/files?${query}`);
  expect(status).toBe(200);
  return json.data.map(({ filename }: { filename: string }) => filename);
};

test("files of all conversations come newest first, without those that were erased", async () => {
  const { json } = await call(`${contactId}/files`);
  const rows = json.data.map((row: Record<string, unknown>) => [row["kind"], row["state"]]);
  expect(rows).toEqual(
    files
      .slice(0, 5)
      .toReversed()
      .map((file) => Array.from(file)),
  );
  expect(json.data.map((row: { message_id: number }) => row.message_id)).toEqual(
    messageIds.slice(0, 5).toReversed(),
  );
  const [audio, , video] = json.data;
  expect(audio).toMatchObject({ direction: "inbound", thumbnail_url: null });
  expect(video.url).toBeNull();
});

test("a stored file has signed links, and a picture has a thumbnail", async () => {
  const { json } = await call(`${contactId}/files?kind=image`);
  const picture = json.data.find(({ kind }: { kind: string }) => kind === "image");
  expect(picture.url).toMatch(/\/media\/[\w.-]+$/);
  expect(picture.thumbnail_url).toMatch(/\/media\/[\w.-]+$/);
  expect(picture.thumbnail_url).not.toBe(picture.url);
});

test("files are filtered by kind, where a sticker is a picture, and paged by id", async () => {
  expect(await namesOf("kind=image")).toEqual(["file-1", "file-0"]);
  expect(await namesOf("kind=document")).toEqual(["file-3"]);
  const first = await call(`${contactId}/files?limit=2`);
  expect(first.json.data).toHaveLength(2);
  const { next } = first.json.meta;
  expect(await namesOf(`limit=3&before_id=${next}`)).toEqual(["file-2", "file-1", "file-0"]);
  const last = await call(`${contactId}/files?limit=3&before_id=${next}`);
  expect(last.json.meta).toEqual({ limit: 3, next: null });
});

test.each(["kind=sticker", "limit=0", "limit=101", "before_id=x"])(
  "%s is refused",
  async (query) => {
    const { status, json } = await call(`${contactId}/files?${query}`);
    expect([status, json.error.code]).toEqual([400, "validation_error"]);
  },
);

test("another account finds no contact, and no files", async () => {
  const other = await createTestAccount(fixture.database.dataSource);
  const { status, json } = await call(`${contactId}/files`, other);
  expect([status, json.error.code]).toEqual([404, "contact_not_found"]);
});
