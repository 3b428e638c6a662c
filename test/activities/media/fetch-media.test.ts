import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { Readable } from "node:stream";
import { beforeEach, describe, expect, test } from "vitest";
import { createScanner, type Scan } from "../../../core/media/scanner.ts";
import { mediaKey } from "../../../core/media/storage.ts";
import { metaAccounts } from "../../../dev/stand-in/meta-accounts.ts";
import { fileIdOf } from "../../../dev/stand-in/meta-media.ts";
import { runActivity } from "../../support/activity.ts";
import { listFiles, sha256Of, tinyPng } from "../../support/media.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { startFetchMediaFixture } from "./fetch-media-fixture.ts";

const fixture = useFixture(startFetchMediaFixture);
const imageId = fileIdOf("image");
const minuteMs = 60_000;

beforeEach(() => fixture.meta.mediaScript("normal"));

const byId = { provider_media_id: imageId };
const cdn = (id = imageId) => ({ source_url: `${fixture.meta.url}/cdn/${id}` });
const keyOf = (id: number) => mediaKey(fixture.account.accountId, `message-${id}`, "original");
const filesOf = async (id: number) =>
  (await listFiles(fixture.folder)).filter(
    (path) => path.includes(`-${id}-`) || path.endsWith(`-${id}`),
  );

async function changesOf(id: number): Promise<number> {
  const { messageId } = await fixture.readRow(id);
  const rows = await fixture.database.dataSource.query<unknown[]>(
    "SELECT 1 FROM changes WHERE kind = 'message.updated' AND message_id = ?",
    [messageId],
  );
  return rows.length;
}

describe("a file of WhatsApp", () => {
  test("is stored with its type, size, hash and thumbnail, and open Dashboards hear of it", async () => {
    const declared = sha256Of(tinyPng).toString("base64");
    const id = await fixture.addRow({ ...byId, declared_sha256: declared });
    expect(await fixture.fetch(id)).toEqual({ state: "ready" });
    const row = await fixture.readRow(id);
    expect(row).toMatchObject({
      state: "ready",
      mime: "image/png",
      size: tinyPng.length,
      tries: 1,
      reason: null,
      storageKey: keyOf(id),
    });
    expect(row.sha256?.equals(sha256Of(tinyPng))).toBe(true);
    expect((await readFile(join(fixture.folder, keyOf(id)))).equals(tinyPng)).toBe(true);
    const thumbnail = await readFile(join(fixture.folder, row.thumbnailKey ?? ""));
    expect(thumbnail.toString("latin1", 8, 12)).toBe("WEBP");
    expect(await changesOf(id)).toBe(1);
    expect(await fixture.fetch(id)).toEqual({ state: "over" });
  });

  test("is asked for with the token, at a fresh address each try", async () => {
    const before = fixture.meta.downloads().length;
    fixture.meta.mediaScript("cut", 1);
    const id = await fixture.addRow(byId);
    expect(await fixture.fetch(id)).toEqual({ state: "waiting", waitMs: 1_000 });
    expect(await fixture.fetch(id)).toEqual({ state: "ready" });
    const downloads = fixture.meta.downloads().slice(before);
    const token = metaAccounts[0]?.token;
    expect(downloads).toMatchObject([
      { place: "lookaside", id: imageId, token, script: "cut" },
      { place: "lookaside", id: imageId, token, script: "normal" },
    ]);
  });

  test("with an id that WhatsApp no longer knows waits, and has expired after 7 days", async () => {
    fixture.meta.mediaScript("expired");
    const id = await fixture.addRow(byId);
    expect(await fixture.fetch(id)).toEqual({ state: "waiting", waitMs: 1_000 });
    expect(await fixture.readRow(id)).toMatchObject({ state: "pending", reason: "unknown_id" });
    await fixture.database.dataSource.query(
      "UPDATE message_media SET created_at = NOW(3) - INTERVAL 7 DAY WHERE id = ?",
      [id],
    );
    expect(await fixture.fetch(id)).toEqual({ state: "expired" });
    expect((await fixture.readRow(id)).reason).toBe("unknown_id");
  });

  test("is stored once WhatsApp knows its id again", async () => {
    fixture.meta.mediaScript("expired");
    const id = await fixture.addRow(byId);
    await fixture.fetch(id);
    fixture.meta.mediaScript("normal");
    expect(await fixture.fetch(id)).toEqual({ state: "ready" });
    expect((await fixture.readRow(id)).reason).toBe(null);
  });

  test("without an id and without an address has expired at once", async () => {
    const id = await fixture.addRow({});
    expect(await fixture.fetch(id)).toEqual({ state: "expired" });
  });

  test("waits 1 s to 6 h between tries, and expires after 7 days", async () => {
    const id = await fixture.addRow({ ...byId, channel_account_id: 999_999 });
    const waits: number[] = [];
    for (let n = 0; n < 8; n += 1) {
      const outcome = await fixture.fetch(id);
      waits.push(outcome.state === "waiting" ? outcome.waitMs : -1);
    }
    const hour = 60 * minuteMs;
    expect(waits).toEqual([
      1_000,
      5_000,
      30_000,
      2 * minuteMs,
      10 * minuteMs,
      hour,
      6 * hour,
      6 * hour,
    ]);
    expect((await fixture.readRow(id)).reason).toBe("no_access");
    await fixture.database.dataSource.query(
      "UPDATE message_media SET created_at = NOW(3) - INTERVAL 7 DAY WHERE id = ?",
      [id],
    );
    expect(await fixture.fetch(id)).toEqual({ state: "expired" });
  });
});

