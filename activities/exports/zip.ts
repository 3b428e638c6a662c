import { createDeflateRaw, crc32 } from "node:zlib";
import { Readable } from "node:stream";

/** A file of an archive. */
export interface ZipEntry {
  /** Path within the archive, with `/` between its parts. */
  name: string;
  source: AsyncIterable<Uint8Array>;
  /** True where compression helps. Pictures are compressed already. */
  shouldCompress: boolean;
}

/** Without ZIP64 an archive ends before these limits. */
const maxBytes = 0xff_ff_ff_ff;
const maxEntries = 0xff_ff;

/** More bytes or files than an archive of this kind may have. */
export class ZipTooLargeError extends Error {
  override readonly name = "ZipTooLargeError";
}

interface WrittenEntry {
  name: Buffer;
  crc: number;
  packed: number;
  size: number;
  offset: number;
}

/** Sizes follow the content (bit 3), and names are UTF-8 (bit 11). */
const flags = 0x08_08;
const deflate = 8;
/** 1 January 1980: an archive tells nothing about when it was written. */
const dosDate = 0x21;

/**
 * Writes an archive while its files are read, so that memory holds a few chunks of one file only.
 * Source: the ZIP application note of PKWARE, 4.3 and 4.4.
 * @throws ZipTooLargeError above 4 GiB or 65,535 files; the error of a source
 */
export async function* writeZip(entries: AsyncIterable<ZipEntry>): AsyncGenerator<Uint8Array> {
  const written: WrittenEntry[] = [];
  let offset = 0;
  for await (const entry of entries) {
    if (written.length >= maxEntries) throw new ZipTooLargeError("The archive has too many files.");
    const start = offset;
    const name = Buffer.from(entry.name, "utf8");
    const header = localHeader(name);
    offset += header.length;
    yield header;
    const sums = { crc: 0, size: 0, packed: 0 };
    for await (const chunk of packed(entry, sums)) {
      sums.packed += chunk.length;
      offset += chunk.length;
      if (offset > maxBytes || sums.size > maxBytes) {
        throw new ZipTooLargeError("The archive is larger than 4 GiB.");
      }
      yield chunk;
    }
    const descriptor = sizes(Buffer.alloc(16), 4, sums);
    descriptor.writeUInt32LE(0x08_07_4b_50, 0);
    offset += descriptor.length;
    yield descriptor;
    written.push({ name, offset: start, ...sums });
  }
  const directory = Buffer.concat(written.map(directoryHeader));
  if (offset + directory.length > maxBytes) {
    throw new ZipTooLargeError("The archive is larger than 4 GiB.");
  }
  yield directory;
  yield directoryEnd(written.length, directory.length, offset);
}

/** The compressed content. Counts what it reads. */
function packed(
  { source, shouldCompress }: ZipEntry,
  sums: { crc: number; size: number },
): AsyncIterable<Uint8Array> {
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of source) {
      sums.crc = crc32(chunk, sums.crc);
      sums.size += chunk.length;
      yield chunk;
    }
  }
  const input = Readable.from(counted(), { objectMode: false });
  const output = createDeflateRaw({ level: shouldCompress ? 6 : 0 });
  input.on("error", (error) => output.destroy(error));
  output.on("close", () => input.destroy());
  return input.pipe(output);
}

function localHeader(name: Buffer): Buffer {
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04_03_4b_50, 0);
  common(header, 4);
  header.writeUInt16LE(name.length, 26);
  return Buffer.concat([header, name]);
}

function directoryHeader({ name, offset, ...sums }: WrittenEntry): Buffer {
  const header = Buffer.alloc(46);
  header.writeUInt32LE(0x02_01_4b_50, 0);
  header.writeUInt16LE(20, 4);
  common(header, 6);
  sizes(header, 16, sums);
  header.writeUInt16LE(name.length, 28);
  header.writeUInt32LE(offset, 42);
  return Buffer.concat([header, name]);
}

/** Version, flags, method, time and date. */
function common(header: Buffer, at: number): void {
  header.writeUInt16LE(20, at);
  header.writeUInt16LE(flags, at + 2);
  header.writeUInt16LE(deflate, at + 4);
  header.writeUInt16LE(dosDate, at + 8);
}

function sizes(
  buffer: Buffer,
  at: number,
  { crc, packed: small, size }: { crc: number; packed: number; size: number },
): Buffer {
  buffer.writeUInt32LE(crc, at);
  buffer.writeUInt32LE(small, at + 4);
  buffer.writeUInt32LE(size, at + 8);
  return buffer;
}

function directoryEnd(entries: number, size: number, offset: number): Buffer {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06_05_4b_50, 0);
  end.writeUInt16LE(entries, 8);
  end.writeUInt16LE(entries, 10);
  end.writeUInt32LE(size, 12);
  end.writeUInt32LE(offset, 16);
  return end;
}
