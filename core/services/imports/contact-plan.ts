import type { Tx } from "../../../db/transaction.ts";
import type { BookContact } from "../../imports/contact-book.ts";
import type { RowContact } from "../../imports/contact-row.ts";
import type { RawRow } from "../../model/import.ts";
import { applyRow, type JudgedOutcome } from "./contact-commit.ts";
import { readContactBatch, readStageNames } from "./contact-reads.ts";
import { contactsOf, judgeRows, mappingOf, type JudgedRow } from "./contact-rows.ts";
import type { ImportJob, PlannedRow, RawRecord } from "./import-kind.ts";

/** Searches for earlier rows of a person; each finds those that share a key with the last ones. */
const maxSearches = 5;
/**
 * Earlier rows that are read for one phone or email. Some files repeat one email in every row, so
 * that each batch would read the file from its start.
 */
const rowsPerKey = 50;

/**
 * Plans records in the order of the file, and changes nothing. Earlier rows of the same file that
 * share a phone or an email are applied first, so that rows of one file meet as they will in the
 * commit.
 */
export async function planContacts(
  tx: Tx,
  job: ImportJob,
  records: readonly RawRecord[],
): Promise<PlannedRow[]> {
  const judged = await judgeRows(tx, job, records, readStageNames);
  const first = records[0]?.number ?? 0;
  const earlier = await readEarlier(tx, job, contactsOf(judged), first);
  const before = await judgeRows(tx, job, earlier, readStageNames);
  const { book } = await readContactBatch(tx, [...contactsOf(before), ...contactsOf(judged)], {
    overwrite: mappingOf(job).overwrite,
    pipelineId: judged.pipelineId ?? before.pipelineId,
    locks: false,
  });
  // The row that creates each new contact.
  const creators = new Map<BookContact, number>();
  const apply = (row: JudgedRow): JudgedOutcome => {
    const outcome = applyRow(book, row);
    if (outcome.plan === "create") creators.set(outcome.contact, row.number);
    return outcome;
  };
  for (const row of before.rows) apply(row);
  return judged.rows.map((row) => plannedRow(row, apply(row), creators));
}

function plannedRow(
  { number, judged }: JudgedRow,
  outcome: JudgedOutcome,
  creators: ReadonlyMap<BookContact, number>,
): PlannedRow {
  const { phoneKey = null, email = null } = "contact" in judged ? judged.contact : {};
  const keys = { number, plan: outcome.plan, phoneKey, email };
  if (!("change" in outcome)) {
    return { ...keys, reason: outcome.reason, fields: null, contactId: null, firstRow: null };
  }
  const creator = creators.get(outcome.contact) ?? null;
  return {
    ...keys,
    reason: null,
    fields: outcome.plan === "update" ? outcome.fields : null,
    contactId: outcome.contact.id,
    firstRow: creator === number ? null : creator,
  };
}

interface EarlierRow {
  number: number;
  raw: RawRow | null;
  phoneKey: string | null;
  email: string | null;
}

/** Planned rows before `first` that share a key with the rows, or with such a row, and so on. */
async function readEarlier(
  tx: Tx,
  job: ImportJob,
  contacts: readonly RowContact[],
  first: number,
): Promise<EarlierRow[]> {
  const found = new Map<number, EarlierRow>();
  const asked = { phoneKey: new Set<string>(), email: new Set<string>() };
  let next: readonly Pick<EarlierRow, "phoneKey" | "email">[] = contacts;
  for (let search = 0; search < maxSearches && next.length > 0; search += 1) {
    const rows: EarlierRow[] = [];
    for (const key of ["phoneKey", "email"] as const) {
      const values = [...new Set(next.flatMap((row) => row[key] ?? []))].filter(
        (value) => !asked[key].has(value),
      );
      for (const value of values) asked[key].add(value);
      rows.push(...(await findEarlier(tx, job, { key, values, first })));
    }
    next = rows.filter(({ number }) => !found.has(number));
    for (const row of rows) found.set(row.number, row);
  }
  return [...found.values()].toSorted((one, other) => one.number - other.number);
}

async function findEarlier(
  tx: Tx,
  job: ImportJob,
  { key, values, first }: { key: "phoneKey" | "email"; values: string[]; first: number },
): Promise<EarlierRow[]> {
  if (values.length === 0 || first <= 1) return [];
  const [column, value, index] =
    key === "phoneKey"
      ? ["phone_key", "CAST(asked.value AS CHAR CHARACTER SET ascii)", "import_rows_phone"]
      : ["email", "asked.value COLLATE utf8mb4_0900_as_ci", "import_rows_email"];
  // The last values count where rows overwrite, else the first ones.
  const way = mappingOf(job).overwrite ? "DESC" : "ASC";
  const order = ["account_id", column, "import_id", "number"].map((name) => `${name} ${way}`);
  return await tx.manager.query<EarlierRow[]>(
    `SELECT found.number, found.raw, found.phoneKey, found.email
       FROM (VALUES ${values.map(() => "ROW(?)").join(", ")}) AS asked (value)
       JOIN LATERAL (
         SELECT number, raw, phone_key AS phoneKey, email FROM import_rows FORCE INDEX (${index})
          WHERE account_id = ? AND ${column} = ${value} AND import_id = ? AND number < ?
            AND plan IN ('create', 'update', 'unchanged')
          ORDER BY ${order.join(", ")} LIMIT ?) AS found`,
    [...values, tx.actor.accountId, job.id, first, rowsPerKey],
  );
}
