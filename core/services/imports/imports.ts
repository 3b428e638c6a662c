import { Not } from "typeorm";
import { Import } from "../../../db/entities/import.ts";
import type { Tx } from "../../../db/transaction.ts";
import { AppError } from "../../errors.ts";
import { dayMs } from "../../model/durations.ts";
import { phoneKey } from "../../model/contact.ts";
import type {
  ChatMapping,
  Detected,
  DetectedTable,
  ImportKindName,
  ImportMapping,
} from "../../model/import.ts";
import type { Page, PageBounds } from "../../model/page.ts";
import { importTransitions, type ImportCommand } from "../../model/workflow/importing.ts";
import { actingUserId } from "../accounts/actor.ts";
import { auditOf, recordAudit } from "../accounts/audit.ts";
import { recordChanges, type ChangeRecord } from "../outbox/changes.ts";
import { request } from "../outbox/outbox.ts";
import { findPage, getOwned, insertRow, lockOwned } from "../sql.ts";
import { importCommand } from "./import-commands.ts";
import { noTally } from "./import-rows.ts";
import { releaseTurn } from "./import-turns.ts";
import { findKnownMapping, headerHashOf, proposeMapping } from "./known-mappings.ts";

const audit = auditOf("import");

/** Rows are kept so long after the end of an import, and the entry of the list after its start. */
export const rowsKeptMs = 30 * dayMs;
/** The run deletes the file at its end. A purge deletes one that the run has left. */
const fileKeptMs = dayMs;
/** An import without any call for so long is closed. */
export const idleMs = 7 * dayMs;

/** Facts of an uploaded file. */
export interface ImportUpload {
  kind: ImportKindName;
  name: string | null;
  size: number;
  sha256: Buffer;
  detected: Detected;
}

/**
 * Announces an import before its bytes are stored, so that a crash leaves no file without a row. No
 * list shows it yet.
 */
export async function announceImport(tx: Tx, upload: ImportUpload): Promise<number> {
  const { accountId } = tx.actor;
  return await insertRow(tx, Import, {
    ...upload,
    ...noTally(),
    ...(await proposalFor(tx, upload.detected)),
    accountId,
    state: "uploaded",
    createdByUserId: actingUserId(tx.actor),
    createdAt: tx.now,
    updatedAt: tx.now,
  });
}

/** The mapping that a file begins with: the last one that a person saved for its header, if any. */
async function proposalFor(
  tx: Tx,
  detected: Detected,
): Promise<Pick<Import, "headerHash" | "mapping">> {
  const headerHash = headerHashOf(detected);
  const known = headerHash === null ? null : await findKnownMapping(tx, headerHash);
  return { headerHash, mapping: known ?? proposeMapping(detected) };
}

/** Records that the storage has the file, and requests the run of the import. */
export async function completeImport(tx: Tx, id: number, storageKey: string): Promise<Import> {
  const row = await lockOwned(tx, Import, "import", { id });
  await store(tx, row, { storageKey, state: "mapping" });
  const { kind, size } = row;
  await recordAudit(tx, audit("uploaded", id, { kind, size }));
  await request(tx, importCommand(row));
  return row;
}

/** The account's imports, the newest first. */
export async function listImports(tx: Tx, bounds: PageBounds): Promise<Page<Import>> {
  const { accountId } = tx.actor;
  return await findPage(tx, Import, bounds, {
    where: { accountId, state: Not("uploaded") },
    order: { id: "DESC" },
  });
}

/** @throws AppError `import_not_found` */
export async function getImport(tx: Tx, id: number): Promise<Import> {
  return await getOwned(tx, Import, "import", { id, state: Not("uploaded") });
}

/**
 * Saves the mapping of an import, which makes an earlier plan void.
 * @throws AppError `import_not_found`, `import_state`
 */
export async function mapImport(tx: Tx, id: number, mapping: ImportMapping): Promise<Import> {
  const row = await lockImport(tx, id, "map");
  await store(tx, row, {
    ...unplanned(),
    mapping,
    isMapped: true,
    phoneKey: "us" in mapping ? phoneKeyOf(mapping) : null,
  });
  return row;
}

/**
 * Stores what a file is after a person has named its charset or its delimiter, which makes an
 * earlier plan void. The mapping is proposed anew where the columns are others now.
 * @throws AppError `import_not_found`, `import_state`
 */
export async function storeDetected(tx: Tx, id: number, detected: DetectedTable): Promise<Import> {
  const row = await lockImport(tx, id, "map");
  const proposal = await proposalFor(tx, detected);
  const hasSameHeader = row.headerHash !== null && proposal.headerHash?.equals(row.headerHash);
  const kept = hasSameHeader === true ? {} : { ...proposal, isMapped: false };
  await store(tx, row, { ...unplanned(), ...kept, detected });
  return row;
}

