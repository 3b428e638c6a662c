import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import iconv from "iconv-lite";
import type { ImportCharset } from "../model/import-format.ts";
import { ImportFileError } from "./import-error.ts";

/**
 * Charset of a text. A byte order mark decides. Without a mark, text that is valid UTF-8 is UTF-8,
 * and any other is windows-1252, which spreadsheets write.
 */
export async function detectCharset(path: string): Promise<ImportCharset> {
  const marked = markedCharset(await readStart(path, 2));
  if (marked !== null) return marked;
  return (await isUtf8(createReadStream(path))) ? "utf-8" : "windows-1252";
}

/** Charset by the byte order mark of UTF-16; null without one. */
export function markedCharset([first, second]: Uint8Array): ImportCharset | null {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  return null;
}

/** The first bytes of a file. */
export async function readStart(path: string, length: number, position = 0): Promise<Buffer> {
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

async function isUtf8(source: AsyncIterable<Uint8Array>): Promise<boolean> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  try {
    for await (const chunk of source) decoder.decode(chunk, { stream: true });
    decoder.decode();
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}

/** Decodes one chunk after the other. The last call has no chunk. */
type Decode = (chunk?: Uint8Array) => string;

/** Node's windows-1252 is Latin-1 in Node 20 and loses the euro sign, so a library decodes it. */
function createDecode(charset: ImportCharset): Decode {
  if (charset === "windows-1252") {
    const decoder = iconv.getDecoder(charset);
    return (chunk) =>
      chunk === undefined ? (decoder.end() ?? "") : decoder.write(Buffer.from(chunk));
  }
  const decoder = new TextDecoder(charset, { fatal: true });
  return (chunk) => {
    try {
      return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
    } catch (error) {
      throw error instanceof TypeError ? new ImportFileError("file_unreadable") : error;
    }
  };
}

/**
 * Text of a source, without its byte order mark.
 * @throws ImportFileError `nul_byte`: no text holds a NUL, and MySQL and browsers stumble over it
 */
export async function* decodeText(
  source: AsyncIterable<Uint8Array>,
  charset: ImportCharset,
): AsyncGenerator<string> {
  const decode = createDecode(charset);
  let line = 1;
  const checked = (text: string): string => {
    const nul = text.indexOf("\0");
    if (nul !== -1) throw new ImportFileError("nul_byte", line + countBreaks(text.slice(0, nul)));
    line += countBreaks(text);
    return text;
  };
  for await (const chunk of source) yield checked(decode(chunk));
  yield checked(decode());
}

/** Text of a file. */
export function readText(path: string, charset: ImportCharset): AsyncGenerator<string> {
  return decodeText(createReadStream(path), charset);
}

/**
 * Lines of a text without their ends, and their numbers from 1.
 * @throws ImportFileError `record_too_long` for a line over `maxLength` characters
 */
export async function* splitLines(
  source: AsyncIterable<string>,
  maxLength: number,
): AsyncGenerator<{ number: number; text: string }> {
  let rest = "";
  let number = 0;
  const next = (text: string): { number: number; text: string } => {
    number += 1;
    if (text.length > maxLength) throw new ImportFileError("record_too_long", number);
    return { number, text: text.replace(/\r$/u, "") };
  };
  for await (const chunk of source) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield next(line);
    if (rest.length > maxLength) throw new ImportFileError("record_too_long", number + 1);
  }
  if (rest !== "") yield next(rest);
}

/** Line feeds in a text. */
function countBreaks(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}