describe("a file of Messenger or Instagram", () => {
  test("is fetched by its address without a token", async () => {
    const before = fixture.meta.downloads().length;
    const id = await fixture.addRow(cdn());
    expect(await fixture.fetch(id)).toEqual({ state: "ready" });
    expect(fixture.meta.downloads().slice(before)).toMatchObject([{ place: "cdn", token: null }]);
  });

  test("expires an hour after the message", async () => {
    fixture.meta.mediaScript("expired");
    const id = await fixture.addRow(cdn());
    expect(await fixture.fetch(id)).toEqual({ state: "waiting", waitMs: 1_000 });
    await fixture.database.dataSource.query(
      "UPDATE message_media SET created_at = NOW(3) - INTERVAL 59 MINUTE, tries = 5 WHERE id = ?",
      [id],
    );
    const outcome = await fixture.fetch(id);
    expect(outcome.state).toBe("waiting");
    // The last try comes at the end of the hour, not behind it.
    expect(outcome.state === "waiting" && outcome.waitMs <= minuteMs).toBe(true);
    await fixture.database.dataSource.query(
      "UPDATE message_media SET created_at = NOW(3) - INTERVAL 1 HOUR WHERE id = ?",
      [id],
    );
    expect(await fixture.fetch(id)).toEqual({ state: "expired" });
    expect((await fixture.readRow(id)).sourceUrl).toBe(null);
  });
});

describe("a download is refused", () => {
  test.each(["private_redirect", "foreign_redirect"] as const)("after a %s", async (script) => {
    fixture.meta.mediaScript(script);
    const id = await fixture.addRow(cdn());
    expect(await fixture.fetch(id)).toEqual({ state: "refused" });
    expect((await fixture.readRow(id)).reason).toBe("foreign_host");
  });

  test.each([
    "https://example.com/x.png",
    "https://fbcdn.net.example.com/x",
    "https://example.com/fbcdn.net",
    "http://video.fbcdn.net/x",
    "https://169.254.169.254/latest",
    "file:///etc/passwd",
    "not an address",
  ])("from %s", async (url) => {
    const id = await fixture.addRow({ source_url: url });
    expect(await fixture.fetch(id)).toEqual({ state: "refused" });
  });

  test("above 100 MiB, without a byte left", async () => {
    fixture.meta.mediaScript("oversize");
    const { deps, folder } = fixture;
    const id = await fixture.addRow(cdn());
    expect(await fixture.fetch(id)).toEqual({ state: "refused" });
    expect((await fixture.readRow(id)).reason).toBe("too_large");
    expect(await filesOf(id)).toEqual([]);
    expect(await listFiles(join(folder, ".spool"))).toEqual([]);
    expect(deps.media).toBeDefined();
  }, 30_000);
});

