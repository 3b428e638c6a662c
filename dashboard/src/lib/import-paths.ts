import type { ImportKindName } from "../../../core/model/import.ts";
import { paths } from "../paths.ts";

/** URL of an import, at the step that it has reached. */
export function importPath(id: number): string {
  return `${paths.imports}/${id}`;
}

/** URL of the upload of a new import. */
export function newImportPath(kind: ImportKindName): string {
  return `${paths.imports}/new?kind=${kind}`;
}
