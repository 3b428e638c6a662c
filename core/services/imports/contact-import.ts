import { commitContacts } from "./contact-commit.ts";
import { planContacts } from "./contact-plan.ts";
import { undoContacts } from "./contact-undo.ts";
import type { ImportKind } from "./import-kind.ts";

/** Imports of contacts from a table. */
export const contactImport: ImportKind = {
  planBatch: planContacts,
  commitBatch: commitContacts,
  undoBatch: undoContacts,
};