test("a file with another hash is fetched again, and has failed after three tries", async () => {
  fixture.meta.mediaScript("wrong_sha");
  const id = await fixture.addRow(byId);
  expect(await fixture.fetch(id)).toEqual({ state: "waiting", waitMs: 1_000 });
  expect(await fixture.fetch(id)).toEqual({ state: "waiting", waitMs: 5_000 });
  expect(await fixture.fetch(id)).toEqual({ state: "failed" });
  expect((await fixture.readRow(id)).reason).toBe("wrong_hash");
  expect(await filesOf(id)).toEqual([]);
});

test("a slow host ends with the time limit", async () => {
  fixture.meta.mediaScript("slow");
  const id = await fixture.addRow(cdn());
  const startedAt = performance.now();
  expect(await fixture.fetch(id)).toEqual({ state: "waiting", waitMs: 1_000 });
  expect(performance.now() - startedAt).toBeLessThan(15_000);
  expect(await filesOf(id)).toEqual([]);
});

test("a page that calls itself a picture has no type, and no thumbnail", async () => {
  const html = Buffer.from("<!doctype html><script>alert(1)</script>");
  const fileId = fixture.meta.addFile({ mime: "image/png", bytes: html, filename: "x.png" });
  const id = await fixture.addRow(cdn(fileId));
  expect(await fixture.fetch(id)).toEqual({ state: "ready" });
  expect(await fixture.readRow(id)).toMatchObject({
    mime: "application/octet-stream",
    thumbnailKey: null,
  });
});

test("a picture of too many pixels is stored without a thumbnail", async () => {
  // A header that claims 30,000 x 30,000 pixels.
  const huge = Buffer.from(tinyPng);
  huge.writeUInt32BE(30_000, 16);
  huge.writeUInt32BE(30_000, 20);
  const fileId = fixture.meta.addFile({ mime: "image/png", bytes: huge, filename: null });
  const id = await fixture.addRow(cdn(fileId));
  expect(await fixture.fetch(id)).toEqual({ state: "ready" });
  expect(await fixture.readRow(id)).toMatchObject({ mime: "image/png", thumbnailKey: null });
});

test("the next try removes what a killed process has left", async () => {
  const id = await fixture.addRow(cdn());
  expect(await fixture.fetch(await fixture.addRow(cdn()))).toEqual({ state: "ready" });
  const { accountId } = fixture.account;
  const left = join(fixture.folder, ".spool", `media-${accountId}-${id}~0011223344556677`);
  await writeFile(left, "half of a file");
  expect(await fixture.fetch(id)).toEqual({ state: "ready" });
  expect(await listFiles(join(fixture.folder, ".spool"))).toEqual([]);
});

