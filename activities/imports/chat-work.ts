import { readChat } from "../../core/imports/read-chat.ts";
import { chatImport } from "../../core/services/imports/chat-import.ts";
import type { ImportJob, RawRecord } from "../../core/services/imports/import-kind.ts";
import { storeChatFiles } from "./chat-media.ts";
import type { ImportWork } from "./import-work.ts";

/** Work of the import of a chat. Its files follow once all messages are there. */
export const chatWork: ImportWork = {
  rules: chatImport,
  read: readMessages,
  finish: storeChatFiles,
};

/** Messages by their ordinal in the chat. */
async function* readMessages(path: string, { mapping }: ImportJob): AsyncGenerator<RawRecord> {
  if (mapping === null || !("us" in mapping)) throw new Error("The chat has no mapping.");
  let number = 0;
  for await (const raw of readChat(path, mapping)) {
    number += 1;
    yield { number, raw };
  }
}
