import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createLocalStorage, spoolFolder } from "../../../core/media/local-storage.ts";
import { createSpool, FileTooLargeError } from "../../../core/media/spool.ts";
import { mediaKey, type MediaStorage } from "../../../core/media/storage.ts";

let folder: string;
let storage: MediaStorage;
const key = mediaKey(7, "message-3", "original");

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "parley-media-"));
  storage = createLocalStorage(folder);
});

afterEach(async () => await rm(folder, { recursive: true }));

const put = async (content: string, size = content.length) =>
  await storage.put(key, Readable.from([Buffer.from(content)]), size);

async function listFiles(): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1));
}

async function read(range?: { start: number; end: number }): Promise<string | null> {
  const source = await storage.get(key, range);
  return source && (await text(source));
}

test("a file reads back whole, in parts, and with its size", async () => {
  await put("0123456789");
  expect(await read()).toBe("0123456789");
  expect(await read({ start: 2, end: 4 })).toBe("234");
  expect(await read({ start: 9, end: 9 })).toBe("9");
  expect(await storage.stat(key)).toEqual({ size: 10 });
});

test("only the user of the process may read a file", async () => {
  await put("secret");
  expect((await stat(join(folder, key))).mode & 0o777).toBe(0o600);
  expect((await stat(join(folder, "7"))).mode & 0o777).toBe(0o700);
});

test("a missing file reads as null, and can be deleted", async () => {
  expect(await storage.get(key)).toBe(null);
  expect(await storage.stat(key)).toBe(null);
  await storage.delete(key);
});

test("a second put replaces the file, and a delete leaves no file", async () => {
  await put("first");
  await put("second");
  expect(await read()).toBe("second");
  await storage.delete(key);
  expect(await listFiles()).toEqual([]);
});

test.each([
  ["an end before its size", Readable.from([Buffer.from("half")])],
  ["more bytes than its size", Readable.from([Buffer.alloc(11)])],
  [
    "an error in the middle",
    Readable.from(
      (function* fail() {
        yield Buffer.from("half");
        throw new Error("gone");
      })(),
    ),
  ],
])("a source with %s leaves the earlier file and no other", async (_, source) => {
  await put("earlier");
  await expect(storage.put(key, source, 10)).rejects.toThrow(/early|bytes|gone/u);
  expect(await read()).toBe("earlier");
  expect(await listFiles()).toEqual([key]);
});

test("the next put and the delete remove what a killed process has left", async () => {
  const left = `put-${key.replace("/", ".")}~0011223344556677`;
  await put("x");
  await writeFile(join(folder, spoolFolder, left), "half");
  await put("y");
  expect(await listFiles()).toEqual([key]);
  await writeFile(join(folder, spoolFolder, left), "half");
  await storage.delete(key);
  expect(await listFiles()).toEqual([]);
});

test.each([
  "../escape",
  "7/../../escape",
  "/etc/passwd",
  "7//x",
  "7/.spool",
  "",
  "7\\x",
  "7/x\0",
  "7/Ä",
  "a/b/c/d/e",
  "x".repeat(65),
])("the key %j cannot leave the folder", async (wrong) => {
  await expect(storage.stat(wrong)).rejects.toThrow("not a key");
  await expect(storage.get(wrong)).rejects.toThrow("not a key");
  await expect(storage.delete(wrong)).rejects.toThrow("not a key");
  await expect(storage.put(wrong, Readable.from([]), 0)).rejects.toThrow("not a key");
});

test("a spooled file has its size and hash, and is refused above the limit", async () => {
  const spool = createSpool(join(folder, "spool"));
  const file = await spool.write("a", Readable.from([Buffer.from("ab"), Buffer.from("c")]), 3);
  expect(file.size).toBe(3);
  expect(file.sha256.toString("hex")).toMatch(/^ba7816bf8f01cfea/u);
  expect(await readFile(file.path, "utf8")).toBe("abc");
  await file.remove();
  await expect(spool.write("a", Readable.from([Buffer.alloc(4)]), 3)).rejects.toThrow(
    FileTooLargeError,
  );
  expect(await readdir(join(folder, "spool"))).toEqual([]);
});

test("a sweep removes old leftovers alone", async () => {
  const spool = createSpool(join(folder, "spool"));
  expect(await spool.sweep(1_000)).toBe(0);
  const old = await spool.write("old", Readable.from([Buffer.from("x")]), 1);
  const young = await spool.write("young", Readable.from([Buffer.from("x")]), 1);
  const past = new Date(Date.now() - 60_000);
  await utimes(old.path, past, past);
  expect(await spool.sweep(30_000)).toBe(1);
  await expect(stat(old.path)).rejects.toThrow("ENOENT");
  expect((await stat(young.path)).size).toBe(1);
});