describe("a file that its message takes back", () => {
  test("before the download is not fetched", async () => {
    const before = fixture.meta.downloads().length;
    const id = await fixture.addRow({ ...cdn(), state: "erased" });
    expect(await fixture.fetch(id)).toEqual({ state: "over" });
    expect(fixture.meta.downloads().length).toBe(before);
  });

  test("after the download loses its bytes and their keys", async () => {
    const id = await fixture.addRow(cdn());
    await fixture.fetch(id);
    expect(await filesOf(id)).toHaveLength(2);
    await fixture.database.dataSource.query(
      "UPDATE message_media SET state = 'erased' WHERE id = ?",
      [id],
    );
    expect(await fixture.fetch(id)).toEqual({ state: "over" });
    expect(await filesOf(id)).toEqual([]);
    expect(await fixture.readRow(id)).toMatchObject({ storageKey: null, sha256: null });
  });

  test.each(["UPDATE message_media SET state = 'erased'", "DELETE FROM message_media"])(
    "during the download leaves no byte: %s",
    async (sql) => {
      const id = await fixture.addRow(cdn());
      const { media } = fixture.deps;
      const outcome = await fixture.fetch(id, {
        download: async (request) => {
          const result = await media.download(request);
          await fixture.database.dataSource.query(`${sql} WHERE id = ?`, [id]);
          return result;
        },
      });
      expect(outcome).toEqual({ state: "over" });
      expect(await filesOf(id)).toEqual([]);
    },
  );
});

test("an erasure deletes the bytes and rows of the contact's files, and no other ones", async () => {
  const { accountId } = fixture.account;
  const stored = await fixture.addRow({ ...cdn(), contact_id: 91 });
  const lost = await fixture.addRow({ ...cdn(), contact_id: 91 });
  const other = await fixture.addRow({ ...cdn(), contact_id: 92 });
  for (const id of [stored, lost, other]) await fixture.fetch(id);
  // A crash after the storage took the file, and before the row had its keys.
  await fixture.database.dataSource.query(
    "UPDATE message_media SET state = 'pending', storage_key = NULL, thumbnail_key = NULL WHERE id = ?",
    [lost],
  );
  const input = { accountId, contactIds: [91], conversationIds: [], waitMs: 0 };
  while (!(await fixture.activitiesWith({}).eraseContactRows(input)).done);
  expect([...(await filesOf(stored)), ...(await filesOf(lost))]).toEqual([]);
  expect(await filesOf(other)).toHaveLength(2);
  const rows = await fixture.database.dataSource.query<{ id: number }[]>(
    "SELECT id FROM message_media WHERE contact_id IN (91, 92)",
  );
  expect(rows.map(({ id }) => Number(id))).toEqual([other]);
});

