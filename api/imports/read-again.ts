import { randomBytes } from "node:crypto";
import { invalidField } from "../../core/errors.ts";
import type { DetectedTable, ImportPatch } from "../../core/model/import.ts";
import { requireState } from "../../core/services/imports/imports.ts";
import type { Import } from "../../db/entities/import.ts";
import type { Deps } from "../deps.ts";
import { detectUpload, invalidFile } from "./detect-upload.ts";

/** Charset and delimiter as a person names them. Absent: as before. Null: detected anew. */
type NamedFormat = Pick<ImportPatch, "charset" | "delimiter">;

/**
 * Reads the file of an import with another charset or delimiter. Changes nothing.
 * @returns the new facts; null where neither is named
 * @throws AppError `import_state`; `validation_error` for a file that has neither;
 * `import_file_invalid` for a file that cannot be read so, or is gone; `rate_limited`
 */
export async function readAgain(
  deps: Pick<Deps, "media" | "fileReads">,
  row: Import,
  { charset, delimiter }: NamedFormat,
): Promise<DetectedTable | null> {
  if (charset === undefined && delimiter === undefined) return null;
  requireState(row, "map");
  const { detected, accountId } = row;
  if (detected?.format !== "csv") throw refuseOf({ charset, delimiter });
  const chosen = {
    charset: charset === undefined ? detected.charset : charset,
    delimiter: delimiter === undefined ? detected.delimiter : delimiter,
  };
  return await deps.fileReads.run(String(accountId), () =>
    withCopy(deps, row, (path) =>
      detectUpload(path, "contacts", {
        charset: chosen.charset ?? undefined,
        delimiter: chosen.delimiter ?? undefined,
      }),
    ),
  );
}

function refuseOf({ charset }: NamedFormat) {
  const field = charset === undefined ? "delimiter" : "charset";
  const message = "Only a CSV file has a charset and a delimiter. Leave this field out.";
  return invalidField(`body.${field}`, "not_a_csv_file", message);
}

/** Hands on a local copy of the upload, which is removed afterwards. */
async function withCopy<T>(
  { media }: Pick<Deps, "media">,
  { id, size, storageKey }: Import,
  use: (path: string) => Promise<T>,
): Promise<T> {
  const source = storageKey === null ? null : await media.storage.get(storageKey);
  if (source === null) throw invalidFile({ code: "file_missing", line: null });
  // A worker, or another call, may read a copy of its own.
  const name = `import-${id}-${randomBytes(4).toString("hex")}`;
  const file = await media.spool.write(name, source, size);
  try {
    return await use(file.path);
  } finally {
    await file.remove();
  }
}
