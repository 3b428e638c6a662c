import { DateTime } from "luxon";
import type { ChatRow, DetectedChat, DetectedTable, ImportKindName } from "../model/import.ts";
import { openChat } from "./chat-file.ts";
import { parseChat } from "./chat-text.ts";
import type { TableRow } from "./csv.ts";
import { detectContent, type ChosenFormat } from "./detect-content.ts";
import { spreadsheetReader } from "./spreadsheet.ts";
import { readXlsx } from "./xlsx.ts";

/** Rules for reading the text of a chat. */
export interface ChatOptions {
  /** The author who is the company. */
  us: string;
  /** IANA zone of the phone that exported the chat. */
  time_zone: string;
  /** True where days stand before months. */
  day_first: boolean;
}

/** Work of the process that reads files. */
export type ReaderRequest =
  | { task: "detect"; path: string; kind: ImportKindName; chosen: ChosenFormat }
  | { task: "xlsx"; path: string }
  | { task: "chat"; path: string; options: ChatOptions };

/** Items of a request, in their order. */
export interface ReaderItems {
  detect: DetectedChat | DetectedTable;
  xlsx: TableRow;
  chat: ChatRow;
}

/** Runs a request. @throws ImportFileError */
export async function* runTask(
  request: ReaderRequest,
): AsyncGenerator<ReaderItems[ReaderRequest["task"]]> {
  switch (request.task) {
    case "detect":
      yield await detectContent(request.path, request.kind, request.chosen);
      break;
    case "xlsx":
      yield* readXlsx(request.path, spreadsheetReader);
      break;
    case "chat":
      yield* readMessages(request.path, request.options);
  }
}

async function* readMessages(path: string, options: ChatOptions): AsyncGenerator<ChatRow> {
  const source = await openChat(path);
  const zone = options.time_zone;
  try {
    const files = new Set(source.fileNames);
    for await (const one of parseChat(source.readText(), options.day_first, files)) {
      const at = DateTime.fromISO(one.time, { zone }).toUTC();
      yield {
        at: at.toJSDate().toISOString(),
        direction: one.author === options.us ? "out" : "in",
        text: one.text,
        kind: one.kind,
        file: one.file,
      };
    }
  } finally {
    source.close();
  }
}