describe("a virus scanner", () => {
  const scanWith = (verdict: Awaited<ReturnType<Scan>>): { scan: Scan } => ({
    scan: async (source) => {
      for await (const chunk of source) void chunk;
      return verdict;
    },
  });

  test.each(["infected", "too_large"] as const)(
    "that finds a file %s leaves no byte",
    async (verdict) => {
      const id = await fixture.addRow(cdn());
      expect(await fixture.fetch(id, scanWith(verdict))).toEqual({ state: "refused" });
      expect(await fixture.readRow(id)).toMatchObject({ reason: verdict, storageKey: null });
      expect(await filesOf(id)).toEqual([]);
    },
  );

  test("that is away holds the file back, without another download", async () => {
    const id = await fixture.addRow(cdn());
    const before = fixture.meta.downloads().length;
    expect(await fixture.fetch(id, scanWith("away"))).toEqual({ state: "waiting", waitMs: 1_000 });
    expect(await fixture.readRow(id)).toMatchObject({ state: "pending", reason: "scanner_away" });
    expect(await fixture.fetch(id, scanWith("away"))).toEqual({ state: "waiting", waitMs: 5_000 });
    expect(await fixture.fetch(id, scanWith("clean"))).toEqual({ state: "ready" });
    expect(fixture.meta.downloads().length).toBe(before + 1);
    expect(await fixture.readRow(id)).toMatchObject({ mime: "image/png", reason: null });
  });

  test.each(["infected", "too_large"] as const)(
    "that first is away and then finds a file %s leaves no byte either",
    async (verdict) => {
      const id = await fixture.addRow(cdn());
      await fixture.fetch(id, scanWith("away"));
      expect(await fixture.fetch(id, scanWith(verdict))).toEqual({ state: "refused" });
      expect(await fixture.readRow(id)).toMatchObject({ reason: verdict, storageKey: null });
      expect(await filesOf(id)).toEqual([]);
    },
  );

  test.each([
    ["stream: OK\0", "clean"],
    ["stream: Eicar-Signature FOUND\0", "infected"],
    ["INSTREAM size limit exceeded. ERROR\0", "too_large"],
    ["stream: Can't allocate memory ERROR\0", "away"],
    ["", "away"],
  ])("of ClamAV that answers %j", async (answer, verdict) => {
    const received: Buffer[] = [];
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.on("data", (chunk) => {
        received.push(chunk);
        if (Buffer.concat(received).subarray(-4).equals(Buffer.alloc(4))) socket.end(answer);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const id = await fixture.addRow(cdn());
    await fixture.fetch(id);
    const source = await fixture.deps.media.storage.get(keyOf(id));
    if (!source) throw new Error("There is no file.");
    expect(await createScanner({ host: "127.0.0.1", port })(source)).toBe(verdict);
    server.close();
    const sent = Buffer.concat(received);
    expect(sent.subarray(0, 10).toString()).toBe("zINSTREAM\0");
    expect(sent.readUInt32BE(10)).toBe(tinyPng.length);
    expect(sent.subarray(14, 14 + tinyPng.length).equals(tinyPng)).toBe(true);
  });

  test("that refuses a large file before its end is not away", async () => {
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => socket.end("INSTREAM size limit exceeded. ERROR\0"));
      socket.once("finish", () => socket.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const source = Readable.from(Array.from({ length: 100 }, () => Buffer.alloc(65_536)));
    expect(await createScanner({ host: "127.0.0.1", port })(source)).toBe("too_large");
    server.close();
  });

  test("that is not there is away", async () => {
    const id = await fixture.addRow(cdn());
    const scan = createScanner({ host: "127.0.0.1", port: 9 });
    expect(await fixture.fetch(id, { scan })).toEqual({ state: "waiting", waitMs: 1_000 });
  });
});

test("a purge deletes files that are too old, and keeps the others", async () => {
  const [old, young] = [await fixture.addRow(cdn()), await fixture.addRow(cdn())];
  await fixture.database.dataSource.query("DELETE FROM message_media WHERE id NOT IN (?, ?)", [
    old,
    young,
  ]);
  await fixture.fetch(old);
  await fixture.fetch(young);
  await fixture.database.dataSource.query(
    "UPDATE message_media SET created_at = NOW(3) - INTERVAL 31 DAY WHERE id = ?",
    [old],
  );
  const purged = await runActivity(() => fixture.activitiesWith({}).purgeMedia());
  expect(purged).toMatchObject({ files: 1, done: true });
  expect(await filesOf(old)).toEqual([]);
  expect(await filesOf(young)).toHaveLength(2);
  expect(await fixture.readRow(old)).toMatchObject({ state: "erased", reason: "too_old" });
});

test("a purge deletes files that were taken back an hour ago, and that no run has deleted", async () => {
  const [old, recent, kept] = [
    await fixture.addRow(cdn()),
    await fixture.addRow(cdn()),
    await fixture.addRow(cdn()),
  ];
  for (const id of [old, recent, kept]) await fixture.fetch(id);
  await fixture.database.dataSource.query(
    `UPDATE message_media SET state = IF(id = ?, 'ready', 'erased'),
            updated_at = NOW(3) - INTERVAL IF(id = ?, 59, 61) MINUTE WHERE id IN (?)`,
    [kept, recent, [old, recent, kept]],
  );
  const purge = fixture.activitiesWith({ retentionDays: null });
  expect(await runActivity(() => purge.purgeMedia())).toMatchObject({ files: 1, done: true });
  expect(await filesOf(old)).toEqual([]);
  expect(await fixture.readRow(old)).toMatchObject({ storageKey: null, thumbnailKey: null });
  for (const id of [recent, kept]) expect(await filesOf(id)).toHaveLength(2);
  expect(await runActivity(() => purge.purgeMedia())).toMatchObject({ files: 0 });
});
