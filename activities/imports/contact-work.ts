import { readTable } from "../../core/imports/read-table.ts";
import { contactImport } from "../../core/services/imports/contact-import.ts";
import type { ImportJob, RawRecord } from "../../core/services/imports/import-kind.ts";
import type { ImportWork } from "./import-work.ts";

/** Imports of contacts from a table. */
export const contactWork: ImportWork = { rules: contactImport, read: readContacts };

async function* readContacts(
  path: string,
  { detected, mapping }: ImportJob,
): AsyncGenerator<RawRecord> {
  if (detected === null || detected.format === "chat") return;
  // The person may have said that the first record is a header, or is none.
  const has_header =
    mapping !== null && "columns" in mapping ? mapping.has_header : detected.has_header;
  for await (const { number, cells } of readTable(path, { ...detected, has_header })) {
    yield { number, raw: cells };
  }
}
