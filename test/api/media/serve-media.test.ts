import { randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import { beforeAll, describe, expect, test } from "vitest";
import { signMediaToken, type MediaGrant } from "../../../core/media/media-token.ts";
import { createTestAccount, type TestAccount } from "../../support/accounts.ts";
import { createMediaFolder, insertStoredMedia, samples, tinyPng } from "../../support/media.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { startApiFixture } from "../api-fixture.ts";

const fixture = useFixture(async () => {
  const { folder, stop } = await createMediaFolder();
  const api = await startApiFixture({ MEDIA_DIR: folder });
  return {
    ...api,
    async stop() {
      await api.stop();
      await stop();
    },
  };
});
let other: TestAccount;

beforeAll(async () => {
  other = await createTestAccount(fixture.database.dataSource);
});

async function addFile(bytes: Buffer, mime: string, filename: string | null = null) {
  const { dataSource } = fixture.database;
  const { storage } = fixture.api.deps.media;
  const { accountId } = fixture.account;
  return await insertStoredMedia({ dataSource, storage }, accountId, { bytes, mime, filename });
}

function linkTo(mediaId: number, given: Partial<MediaGrant> = {}, lifeMs = 600_000): string {
  const { accountId } = fixture.account;
  const grant = { accountId, mediaId, variant: "original", disposition: "inline" } as const;
  const expiresAt = new Date(Date.now() + lifeMs);
  return `/media/${signMediaToken(fixture.api.deps.secretBox, { ...grant, ...given }, expiresAt)}`;
}

async function get(path: string, headers: Record<string, string> = {}, method = "GET") {
  const answer = await fetch(fixture.api.url + path, { method, headers });
  return {
    status: answer.status,
    headers: answer.headers,
    bytes: Buffer.from(await answer.arrayBuffer()),
  };
}

describe("a signed link", () => {
  test("serves the bytes with headers under which nothing in them can run", async () => {
    const id = await addFile(tinyPng, "image/png", "Año.png");
    const { status, headers, bytes } = await get(linkTo(id));
    expect(status).toBe(200);
    expect(bytes.equals(tinyPng)).toBe(true);
    expect(Object.fromEntries(headers)).toMatchObject({
      "content-type": "image/png",
      "content-length": String(tinyPng.length),
      "content-disposition": `inline; filename="A_o.png"; filename*=UTF-8''A%C3%B1o.png`,
      "content-security-policy": "sandbox; default-src 'none'",
      "cross-origin-resource-policy": "same-origin",
      "x-content-type-options": "nosniff",
      "accept-ranges": "bytes",
      "cache-control": "private, max-age=600",
    });
  });

  test.each(["image/jpeg", "image/gif", "image/webp", "audio/ogg", "video/mp4", "video/webm"])(
    "shows %s in the page",
    async (mime) => {
      const { headers } = await get(linkTo(await addFile(samples.mp4, mime)));
      expect(headers.get("content-type")).toBe(mime);
      expect(headers.get("content-disposition")).toMatch(/^inline;/u);
    },
  );

  test.each([
    ["image/svg+xml", samples.svg],
    ["text/html", samples.html],
    ["application/pdf", samples.pdf],
    ["application/octet-stream", samples.html],
    ["video/quicktime", samples.mp4],
  ])("never shows %s in the page", async (mime, bytes) => {
    const { headers } = await get(linkTo(await addFile(bytes, mime)));
    expect(headers.get("content-disposition")).toMatch(/^attachment;/u);
  });

  test("to a download saves a picture too", async () => {
    const id = await addFile(tinyPng, "image/png");
    const { headers } = await get(linkTo(id, { disposition: "attachment" }));
    expect(headers.get("content-disposition")).toMatch(/^attachment; filename="file.png"/u);
  });

  test("answers HEAD without bytes", async () => {
    const id = await addFile(tinyPng, "image/png");
    const { status, headers, bytes } = await get(linkTo(id), {}, "HEAD");
    expect(status).toBe(200);
    expect(headers.get("content-length")).toBe(String(tinyPng.length));
    expect(headers.get("content-type")).toBe("image/png");
    expect(bytes.length).toBe(0);
  });

  test("serves the thumbnail as WebP, and the picture where there is none", async () => {
    const id = await addFile(tinyPng, "image/png");
    const link = linkTo(id, { variant: "thumbnail" });
    expect((await get(link)).headers.get("content-type")).toBe("image/png");
    const key = `${fixture.account.accountId}/message-${id}-thumbnail`;
    await fixture.api.deps.media.storage.put(key, Readable.from([Buffer.from("small")]), 5);
    await fixture.query("UPDATE message_media SET thumbnail_key = ? WHERE id = ?", [key, id]);
    const { headers, bytes } = await get(link);
    expect(headers.get("content-type")).toBe("image/webp");
    expect(bytes.toString()).toBe("small");
  });
});

describe("ranges", () => {
  const content = randomBytes(1_000);

  test.each([
    ["bytes=0-0", 0, 0],
    ["bytes=10-19", 10, 19],
    ["bytes=990-", 990, 999],
    ["bytes=-10", 990, 999],
    ["bytes=0-5000", 0, 999],
    ["bytes=-5000", 0, 999],
  ])("%s reads a part", async (range, start, end) => {
    const { status, headers, bytes } = await get(linkTo(await addFile(content, "video/mp4")), {
      range,
    });
    expect(status).toBe(206);
    expect(headers.get("content-range")).toBe(`bytes ${start}-${end}/1000`);
    expect(headers.get("content-length")).toBe(String(end - start + 1));
    expect(headers.get("content-type")).toBe("video/mp4");
    expect(bytes.equals(content.subarray(start, end + 1))).toBe(true);
  });

  test.each(["bytes=1000-", "bytes=2000-3000", "bytes=-0"])(
    "%s is behind the end",
    async (range) => {
      const link = linkTo(await addFile(content, "video/mp4"));
      const { status, headers, bytes } = await get(link, { range });
      expect(status).toBe(416);
      expect(headers.get("content-range")).toBe("bytes */1000");
      expect(bytes.length).toBe(0);
    },
  );

  test.each(["bytes=5-2", "bytes=0-1,5-6", "lines=1-2", "bytes=", "bytes=a-b"])(
    "%s reads the whole file",
    async (range) => {
      const { status, bytes } = await get(linkTo(await addFile(content, "video/mp4")), { range });
      expect(status).toBe(200);
      expect(bytes.equals(content)).toBe(true);
    },
  );

  test("a known tag is 304, and a range of another file is the whole file", async () => {
    const link = linkTo(await addFile(content, "video/mp4"));
    const etag = (await get(link)).headers.get("etag") ?? "";
    expect(etag).toMatch(/^"[0-9a-f]{64}-original"$/u);
    const known = await get(link, { "if-none-match": etag });
    expect(known.status).toBe(304);
    expect(known.bytes.length).toBe(0);
    const range = "bytes=0-9";
    expect((await get(link, { range, "if-range": etag })).status).toBe(206);
    expect((await get(link, { range, "if-range": '"other"' })).status).toBe(200);
  });
});

describe("404", () => {
  test("is the answer to an expired, guessed or foreign link", async () => {
    const id = await addFile(tinyPng, "image/png");
    const link = linkTo(id);
    const paths = [
      linkTo(id, {}, -120_000),
      link.slice(0, -1) + (link.endsWith("A") ? "Q" : "A"),
      "/media/1.1.oi.zzzzz.x",
      "/media/x",
      linkTo(id + 1_000),
      linkTo(id, { accountId: other.accountId }),
    ];
    for (const path of paths) {
      const answer = await fixture.api.call("GET", path);
      expect(answer.status).toBe(404);
      expect(answer.json.error.code).toBe("media_not_found");
    }
  });

  test.each(["pending", "failed", "refused", "expired", "erased"])(
    "is the answer for a file that is %s",
    async (state) => {
      const id = await addFile(tinyPng, "image/png");
      await fixture.query("UPDATE message_media SET state = ? WHERE id = ?", [state, id]);
      expect((await get(linkTo(id))).status).toBe(404);
    },
  );

  test("is the answer for a file that the storage has lost", async () => {
    const id = await addFile(tinyPng, "image/png");
    const key = `${fixture.account.accountId}/message-${id}-original`;
    await fixture.api.deps.media.storage.delete(key);
    expect((await get(linkTo(id))).status).toBe(404);
    expect((await get(linkTo(id), {}, "HEAD")).status).toBe(404);
  });
});

test("100 MB are served without being held in memory", async () => {
  const size = 100 * 1_024 * 1_024;
  const chunk = randomBytes(1_024 * 1_024);
  const id = await addFile(tinyPng, "video/mp4");
  const key = `${fixture.account.accountId}/message-${id}-original`;
  const source = Readable.from(Array.from({ length: 100 }, () => chunk));
  await fixture.api.deps.media.storage.put(key, source, size);
  const before = process.memoryUsage.rss();
  let highest = 0;
  let received = 0;
  const answer = await fetch(fixture.api.url + linkTo(id));
  const { body } = answer;
  if (body === null) throw new Error("There is no body.");
  for await (const part of body) {
    received += part.length;
    highest = Math.max(highest, process.memoryUsage.rss());
  }
  expect(received).toBe(size);
  expect((highest - before) / 1_024 / 1_024).toBeLessThan(64);
});
