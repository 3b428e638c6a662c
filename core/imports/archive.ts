import { PassThrough, pipeline, type Readable } from "node:stream";
import { getFileNameLowLevel, openPromise, type Entry, type ZipFile } from "yauzl";
import { ImportFileError } from "./import-error.ts";
import { maxEntries, maxInflatedBytes, maxRatio, ratioFreeBytes } from "./limits.ts";

/** A file within an archive. Its size is the one that the archive names. */
export interface ArchiveFile {
  /** With the folders before it, separated by `/`. */
  name: string;
  /** Bytes, inflated. */
  size: number;
}

/** A ZIP archive whose names and sizes have passed the checks. */
export interface Archive {
  files: readonly ArchiveFile[];
  /**
   * Inflates a file. The stream fails with an ImportFileError when the archive has named too small
   * a size, or when its files come to more than the limit.
   */
  open(name: string): Promise<Readable>;
  close(): void;
}

/** @throws ImportFileError for an archive that is damaged, encrypted, nested, or too large */
export async function openArchive(path: string): Promise<Archive> {
  const zip = await openPromise(path, { autoClose: false, decodeStrings: false }).catch(asDamage);
  try {
    const entries = await readEntries(zip);
    return createArchive(zip, entries);
  } catch (error) {
    zip.close();
    throw error;
  }
}

function asDamage(): never {
  throw new ImportFileError("file_unreadable");
}

async function readEntries(zip: ZipFile): Promise<Map<string, Entry>> {
  if (zip.entryCount > maxEntries) throw new ImportFileError("zip_too_many_entries");
  const entries = new Map<string, Entry>();
  let inflated = 0;
  try {
    for await (const entry of zip.eachEntry()) {
      const name = nameOf(entry);
      checkName(name);
      if (entry.isEncrypted()) throw new ImportFileError("zip_encrypted");
      inflated += entry.uncompressedSize;
      checkSize(inflated, entry.compressedSize, entry.uncompressedSize);
      // A folder has no content. Mac OS adds a twin with attributes to each file.
      if (name.endsWith("/") || name.startsWith("__MACOSX/")) continue;
      if (!entry.canDecodeFileData()) throw new ImportFileError("file_unreadable");
      entries.set(name, entry);
    }
  } catch (error) {
    throw error instanceof ImportFileError ? error : new ImportFileError("file_unreadable");
  }
  return entries;
}

/** Some programs on Windows separate folders by backslashes, which the library turns round. */
function nameOf(entry: Entry): string {
  const { generalPurposeBitFlag, fileNameRaw, extraFields } = entry;
  return getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, false);
}

function checkName(name: string): void {
  if (/^(?:\/|[a-z]:)/iu.test(name)) throw new ImportFileError("zip_unsafe_name");
  if (name.split("/").includes("..")) throw new ImportFileError("zip_unsafe_name");
  if (/\.(?:zip|7z|rar)$/iu.test(name)) throw new ImportFileError("zip_nested");
}

function checkSize(total: number, compressed: number, size: number): void {
  if (total > maxInflatedBytes) throw new ImportFileError("zip_too_large");
  if (size > ratioFreeBytes && size > compressed * maxRatio) {
    throw new ImportFileError("zip_ratio");
  }
}

function createArchive(zip: ZipFile, entries: ReadonlyMap<string, Entry>): Archive {
  let inflated = 0;
  return {
    files: [...entries].map(([name, { uncompressedSize: size }]) => ({ name, size })),
    async open(name) {
      const entry = entries.get(name);
      if (entry === undefined) throw new Error("The archive has no such file.");
      const source = await zip.openReadStreamPromise(entry).catch(asDamage);
      let size = 0;
      return counted(source, (bytes) => {
        inflated += bytes;
        size += bytes;
        checkSize(inflated, entry.compressedSize, size);
      });
    },
    close: () => zip.close(),
  };
}

/** Passes bytes on while they are counted. A damaged entry ends with an ImportFileError. */
function counted(source: Readable, count: (bytes: number) => void): Readable {
  const target = new PassThrough({
    transform(chunk: Buffer, _encoding, done) {
      try {
        count(chunk.length);
        done(null, chunk);
      } catch (error) {
        done(error instanceof Error ? error : new Error("The count failed."));
      }
    },
    destroy(error, done) {
      done(error === null || error instanceof ImportFileError ? error : damage());
    },
  });
  pipeline(source, target, () => undefined);
  return target;
}

const damage = (): ImportFileError => new ImportFileError("file_unreadable");
