import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createS3Storage } from "../../../core/media/s3-storage.ts";

/** A server that speaks as much of S3 as files need, with paths `/bucket/key`. */
let server: Server;
let endpoint: string;
const objects = new Map<string, Buffer>();
const calls: { method: string; headers: Record<string, unknown> }[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", headers, url = "" } = request;
      const key = new URL(url, "http://s3").pathname;
      calls.push({ method, headers });
      const found = objects.get(key);
      if (method === "PUT") {
        objects.set(key, Buffer.concat(chunks));
        response.writeHead(200, { etag: '"x"' }).end();
      } else if (method === "DELETE") {
        objects.delete(key);
        response.writeHead(204).end();
      } else if (found === undefined) {
        const body = "<Error><Code>NoSuchKey</Code></Error>";
        response.writeHead(404, { "content-type": "application/xml" });
        response.end(method === "HEAD" ? undefined : body);
      } else {
        const [, start, end] = /^bytes=(\d+)-(\d+)$/u.exec(headers.range ?? "") ?? [];
        const part = start === undefined ? found : found.subarray(Number(start), Number(end) + 1);
        response.writeHead(start === undefined ? 200 : 206, { "content-length": part.length });
        response.end(method === "HEAD" ? undefined : part);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const open = () =>
  createS3Storage({
    endpoint,
    bucket: "files",
    region: "us-east-1",
    accessKeyId: "key",
    secretAccessKey: "secret",
  });

test("a file is stored in the path of the bucket, read in parts, and deleted", async () => {
  const storage = open();
  await storage.put("7/message-1-original", Readable.from([Buffer.from("0123456789")]), 10);
  expect([...objects.keys()]).toEqual(["/files/7/message-1-original"]);
  const [put] = calls;
  expect(put?.headers["content-length"]).toBe("10");
  // Servers besides AWS refuse the newer checksums, and bodies in signed chunks.
  expect(JSON.stringify(put?.headers)).not.toMatch(/checksum|aws-chunked/iu);
  expect(String(put?.headers["authorization"])).toMatch(/^AWS4-HMAC-SHA256 Credential=key\//u);
  expect(await storage.stat("7/message-1-original")).toEqual({ size: 10 });
  const read = async (range?: { start: number; end: number }) => {
    const source = await storage.get("7/message-1-original", range);
    return source && (await text(source));
  };
  expect(await read()).toBe("0123456789");
  expect(await read({ start: 2, end: 4 })).toBe("234");
  await storage.delete("7/message-1-original");
  expect(objects.size).toBe(0);
});

test("a missing file reads as null", async () => {
  const storage = open();
  expect(await storage.get("7/x")).toBe(null);
  expect(await storage.stat("7/x")).toBe(null);
});

test("a storage that cannot be reached throws, and a wrong key is never sent", async () => {
  const before = calls.length;
  await expect(open().stat("../x")).rejects.toThrow("not a key");
  expect(calls.length).toBe(before);
  const away = createS3Storage({
    endpoint: "http://127.0.0.1:9",
    bucket: "files",
    region: "us-east-1",
    accessKeyId: "key",
    secretAccessKey: "secret",
  });
  await expect(away.stat("7/x")).rejects.toThrow("ECONNREFUSED");
});
