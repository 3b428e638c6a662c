import { createHash } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import type { DataSource } from "typeorm";
import type { MediaWork } from "../../activities/media/port.ts";
import { mediaKey, type MediaStorage } from "../../core/media/storage.ts";

/** A picture of one red pixel. */
export const tinyPng = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC",
  "base64",
);

/** Starts of files, by which their type is known. */
export const samples = {
  pdf: Buffer.from("%PDF-1.7\n1 0 obj\n<<>>\nendobj\n"),
  ogg: Buffer.concat([
    Buffer.from("OggS\0\x02", "latin1"),
    Buffer.alloc(20),
    Buffer.from("\x01\x13OpusHead", "latin1"),
    Buffer.alloc(64),
  ]),
  mp4: Buffer.concat([
    Buffer.from("\0\0\0\x18ftypisom\0\0\x02\0isommp42", "latin1"),
    Buffer.alloc(64),
  ]),
  html: Buffer.from("<!doctype html><script>alert(1)</script>"),
  svg: Buffer.from(
    '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
  ),
} as const;

const refuse = async () => await Promise.reject(new Error("There is no storage."));

/** For work that has to do with no file: the storage and every host are unreachable. */
export const noMedia: MediaWork = {
  storage: { put: refuse, get: refuse, stat: refuse, delete: async () => {} },
  spool: { write: refuse, clear: async () => {}, sweep: async () => await Promise.resolve(0) },
  scan: null,
  download: async () => await Promise.resolve({ file: null, fault: "unreachable" }),
  thumbnails: { make: async () => await Promise.resolve(null) },
  retentionDays: null,
};

/** A folder of a test for files. */
export async function createMediaFolder(): Promise<{
  folder: string;
  stop(this: void): Promise<void>;
}> {
  const folder = await mkdtemp(join(tmpdir(), "parley-media-"));
  return { folder, stop: async () => await rm(folder, { recursive: true, force: true }) };
}

/** Paths of all files below a folder. */
export async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .toSorted();
}

export const sha256Of = (bytes: Uint8Array): Buffer => createHash("sha256").update(bytes).digest();

/** Row of a file of a message that does not exist. Columns may be given. @returns its id */
export async function insertMedia(
  dataSource: DataSource,
  columns: Record<string, unknown> & { account_id: number },
): Promise<number> {
  const row: Record<string, unknown> = {
    message_id: Math.floor(Math.random() * 1e12) + 1,
    conversation_id: 1,
    contact_id: 1,
    channel_account_id: 1,
    position: 0,
    kind: "image",
    state: "pending",
    ...columns,
  };
  const names = Object.keys(row);
  const { insertId } = await dataSource.query<{ insertId: number }>(
    `INSERT INTO message_media (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`,
    Object.values(row),
  );
  return insertId;
}

/** A stored file with its row. @returns the id of the row */
export async function insertStoredMedia(
  { dataSource, storage }: { dataSource: DataSource; storage: MediaStorage },
  accountId: number,
  { bytes, mime, filename = null }: { bytes: Buffer; mime: string; filename?: string | null },
): Promise<number> {
  const facts = { mime, filename, size: bytes.length, sha256: sha256Of(bytes) };
  const id = await insertMedia(dataSource, { account_id: accountId, ...facts });
  const key = mediaKey(accountId, `message-${id}`, "original");
  await storage.put(key, Readable.from([bytes]), bytes.length);
  await dataSource.query("UPDATE message_media SET state = 'ready', storage_key = ? WHERE id = ?", [
    key,
    id,
  ]);
  return id;
}
