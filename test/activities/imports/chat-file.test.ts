import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { freshPhone } from "../../support/contact-load.ts";
import { importFile } from "../../support/import-files.ts";
import { tinyPng } from "../../support/media.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { zip } from "../../support/zip.ts";
import { startImportWork } from "./import-work-fixture.ts";

const fixture = useFixture(startImportWork);

const call = async (method: string, path: string, body?: unknown) => {
  const answer = await fixture.dashboard(method, path, body);
  expect(answer.status).toBe(200);
  return answer.json.data;
};

/** Uploads a chat with the person's phone, and begins its commit. @returns the id of the import */
async function beginChat(archive: Buffer, phone: string): Promise<number> {
  const query = "kind=chat&name=chat.zip";
  const { status, json } = await fixture.upload(archive, { query });
  expect([status, json.data.detected.format]).toEqual([201, "chat"]);
  const id = Number(json.data.id);
  const mapping = {
    us: "Loja",
    contact: { phone, name: "João" },
    time_zone: "America/Sao_Paulo",
    day_first: true,
  };
  await call("PATCH", `/imports/${id}`, { mapping });
  await call("POST", `/imports/${id}/plan`);
  expect(await fixture.settle(id)).toMatchObject({ state: "planned" });
  await call("POST", `/imports/${id}/commit`);
  return id;
}

/** Imports a chat with the person's phone. @returns the import afterwards */
async function importChat(archive: Buffer, phone: string) {
  const id = await beginChat(archive, phone);
  expect(await fixture.settle(id)).toMatchObject({ next: "ended", state: "done" });
  return await call("GET", `/imports/${id}`);
}

test("an archive becomes a thread with its files, a second one adds the rest, and an undo ends it", async () => {
  const phone = freshPhone();
  const text = await readFile(importFile("chats/android-portuguese.txt"));
  const files = [
    { name: "IMG-20260316-WA0001.jpg", content: tinyPng },
    { name: "Conversa do WhatsApp com João.txt", content: text },
  ];
  const first = await importChat(zip(files), phone);
  expect(first.counts.done).toMatchObject({ created: 4, unchanged: 0, failed: 0 });
  const [thread] = await fixture.query<{ id: number }>(
    "SELECT id FROM conversations WHERE account_id = ?",
    [fixture.account.accountId],
  );
  const messages = async () => await call("GET", `/conversations/${thread?.id}/messages?limit=50`);
  const read = await messages();
  expect(read.map((one: { created_at: string }) => one.created_at)).toEqual([
    "2026-03-16T13:03:00.000Z",
    "2026-03-16T13:02:00.000Z",
    "2026-03-16T13:01:00.000Z",
    "2026-03-16T13:00:00.000Z",
  ]);
  expect(read[3]).toMatchObject({
    type: "image",
    content: "segue a foto",
    attachments: [{ state: "ready", mime_type: "image/png" }],
  });
  expect(read[2]).toMatchObject({ type: "audio", attachments: [{ state: "failed", voice: true }] });
  const longer = `${text.toString()}16/03/2026 10:04 - João: Obrigado\n`;
  const second = await importChat(zip([{ name: "_chat.txt", content: longer }]), phone);
  expect(second.counts.done).toMatchObject({ created: 1, unchanged: 4 });
  await call("POST", `/imports/${second.id}/undo`);
  expect(await fixture.settle(second.id)).toMatchObject({ state: "undone" });
  expect(await messages()).toHaveLength(4);
  await call("POST", `/imports/${first.id}/undo`);
  expect(await fixture.settle(first.id)).toMatchObject({ state: "undone" });
  expect(
    await fixture.count("messages", "conversations", "contacts", "events", "deliveries"),
  ).toEqual({ messages: 0, conversations: 0, contacts: 0, events: 0, deliveries: 0 });
});

test("a chat whose upload is gone ends once no file of it waits, though its row still names the upload", async () => {
  const text = await readFile(importFile("chats/android-portuguese.txt"));
  const id = await beginChat(zip([{ name: "_chat.txt", content: text }]), freshPhone());
  expect(await fixture.step(id)).toMatchObject({ next: "more", state: "done" });
  await rm(join(fixture.folder, `${fixture.account.accountId}/import-${id}-original`));
  // A storage that is away for a while looks the same, and its files are still to come.
  await expect(fixture.step(id)).rejects.toThrow("file_missing");
  await fixture.query("UPDATE message_media SET reason = 'not_exported' WHERE account_id = ?", [
    fixture.account.accountId,
  ]);
  expect(await fixture.step(id)).toMatchObject({ next: "ended", state: "done" });
  const sql = "SELECT storage_key, file_until FROM imports WHERE id = ?";
  expect(await fixture.query(sql, [id])).toEqual([{ storage_key: null, file_until: null }]);
});

test("a group is refused while it is uploaded, and leaves nothing", async () => {
  const group = ["A", "B", "C"].map((name) => `13/3/26, 13:45 - ${name}: hi`).join("\n");
  const { status, json } = await fixture.upload(Buffer.from(group), { query: "kind=chat" });
  expect([status, json.error.code]).toEqual([422, "import_file_invalid"]);
  expect(json.error.details).toEqual({ code: "chat_group", line: 3 });
});
