import { parseString } from "whatsapp-chat-parser";
import type { ChatRow } from "../model/import.ts";
import { dayOf, parseHead, type ChatHead } from "./chat-head.ts";
import {
  isAttachedWord,
  isSystemText,
  placeholderOf,
  withoutEditMark,
  withoutMarks,
} from "./chat-phrases.ts";
import { ImportFileError } from "./import-error.ts";
import { maxRecordLength, maxRows } from "./limits.ts";
import { splitLines } from "./text.ts";

/** A message of an author. Its time is the text's own: no zone is known yet. */
export interface AuthoredMessage {
  /** Number of the line at which the message begins, from 1. */
  line: number;
  author: string;
  /** `2026-03-06T13:45:12`. */
  time: string;
  kind: ChatRow["kind"];
  text: string;
  file: string | null;
}

/** A message with its lines as the file has them, apart from the head. */
interface RawMessage {
  line: number;
  head: ChatHead;
  /** The first line as the file has it. */
  raw: string;
  lines: string[];
}

/** Limits of a batch that the library gets at once. */
const messagesInBatch = 2_000;
const charactersInBatch = 4_000_000;
/** The library takes no line that begins so for the head of a message. */
const continued = "\u2060";

/**
 * Messages of a chat with an author, in the order of the text. Lines of WhatsApp itself are left
 * out.
 * @param fileNames files of the archive, without folders; empty without an archive
 * @throws ImportFileError
 */
export async function* parseChat(
  text: AsyncIterable<string>,
  dayFirst: boolean,
  fileNames: ReadonlySet<string>,
): AsyncGenerator<AuthoredMessage> {
  let batch: RawMessage[] = [];
  let count = 0;
  let characters = 0;
  for await (const raw of splitMessages(text)) {
    count += 1;
    if (count > maxRows) throw new ImportFileError("too_many_rows", raw.line);
    batch.push(raw);
    characters += raw.lines.reduce((sum, line) => sum + line.length, 0);
    if (batch.length < messagesInBatch && characters < charactersInBatch) continue;
    yield* parseBatch(batch, dayFirst, fileNames);
    batch = [];
    characters = 0;
  }
  yield* parseBatch(batch, dayFirst, fileNames);
}

/** Groups the lines of a text by the heads of its messages. */
export async function* splitMessages(text: AsyncIterable<string>): AsyncGenerator<RawMessage> {
  let current: RawMessage | null = null;
  let length = 0;
  for await (const { number, text: line } of splitLines(text, maxRecordLength)) {
    const head = parseHead(line);
    if (head !== null && dayOf(head, true) !== null) {
      if (current !== null) yield current;
      current = { line: number, head, raw: line, lines: [head.rest] };
      length = line.length;
    } else if (current !== null) {
      length += line.length + 1;
      if (length > maxRecordLength) throw new ImportFileError("record_too_long", current.line);
      current.lines.push(line);
    }
  }
  if (current !== null) yield current;
}

/**
 * The library splits author and text. It would read some heads wrongly: it swaps month and day of a
 * date that begins with the year, and loses halves of the day that are not am or pm. So it gets
 * each head in one form.
 */
function* parseBatch(
  batch: readonly RawMessage[],
  dayFirst: boolean,
  fileNames: ReadonlySet<string>,
): Generator<AuthoredMessage> {
  const text = batch.map((raw) => `${plainHead(raw.head, dayFirst)}${bodyOf(raw)}`).join("\n");
  const parsed = text === "" ? [] : parseString(text, { daysFirst: true });
  for (const [index, { author, message, date }] of parsed.entries()) {
    if (author === null) continue;
    const body = message.replaceAll(`\n${continued}`, "\n");
    if (isSystemText(body)) continue;
    const content = readContent(body, fileNames);
    const line = batch[index]?.line ?? 0;
    yield { line, author: cleanAuthor(author), time: localTime(date), ...content };
  }
}

/** The library cuts lines at a carriage return too, and drops a head with nothing behind it. */
function bodyOf({ lines }: RawMessage): string {
  const body = lines.map((line) => line.replaceAll("\r", " ")).join(`\n${continued}`);
  return body === "" ? continued : body;
}

