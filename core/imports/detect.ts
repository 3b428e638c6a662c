import type { DetectedChat, DetectedTable, ImportKindName } from "../model/import.ts";
import type { ChosenFormat } from "./detect-content.ts";
import { ImportFileError } from "./import-error.ts";
import { runReader } from "./reader-process.ts";

/** The result of `detectFile` by the kind of the import. */
export type DetectedOf<Kind extends ImportKindName> = Kind extends "chat"
  ? DetectedChat
  : DetectedTable;

/** Options of `detectFile`. A chosen charset or delimiter replaces the detected one. */
export interface DetectOptions extends ChosenFormat {
  signal?: AbortSignal;
}

/**
 * Looks at an uploaded file in a process of its own. Its content decides, not its name. The whole
 * file is read, so a fault near its end is known before anybody plans with it.
 * @param path a local file
 * @throws ImportFileError; the reason of the signal
 */
export async function detectFile<Kind extends ImportKindName>(
  path: string,
  kind: Kind,
  { charset, delimiter, signal }: DetectOptions = {},
): Promise<DetectedOf<Kind>> {
  const request = { task: "detect", path, kind, chosen: { charset, delimiter } } as const;
  for await (const detected of runReader(request, signal)) return detected as DetectedOf<Kind>;
  throw new ImportFileError("file_unreadable");
}
