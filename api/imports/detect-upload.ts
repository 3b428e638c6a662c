import { AppError } from "../../core/errors.ts";
import { detectFile, type DetectedOf, type DetectOptions } from "../../core/imports/detect.ts";
import { ImportFileError } from "../../core/imports/import-error.ts";
import type { ImportKindName } from "../../core/model/import.ts";

/**
 * Looks at a local copy of an upload.
 * @throws AppError `import_file_invalid` with the code of the fault and its line
 */
export async function detectUpload<Kind extends ImportKindName>(
  path: string,
  kind: Kind,
  chosen: DetectOptions = {},
): Promise<DetectedOf<Kind>> {
  return await refusingFiles(() => detectFile(path, kind, chosen));
}

/** Runs `work`, and answers a file that cannot be imported with `import_file_invalid`. */
export async function refusingFiles<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof ImportFileError ? invalidFile(error) : error;
  }
}

/** Answer to a file that cannot be imported. */
function invalidFile({ code, line }: Pick<ImportFileError, "code" | "line">): AppError {
  return new AppError("import_file_invalid", { details: { code, line } });
}
