import type { Readable } from "node:stream";
import type { ChatRow } from "../model/import.ts";
import { openArchive, type Archive } from "./archive.ts";
import { baseName, isArchive } from "./chat-file.ts";
import { runReader } from "./reader-process.ts";
import type { ChatOptions } from "./reader-tasks.ts";

/**
 * Messages of a chat in the order of its text, read in the zone of the phone that exported it.
 * @param path a local file
 * @throws ImportFileError
 */
export async function* readChat(
  path: string,
  options: ChatOptions,
  signal?: AbortSignal,
): AsyncGenerator<ChatRow> {
  yield* runReader({ task: "chat", path, options }, signal);
}

/** Files of a chat. */
export interface ChatFiles {
  /** Bytes of a file, or null without it. @throws ImportFileError for a damaged archive */
  open(name: string): Promise<Readable | null>;
  close(): void;
}

/** Opens the files of a chat. A chat without an archive has none. @throws ImportFileError */
export async function openChatFiles(path: string): Promise<ChatFiles> {
  if (!(await isArchive(path))) return { open: async () => null, close: () => undefined };
  const archive = await openArchive(path);
  const names = namesOf(archive);
  return {
    async open(name) {
      const full = names.get(name);
      return full === undefined ? null : await archive.open(full);
    },
    close: () => archive.close(),
  };
}

function namesOf({ files }: Archive): Map<string, string> {
  return new Map(files.map(({ name }) => [baseName(name), name]));
}
