import { randomBytes } from "node:crypto";
import { minuteMs } from "../../core/model/durations.ts";
import { writeZip, type ZipEntry } from "../../activities/exports/zip.ts";
import type { ImportFile } from "./import-person.ts";

const us = "Bench Shop";
/** A busy chat: some 480 messages a day. */
const stepMs = 3 * minuteMs;
const firstAt = Date.UTC(2024, 0, 1);

/** A table of contacts with numbers from `from` on. */
export function contactsFile(rows: number, from: number, mark: string): ImportFile {
  const lines = Array.from({ length: rows }, (_, index) => {
    const number = from + index;
    return `Person ${number} ${mark},${34_700_000_000 + number},p${number}@example.com,bench;${mark}`;
  });
  const content = ["name,phone,email,tags", ...lines, ""].join("\n");
  return { kind: "contacts", content, map: (proposed) => Object.assign(proposed, overwrite) };
}

const overwrite = { overwrite: true };

/** The text of a chat with so many messages, as Android exports it. */
export function chatFile(messages: number, phone: string): ImportFile {
  return { kind: "chat", content: chatText(messages, () => null), map: () => chatMapping(phone) };
}

/** The archive of a chat, in which each `every`th message has a file of so many bytes. */
export async function chatArchive(
  messages: number,
  phone: string,
  files: { every: number; bytes: number },
): Promise<ImportFile> {
  const names: string[] = [];
  const text = chatText(messages, (index) => {
    if (index % files.every !== 0) return null;
    const name = `DOC-${index}.pdf`;
    names.push(name);
    return name;
  });
  const chunks: Uint8Array[] = [];
  for await (const chunk of writeZip(entriesOf(text, names, files.bytes))) chunks.push(chunk);
  return { kind: "chat", content: Buffer.concat(chunks), map: () => chatMapping(phone) };
}

async function* entriesOf(text: string, names: readonly string[], bytes: number) {
  yield entryOf("_chat.txt", Buffer.from(text), true);
  for (const name of names) {
    const content = Buffer.concat([Buffer.from("%PDF-1.7\n"), randomBytes(bytes)]);
    yield await Promise.resolve(entryOf(name, content, false));
  }
}

function entryOf(name: string, content: Buffer, shouldCompress: boolean): ZipEntry {
  async function* source() {
    yield await Promise.resolve(content);
  }
  return { name, source: source(), shouldCompress };
}

/** @param fileOf the file of a message; null for a text */
function chatText(messages: number, fileOf: (index: number) => string | null): string {
  const lines = Array.from({ length: messages }, (_, index) => {
    const author = index % 3 === 0 ? us : "Ana Bench";
    const file = fileOf(index);
    const body = file === null ? textOf(index) : `${file} (file attached)`;
    return `${timeOf(index)} - ${author}: ${body}`;
  });
  return `${lines.join("\n")}\n`;
}

/** Every tenth text repeats, as greetings do, and every seventh has two lines. */
function textOf(index: number): string {
  if (index % 10 === 0) return "Good morning!";
  const text = `Message ${index}: is there a table for four on Friday at nine?`;
  return index % 7 === 0 ? `${text}\nThank you` : text;
}

function timeOf(index: number): string {
  const [day = "", time = ""] = new Date(firstAt + index * stepMs).toISOString().split("T");
  const [year = "", month = "", date = ""] = day.split("-");
  return `${date}/${month}/${year.slice(2)}, ${time.slice(0, 5)}`;
}

function chatMapping(phone: string): object {
  const contact = { phone, name: "Ana Bench" };
  return { us, contact, time_zone: "UTC", day_first: true };
}