function plainHead(head: ChatHead, dayFirst: boolean): string {
  const day = dayOf(head, dayFirst) ?? { year: 2000, month: 1, day: 1 };
  const date = [day.day, day.month].map(twoDigits).join("/");
  const year = String(day.year).padStart(4, "0");
  return `[${date}/${year}, ${head.time.map(twoDigits).join(":")}] `;
}

/** The library's dates are of the process's own zone, so the same zone reads them. */
function localTime(date: Date): string {
  const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()].map(twoDigits).join("-");
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join(":");
  return `${day}T${time}`;
}

const twoDigits = (number: number): string => String(number).padStart(2, "0");

/** An author without a name in the phone's contacts has a tilde before the name. */
export function cleanAuthor(author: string): string {
  return withoutMarks(author)
    .replace(/[\s\u00a0\u202f]+/gu, " ")
    .trim()
    .replace(/^~ ?/u, "");
}

type Content = Pick<AuthoredMessage, "kind" | "text" | "file">;

function readContent(body: string, fileNames: ReadonlySet<string>): Content {
  const whole = withoutEditMark(body);
  const placeholder = placeholderOf(whole);
  if (placeholder !== null) return { kind: placeholder, text: "", file: null };
  const file = findAttached(whole) ?? findNamed(whole, fileNames);
  if (file !== null)
    return { kind: kindOf(file.name), text: cleanText(file.caption).trim(), file: file.name };
  const [first = "", ...rest] = whole.split("\n");
  if (rest.length > 0 && placeholderOf(first) === "omitted") {
    return { kind: "omitted", text: cleanText(rest.join("\n")).trim(), file: null };
  }
  return { kind: "text", text: cleanText(whole), file: null };
}

interface AttachedFile {
  name: string;
  caption: string;
}

/** iOS: `Caption <attached: 00000012-PHOTO.jpg>`, translated. */
function findAttached(text: string): AttachedFile | null {
  const match = /\u200e?<\p{L}[^<>:\n]{0,40}: ([^<>\n/\\]{1,200}\.\w{1,8})>\s*$/u.exec(text);
  if (match?.[1] === undefined) return null;
  return { name: match[1], caption: withoutPages(text.slice(0, match.index)) };
}

/** A document has its name and the number of its pages before it: `Menu.pdf • 3 pages`. */
function withoutPages(caption: string): string {
  const begin = caption.lastIndexOf("\n") + 1;
  const isDocument = /^.{1,200}\.\w{1,8} • .{1,40}$/u.test(caption.slice(begin).trimEnd());
  return isDocument ? caption.slice(0, begin) : caption;
}

/** Android: `IMG-20260306-WA0001.jpg (file attached)`, translated, and the caption below. */
function findNamed(text: string, fileNames: ReadonlySet<string>): AttachedFile | null {
  const [first = "", ...rest] = text.split("\n");
  const match = /^(.{1,200}\.\w{1,8}) \(([^()]{1,40})\)\s*$/u.exec(withoutMarks(first));
  if (match === null) return null;
  const [, name = "", word = ""] = match;
  const isFile = fileNames.has(name) || isAttachedWord(word);
  return isFile && !/[/\\]/u.test(name) ? { name, caption: rest.join("\n") } : null;
}

function cleanText(text: string): string {
  return withoutMarks(text).trimEnd();
}

const kinds: readonly (readonly [ChatRow["kind"], RegExp])[] = [
  ["sticker", /\.webp$/iu],
  ["image", /\.(?:jpe?g|png|gif|heic)$/iu],
  ["audio", /\.(?:opus|ogg|m4a|mp3|aac|amr|wav)$/iu],
  ["video", /\.(?:mp4|3gpp?|mov|webm)$/iu],
];

/** The kind of a file by its name. Its content is looked at when it is stored. */
function kindOf(name: string): ChatRow["kind"] {
  return kinds.find(([, pattern]) => pattern.test(name))?.[0] ?? "document";
}
