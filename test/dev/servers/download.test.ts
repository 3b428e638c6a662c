import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { downloadArchive } from "../../../dev/servers/download.ts";
import { localPath } from "../../../dev/local.ts";

const archive = gzipSync("a program");
const sha256 = createHash("sha256").update(archive).digest("hex");
let server: Server;
let url: string;
let folder: string;

beforeAll(async () => {
  mkdirSync(localPath("test"), { recursive: true });
  folder = mkdtempSync(localPath("test", "download-"));
  server = createServer((request, response) => {
    response.writeHead(request.url === "/gone" ? 404 : 200).end(archive);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

const nothing = (): void => undefined;

test("a download with the expected sum is kept", async () => {
  const path = await downloadArchive({ url, sha256 }, folder, nothing);
  expect(readFileSync(path).equals(archive)).toBe(true);
});

test("other bytes are refused, and the reason names both sums", async () => {
  const expected = "0".repeat(64);
  const download = downloadArchive({ url, sha256: expected }, folder, nothing);
  await expect(download).rejects.toThrow(`its SHA-256 is ${sha256}, not ${expected}: refused`);
});

test("an answer other than 200 is refused", async () => {
  const download = downloadArchive({ url: `${url}/gone`, sha256 }, folder, nothing);
  await expect(download).rejects.toThrow("it answered 404");
});