function phoneKeyOf({ contact }: ChatMapping): string {
  return phoneKey(contact.phone);
}

const noError = { errorCode: null, errorLine: null } as const;
/** An import whose mapping has changed. */
function unplanned(): Partial<Import> {
  return { ...noTally(), ...noError, state: importTransitions.map.to, plannedAt: null };
}

/** Calls that a person makes after the mapping. */
export type ImportStepCommand = Exclude<ImportCommand, "map">;

/**
 * Plans, commits, pauses, resumes, cancels or undoes an import. The state changes at once: a batch
 * under way holds the lock of the row, so this waits for its end. The run then finds the new state.
 * @throws AppError `import_not_found`, `import_state`, `import_not_mapped`, `import_undo_expired`
 */
export async function changeImport(
  tx: Tx,
  id: number,
  command: ImportStepCommand,
  reason?: string,
): Promise<Import> {
  const row = await lockImport(tx, id, command);
  if (command === "plan" && row.mapping === null) throw new AppError("import_not_mapped");
  if (command === "undo") requireUndoable(tx, row);
  const before = row.state;
  await store(tx, row, { state: importTransitions[command].to, ...changesOf(tx, row, command) });
  if (command === "pause" || command === "cancel") await releaseTurn(tx, id);
  await recordAudit(tx, audit(`${command}_requested`, id, { state: before, reason }));
  await request(tx, importCommand(row));
  return row;
}

function requireUndoable(tx: Tx, { isBegun, undoUntil }: Import): void {
  if (!isBegun) throw new AppError("import_state", { message: "This import has changed nothing." });
  if (undoUntil === null || undoUntil <= tx.now) throw new AppError("import_undo_expired");
}

function changesOf(tx: Tx, row: Import, command: ImportStepCommand): Partial<Import> {
  switch (command) {
    case "plan":
      return { ...noTally(), ...noError, cursorRow: 0, plannedAt: null };
    case "commit":
      return { cursorRow: 0, isBegun: true, startedAt: tx.now };
    case "cancel":
      return endOf(tx, row);
    case "undo":
      return { cursorRow: row.cursorRow + 1, rowsUntil: null };
    case "pause":
    case "resume":
      return {};
  }
}

const undoMs = dayMs;

/**
 * Changes of an import that ends now: its file and its rows age from now on. The lines of the sample
 * go at once, because only the mapping shows them.
 */
export function endOf(
  tx: Tx,
  { isBegun, detected }: Pick<Import, "isBegun" | "detected">,
): Partial<Import> {
  const { now } = tx;
  return {
    detected: detected === null ? null : { ...detected, sample: [] },
    finishedAt: now,
    fileUntil: new Date(now.getTime() + fileKeptMs),
    rowsUntil: new Date(now.getTime() + rowsKeptMs),
    undoUntil: isBegun ? new Date(now.getTime() + undoMs) : null,
  };
}

/** Locks an import, and thereby waits for a batch under way. */
async function lockImport(tx: Tx, id: number, command: ImportCommand): Promise<Import> {
  const row = await lockOwned(tx, Import, "import", { id, state: Not("uploaded") });
  requireState(row, command);
  return row;
}

/** @throws AppError `import_state` where a call does not apply to an import in its state */
export function requireState({ state }: Pick<Import, "state">, command: ImportCommand): void {
  if (importTransitions[command].from.some((one) => one === state)) return;
  throw new AppError("import_state", {
    message: `This import is ${state}; ${command} does not apply to it.`,
  });
}

/** Changes an import, and tells live views. */
export async function store(tx: Tx, row: Import, changed: Partial<Import>): Promise<void> {
  const all = { ...changed, updatedAt: tx.now };
  await tx.manager.update(Import, row.id, all);
  Object.assign(row, all);
  await recordChanges(tx, changesFor(row));
}

/**
 * Live pages read the contacts again as the import goes on. They would read them without end if each
 * batch told of its own.
 */
function changesFor({ kind, isBegun }: Pick<Import, "kind" | "isBegun">): ChangeRecord[] {
  const own: ChangeRecord = { kind: "import.updated" };
  return kind === "contacts" && isBegun ? [own, { kind: "contact.updated" }] : [own];
}

/**
 * Changes an import within a phase. Live views hear of it once a second at most, however short its
 * batches are.
 */
export async function storeProgress(tx: Tx, row: Import, changed: Partial<Import>): Promise<void> {
  const isDue = secondOf(row.updatedAt) !== secondOf(tx.now);
  const all = { ...changed, updatedAt: tx.now };
  await tx.manager.update(Import, row.id, all);
  Object.assign(row, all);
  if (isDue) await recordChanges(tx, changesFor(row));
}

function secondOf(moment: Date): number {
  return Math.floor(moment.getTime() / 1_000);
}
