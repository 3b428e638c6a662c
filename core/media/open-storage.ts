import { join } from "node:path";
import { createLocalStorage, spoolFolder } from "./local-storage.ts";
import { createS3Storage, type S3Options } from "./s3-storage.ts";
import { createScanner, type Scan } from "./scanner.ts";
import { createSpool, type Spool } from "./spool.ts";
import type { MediaStorage } from "./storage.ts";

/** Place of the files of messages. */
export interface MediaSettings {
  /** Folder of files that are being written, and of the local storage. */
  folder: string;
  /** Null: the local storage. */
  s3: S3Options | null;
  /** Address of a ClamAV daemon; null: no scanner looks at files. */
  scanner: { host: string; port: number } | null;
}

/** The storage, the folder of files on their way to it, and the scanner. */
export interface OpenMedia {
  storage: MediaStorage;
  spool: Spool;
  scan: Scan | null;
}

/** Opens the storage of an installation, its spool and its scanner. Touches none before its first use. */
export function openMedia({ folder, s3, scanner }: MediaSettings): OpenMedia {
  return {
    storage: s3 === null ? createLocalStorage(folder) : createS3Storage(s3),
    spool: createSpool(join(folder, spoolFolder)),
    scan: scanner === null ? null : createScanner(scanner),
  };
}
