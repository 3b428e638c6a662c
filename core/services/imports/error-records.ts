import type { Import, ImportRow } from "../../../db/entities/import.ts";
import type { Tx } from "../../../db/transaction.ts";
import { adviceOn } from "../../model/import-advice.ts";
import { asLocale, type Locale } from "../../model/user.ts";
import { getAccount } from "../accounts/accounts.ts";
import { getPerson } from "../accounts/users.ts";

/** Titles of the file of errors: the columns of the upload, `error`, and `error_text`. */
export function errorHeader({ detected }: Pick<Import, "detected">): string[] {
  return [...titlesOf({ detected }), "error", "error_text"];
}

const chatColumns = ["at", "direction", "text", "file"] as const;

function titlesOf({ detected }: Pick<Import, "detected">): string[] {
  if (detected === null || detected.format === "chat") return [...chatColumns];
  return detected.columns.map(({ title, index }) => title || `column ${index + 1}`);
}

/**
 * A row of the file of errors. Its last cells are the code of the reason, or of the outcome, and a
 * text that says what to do.
 */
export function errorRecord(
  row: Pick<Import, "detected">,
  { raw, plan, reason, state }: ImportRow,
  locale: Locale,
): string[] {
  const error = reason ?? (state === "pending" ? plan : state);
  const cells = Array.isArray(raw)
    ? raw
    : raw === null
      ? []
      : chatColumns.map((key) => raw[key] ?? "");
  return [...titlesOf(row).map((_, index) => cells[index] ?? ""), error, adviceOn(error, locale)];
}

/** Language of a person's files: as the person has the Dashboard, else as the account has it. */
export async function readFileLocale(tx: Tx, userId: number): Promise<Locale> {
  const person = await getPerson(tx.manager, userId);
  return asLocale(person.locale ?? (await getAccount(tx)).locale);
}
