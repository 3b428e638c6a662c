import { openArchive, type Archive } from "./archive.ts";
import { ImportFileError } from "./import-error.ts";
import { decodeText, detectCharset, readStart, readText } from "./text.ts";

/** The text of a chat, which can be read many times, and the files beside it. */
export interface ChatSource {
  readText(): AsyncGenerator<string>;
  /** Names of the files that the archive holds beside the text, without folders. */
  fileNames: readonly string[];
  close(): void;
}

/** Bytes at the beginning of a ZIP archive. */
const zipMark = Buffer.from("PK");

/** @returns true for a file that begins as a ZIP archive does */
export async function isArchive(path: string): Promise<boolean> {
  const start = await readStart(path, 4);
  const [, , third, fourth] = start;
  const isMark = (third === 3 && fourth === 4) || (third === 5 && fourth === 6);
  return start.subarray(0, 2).equals(zipMark) && isMark;
}

/** Opens the text of a chat, or the archive that holds the text. @throws ImportFileError */
export async function openChat(path: string): Promise<ChatSource> {
  if (await isArchive(path)) return await openChatArchive(path);
  const charset = await detectCharset(path);
  return { readText: () => readText(path, charset), fileNames: [], close: () => undefined };
}

async function openChatArchive(path: string): Promise<ChatSource> {
  const archive = await openArchive(path);
  const name = findChatText(archive);
  if (name === null) {
    archive.close();
    throw new ImportFileError("zip_without_chat");
  }
  return {
    async *readText() {
      yield* decodeText(await archive.open(name), "utf-8");
    },
    fileNames: archive.files
      .filter((file) => file.name !== name)
      .map((file) => baseName(file.name)),
    close: () => archive.close(),
  };
}

/** iOS calls the text `_chat.txt`. Android gives it the name of the archive, in its own language. */
function findChatText({ files }: Pick<Archive, "files">): string | null {
  const texts = files.map(({ name }) => name).filter((name) => /\.txt$/iu.test(name));
  return (
    texts.find((name) => baseName(name) === "_chat.txt") ??
    texts.find((name) => /whatsapp/iu.test(baseName(name))) ??
    texts[0] ??
    null
  );
}

/** Name of a file without its folders. */
export function baseName(name: string): string {
  return name.split("/").at(-1) ?? name;
}
