import type { Import, ImportRow } from "../../../db/entities/import.ts";

/** Titles of the file of errors: the columns of the upload, and `error`. */
export function errorHeader({ detected }: Pick<Import, "detected">): string[] {
  if (detected === null || detected.format === "chat") return [...chatColumns, "error"];
  return [...detected.columns.map(({ title, index }) => title || `column ${index + 1}`), "error"];
}

const chatColumns = ["at", "direction", "text", "file"] as const;

/** A row of the file of errors. Its last cell is the code of the reason, or of the outcome. */
export function errorRecord(
  row: Pick<Import, "detected">,
  { raw, plan, reason, state }: ImportRow,
): string[] {
  const error = reason ?? (state === "pending" ? plan : state);
  const width = errorHeader(row).length - 1;
  const cells = Array.isArray(raw)
    ? raw
    : raw === null
      ? []
      : chatColumns.map((key) => raw[key] ?? "");
  return [...Array.from({ length: width }, (_, index) => cells[index] ?? ""), error];
}
