import { createServer, type Server } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestAccount, type TestAccount } from "../../support/accounts.ts";
import { createMediaFolder, listFiles, samples, sha256Of, tinyPng } from "../../support/media.ts";
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
let agent: TestAccount;

beforeAll(async () => {
  agent = await createTestAccount(fixture.database.dataSource, { role: "agent" });
});

async function upload(
  body: Buffer,
  { query = "", cookie = agent.cookie, headers = {} as Record<string, string> } = {},
) {
  return await fixture.api.call("POST", `/dashboard/api/media${query}`, {
    body,
    headers: { "content-type": "application/octet-stream", ...headers },
    ...(cookie === "" ? {} : { cookie }),
  });
}

test("an agent uploads a picture, and its type comes from its content", async () => {
  const { status, json } = await upload(tinyPng, {
    query: `?filename=${encodeURIComponent("Año.pdf")}`,
    headers: { "content-type": "text/html" },
  });
  expect(status).toBe(201);
  expect(json).toEqual({
    success: true,
    data: {
      id: expect.any(Number) as number,
      kind: "image",
      mime_type: "image/png",
      size: tinyPng.length,
      filename: "Año.pdf",
    },
  });
  const [row] = await fixture.query<{ account_id: number; sha256: Buffer; storage_key: string }>(
    "SELECT account_id, sha256, storage_key FROM media_uploads WHERE id = ?",
    [json.data.id],
  );
  expect(Number(row?.account_id)).toBe(agent.accountId);
  expect(row?.sha256.equals(sha256Of(tinyPng))).toBe(true);
  expect(await listFiles(fixture.folder)).toContain(row?.storage_key);
});

test.each([
  ["html", samples.html, "application/octet-stream", "document"],
  ["svg", samples.svg, "application/octet-stream", "document"],
  ["pdf", samples.pdf, "application/pdf", "document"],
  ["ogg", samples.ogg, "audio/ogg", "audio"],
  ["mp4", samples.mp4, "video/mp4", "video"],
  ["a picture with a page behind it", Buffer.concat([tinyPng, samples.html]), "image/png", "image"],
])("%s is known by its content", async (_, bytes, mime, kind) => {
  const { json } = await upload(bytes, { headers: { "content-type": "image/jpeg" } });
  expect(json.data).toMatchObject({ mime_type: mime, kind });
});

test("an upload needs a login, and a page of our own", async () => {
  expect((await upload(tinyPng, { cookie: "" })).status).toBe(401);
  const foreign = await upload(tinyPng, { headers: { "sec-fetch-site": "cross-site" } });
  expect(foreign.json.error.code).toBe("csrf_rejected");
});

test("an empty file, and one above 100 MiB, are refused without a row or a byte", async () => {
  const before = await fixture.count("media_uploads");
  const files = await listFiles(fixture.folder);
  const empty = await upload(Buffer.alloc(0));
  expect([empty.status, empty.json.error.code]).toEqual([422, "media_empty"]);
  const large = await fetch(`${fixture.api.url}/dashboard/api/media`, {
    method: "POST",
    headers: { cookie: agent.cookie, "content-type": "video/mp4" },
    // Without a length: the bytes are counted as they come.
    body: ReadableStream.from(
      (function* chunks() {
        const chunk = Buffer.alloc(1_024 * 1_024);
        for (let n = 0; n <= 100; n += 1) yield chunk;
      })(),
    ),
    duplex: "half",
  } as RequestInit);
  expect(large.status).toBe(413);
  expect(await fixture.count("media_uploads")).toEqual(before);
  expect(await listFiles(fixture.folder)).toEqual(files);
});

test("an upload that breaks off leaves nothing", async () => {
  const files = await listFiles(fixture.folder);
  const stopped = new AbortController();
  const sent = fetch(`${fixture.api.url}/dashboard/api/media`, {
    method: "POST",
    headers: { cookie: agent.cookie },
    body: ReadableStream.from(
      (async function* chunks() {
        yield tinyPng;
        await new Promise((resolve) => setTimeout(resolve, 100));
        stopped.abort();
        yield tinyPng;
      })(),
    ),
    duplex: "half",
    signal: stopped.signal,
  } as RequestInit);
  await expect(sent).rejects.toThrow("aborted");
  await expect.poll(async () => await listFiles(fixture.folder)).toEqual(files);
});

// A daemon that answers as ClamAV does.
let verdict = "stream: OK\0";
let scanner: Server;
beforeAll(async () => {
  scanner = createServer((socket) => {
    let last = Buffer.alloc(0);
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      last = Buffer.concat([last, chunk]).subarray(-4);
      if (last.equals(Buffer.alloc(4))) socket.end(verdict);
    });
  });
  await new Promise<void>((resolve) => scanner.listen(0, "127.0.0.1", resolve));
});
afterAll(() => void scanner.close());

test("the scanner refuses an infected file, and holds uploads back while it is away", async () => {
  const address = scanner.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const { folder, stop } = await createMediaFolder();
  const scanned = await startApiFixture({
    MEDIA_DIR: folder,
    CLAMAV_ADDRESS: `127.0.0.1:${port}`,
  });
  const send = async () =>
    await scanned.api.call("POST", "/dashboard/api/media", {
      body: tinyPng,
      cookie: scanned.account.cookie,
    });
  try {
    verdict = "stream: Eicar FOUND\0";
    expect((await send()).json.error.code).toBe("media_refused");
    verdict = "INSTREAM size limit exceeded. ERROR\0";
    expect((await send()).json.error.code).toBe("media_refused");
    verdict = "";
    const away = await send();
    expect([away.status, away.json.error.code]).toEqual([503, "service_unavailable"]);
    expect(await listFiles(folder)).toEqual([]);
    verdict = "stream: OK\0";
    expect((await send()).status).toBe(201);
  } finally {
    await scanned.stop();
    await stop();
  }
});
