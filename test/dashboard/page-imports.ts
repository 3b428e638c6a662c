import { createHash } from "node:crypto";
import {
  contactMapping,
  noCounts,
  type DetectedChat,
  type DetectedTable,
} from "../../core/model/import.ts";
import type { TestAccount } from "../support/accounts.ts";
import type { DashboardFixture } from "../support/dashboard-fixture.ts";
import { oddNames } from "../support/odd-names.ts";

const titles = ["Nombre", "Celular", "Correo electrónico", "Wolfeschlegelsteinhausenbergerdorff"];
const fields = ["name", "phone", "email", null] as const;
const cellsOf = (row: number): string[] => [
  oddNames[row % oddNames.length] ?? "",
  `+52 55 1111 ${1_000 + row}`,
  `${"x".repeat(60)}${row}@example.com`,
  "مرحبا",
];

const table: DetectedTable = {
  format: "csv",
  charset: "windows-1252",
  delimiter: ";",
  has_header: true,
  columns: titles.map((title, index) => ({ index, title, field: fields[index] ?? null })),
  sample: [titles, ...Array.from({ length: 49 }, (_, row) => cellsOf(row))],
  rows: 49,
};

const chat: DetectedChat = {
  format: "chat",
  authors: [
    { name: "Sonrisa Dental", messages: 640 },
    { name: "Wolfeschlegelsteinhausenbergerdorff ".repeat(4).trim(), messages: 564 },
  ],
  day_first: null,
  sample: ["3/4/25, 9:15 - Sonrisa Dental: Hola", `3/4/25, 9:17 - ${"x".repeat(200)}`],
  messages: 1_204,
  media: 31,
  first_at: "2025-03-04T09:15:00.000Z",
  last_at: "2025-11-20T18:40:00.000Z",
};

const mapping = contactMapping.parse({
  columns: table.columns.map(({ index, field }) => ({ index, field })),
});

/** Columns of an import that differ from those of an uploaded table. */
type ImportColumns = Record<string, unknown>;

async function insertImport(
  { database: { dataSource } }: DashboardFixture,
  { accountId }: TestAccount,
  given: ImportColumns,
): Promise<number> {
  const row: ImportColumns = {
    account_id: accountId,
    kind: "contacts",
    state: "mapping",
    name: "clientes.csv",
    size: 8_400,
    sha256: createHash("sha256").update("").digest(),
    detected: JSON.stringify(table),
    counts: JSON.stringify(noCounts()),
    reasons: "[]",
    ...given,
  };
  const names = Object.keys(row);
  const { insertId } = await dataSource.query<{ insertId: number }>(
    `INSERT INTO imports (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`,
    Object.values(row),
  );
  return insertId;
}

const plans = ["create", "update", "unchanged", "skip", "conflict"] as const;
const outcomes = ["created", "updated", "unchanged", "skipped", "conflict"] as const;

/** Rows of an import, with their outcome where it has ended. */
async function insertRows(
  { database: { dataSource } }: DashboardFixture,
  { accountId }: TestAccount,
  { importId, isDone }: { importId: number; isDone: boolean },
): Promise<void> {
  const rows = table.sample.slice(1).map((cells, index) => {
    const at = index % plans.length;
    const reason = plans[at] === "skip" ? "no_identifier" : null;
    const state = isDone ? outcomes[at] : "pending";
    const names = plans[at] === "update" ? JSON.stringify(["name", "tags"]) : null;
    const raw = JSON.stringify(cells);
    return [importId, index + 2, accountId, raw, plans[at], reason, names, state];
  });
  await dataSource.query(
    "INSERT INTO import_rows (import_id, number, account_id, raw, plan, reason, fields, state) VALUES ?",
    [rows],
  );
}

const planned = { create: 10, update: 10, unchanged: 10, skip: 10, conflict: 9 };
const done = { created: 10, updated: 9, unchanged: 11, skipped: 10, conflicts: 9 };

/** An import at each step: a table and a chat to map, a plan, and an outcome. */
export async function fillImportsInUse(fixture: DashboardFixture): Promise<void> {
  const { account } = fixture;
  await insertImport(fixture, account, {});
  const name = `${"Chat de WhatsApp con ".repeat(10)}😀.txt`;
  await insertImport(fixture, account, { kind: "chat", name, detected: JSON.stringify(chat) });
  const now = new Date();
  const mapped = { mapping: JSON.stringify(mapping), is_mapped: 1, planned_at: now };
  const plan = { plan: "skip", state: null, reason: "no_identifier", count: 10 };
  const plannedId = await insertImport(fixture, account, {
    ...mapped,
    state: "planned",
    counts: JSON.stringify({ ...noCounts(), rows: 49, planned }),
    reasons: JSON.stringify([plan]),
  });
  await insertRows(fixture, account, { importId: plannedId, isDone: false });
  const all = { rows: 49, planned, done: { ...noCounts().done, ...done } };
  const doneId = await insertImport(fixture, account, {
    ...mapped,
    state: "done",
    counts: JSON.stringify(all),
    reasons: JSON.stringify([{ ...plan, plan: null, state: "skipped" }]),
    differing: 1,
    is_begun: 1,
    started_at: now,
    finished_at: now,
    undo_until: new Date(now.getTime() + 80_000_000),
  });
  await insertRows(fixture, account, { importId: doneId, isDone: true });
}

/** Imports under names that are hard to show. */
export async function fillImports(
  fixture: DashboardFixture,
  account: TestAccount,
  rows: number,
): Promise<void> {
  const states = ["mapping", "planned", "committing", "paused", "done", "failed", "undone"];
  for (let row = 0; row < rows; row += 1) {
    const name = oddNames[row % oddNames.length] ?? null;
    const state = states[row % states.length];
    const trouble = state === "failed" ? { error_code: "quote_unclosed", error_line: 7 } : {};
    await insertImport(fixture, account, { name: name?.slice(0, 255) ?? null, state, ...trouble });
  }
}
