import type { DataSource } from "typeorm";
import { byteOrderMark, csvText } from "../../core/imports/csv-text.ts";
import { safeFileName } from "../../core/media/file-name.ts";
import type { MediaStorage } from "../../core/media/storage.ts";
import {
  type ArchivedFile,
  readArchivedConversation,
  readArchivedFiles,
  readArchivedMessages,
  readContactHead,
} from "../../core/services/exports/contact-archive.ts";
import type {
  ExportCursor,
  ExportPage,
  ExportTable,
} from "../../core/services/exports/export-tables.ts";
import type { Export } from "../../db/entities/export.ts";
import { systemOf, transaction, type Tx } from "../../db/transaction.ts";
import { writeZip, type ZipEntry } from "./zip.ts";

/** Work on one export: its row, its sources, and a call after each page. */
export interface ExportWork {
  dataSource: DataSource;
  storage: MediaStorage;
  row: Pick<Export, "id" | "accountId" | "filters" | "contactId">;
  /** @throws where the work must stop. */
  onRows(rows: number): Promise<void>;
}

/** Bytes of a table as CSV, page by page, with a byte order mark and defused cells. */
export async function* csvBytes(work: ExportWork, table: ExportTable): AsyncGenerator<Uint8Array> {
  yield Buffer.from(byteOrderMark + csvText([table.columns]));
  let rows = 0;
  let after: ExportCursor | null = null;
  do {
    const cursor: ExportCursor | null = after;
    const page: ExportPage = await inAccount(work, (tx) =>
      table.readPage(tx, work.row.filters, cursor),
    );
    if (page.rows.length > 0) yield Buffer.from(csvText(page.rows));
    rows += page.rows.length;
    await work.onRows(rows);
    after = page.next;
  } while (after !== null);
}

/** Bytes of an archive with all data of a contact as JSON, and the contact's files. */
export async function* archiveBytes(work: ExportWork): AsyncGenerator<Uint8Array> {
  yield* writeZip(entriesOf(work));
}

async function* entriesOf(work: ExportWork): AsyncGenerator<ZipEntry> {
  yield { name: "contact.json", source: jsonBytes(work), shouldCompress: true };
  let rows = 1;
  let before: number | null = null;
  for (;;) {
    const last: number | null = before;
    const files: ArchivedFile[] = await inAccount(work, (tx) =>
      readArchivedFiles(tx, contactIdOf(work), last),
    );
    for (const { id, messageId, key, filename, mime } of files) {
      const source = await work.storage.get(key);
      // A file that retention has deleted meanwhile is left out.
      if (source === null) continue;
      const name = `media/${messageId}-${id}-${safeFileName(filename, mime)}`;
      yield { name, source, shouldCompress: false };
      rows += 1;
      await work.onRows(rows);
    }
    before = files.at(-1)?.id ?? null;
    if (before === null) return;
  }
}

async function* jsonBytes(work: ExportWork): AsyncGenerator<Uint8Array> {
  const { contact, appointments, conversationIds } = await inAccount(work, (tx) =>
    readContactHead(tx, contactIdOf(work)),
  );
  const head = JSON.stringify({ contact, appointments });
  yield Buffer.from(`${head.slice(0, -1)},"conversations":[`);
  let isFirst = true;
  for (const id of conversationIds) {
    const conversation = await inAccount(work, (tx) => readArchivedConversation(tx, id));
    if (conversation === null) continue;
    const text = JSON.stringify(conversation);
    yield Buffer.from(`${isFirst ? "" : ","}${text.slice(0, -1)},"messages":[`);
    isFirst = false;
    yield* messageBytes(work, id);
    yield Buffer.from("]}");
  }
  yield Buffer.from("]}\n");
}

async function* messageBytes(work: ExportWork, conversationId: number): AsyncGenerator<Uint8Array> {
  let isFirst = true;
  let after: number | null = 0;
  while (after !== null) {
    const cursor: number = after;
    const page = await inAccount(work, (tx) => readArchivedMessages(tx, conversationId, cursor));
    if (page.messages.length > 0) {
      const list = page.messages.map((message) => JSON.stringify(message)).join(",");
      yield Buffer.from(`${isFirst ? "" : ","}${list}`);
      isFirst = false;
    }
    await work.onRows(1);
    after = page.next;
  }
}

function contactIdOf({ row }: ExportWork): number {
  if (row.contactId === null) throw new Error("An export of one contact names no contact.");
  return row.contactId;
}

async function inAccount<T>(
  { dataSource, row }: ExportWork,
  read: (tx: Tx) => Promise<T>,
): Promise<T> {
  return await transaction(dataSource, systemOf(row.accountId), read);
}
