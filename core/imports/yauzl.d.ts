/** The part of yauzl that is used here. The package has no types of its own. */
declare module "yauzl" {
  import type { Readable } from "node:stream";

  export interface Entry {
    fileNameRaw: Buffer;
    extraFields: { id: number; data: Buffer }[];
    generalPurposeBitFlag: number;
    compressedSize: number;
    uncompressedSize: number;
    isEncrypted(): boolean;
    canDecodeFileData(): boolean;
  }

  export interface ZipFile {
    entryCount: number;
    eachEntry(): AsyncIterable<Entry>;
    openReadStreamPromise(entry: Entry): Promise<Readable>;
    close(): void;
  }

  interface Options {
    autoClose: boolean;
    decodeStrings: boolean;
  }

  export function openPromise(path: string, options: Options): Promise<ZipFile>;
  export function getFileNameLowLevel(
    generalPurposeBitFlag: number,
    fileNameRaw: Buffer,
    extraFields: Entry["extraFields"],
    strictFileNames: boolean,
  ): string;
}
