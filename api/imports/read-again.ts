import { invalidField } from "../../core/errors.ts";
import { detectFile } from "../../core/imports/detect.ts";
import { withLocalFile } from "../../core/imports/local-file.ts";
import type { DetectedTable, ImportPatch } from "../../core/model/import.ts";
import { requireState } from "../../core/services/imports/imports.ts";
import type { Import } from "../../db/entities/import.ts";
import type { Deps } from "../deps.ts";
import { refusingFiles } from "./detect-upload.ts";

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
    refusingFiles(() =>
      withLocalFile(deps.media, row, (path) =>
        detectFile(path, "contacts", {
          charset: chosen.charset ?? undefined,
          delimiter: chosen.delimiter ?? undefined,
        }),
      ),
    ),
  );
}

function refuseOf({ charset }: NamedFormat) {
  const field = charset === undefined ? "delimiter" : "charset";
  const message = "Only a CSV file has a charset and a delimiter. Leave this field out.";
  return invalidField(`body.${field}`, "not_a_csv_file", message);
}
