import { createImportFile } from "../../../activities/import-file.ts";
import type { ActivityDeps } from "../../../activities/deps.ts";
import { chatWork } from "../../../activities/imports/chat-work.ts";
import type { ImportWork } from "../../../activities/imports/import-work.ts";
import { openMediaWork } from "../../../activities/media/open-media-work.ts";
import type { ImportStep } from "../../../core/model/workflow/importing.ts";
import type { PlannedRow, RawRecord } from "../../../core/services/imports/import-kind.ts";
import { ImportFileError } from "../../../core/imports/import-error.ts";
import type { ImportRow } from "../../../db/entities/import.ts";
import type { Tx } from "../../../db/transaction.ts";
import { runActivity } from "../../support/activity.ts";
import { startImportFixture, type ImportFixture } from "../../api/imports/import-fixture.ts";
import { createAttemptFixture } from "../attempt-fixture.ts";

/** Faults that a test puts into the work of the kind. */
export interface WorkFaults {
  /** Called before each batch of a commit, with its rows. */
  onCommit: (rows: ImportRow[]) => void | Promise<void>;
  /** Called before each record of the file. */
  onRead: (number: number) => void;
}

/** An API, and the steps of an import whose rows become contacts by their phone. */
export interface ImportWorkFixture extends ImportFixture {
  faults: WorkFaults;
  stopping: AbortController;
  /** Uploads a file with so many contacts, and skips each whose phone is `-`. @returns its id */
  uploadRows(phones: readonly string[]): Promise<number>;
  /** Runs one step of the import, or of its undo. */
  step(id: number): Promise<ImportStep>;
  /** Runs steps until the import waits or has ended. */
  settle(id: number): Promise<ImportStep>;
}

const planned = (record: RawRecord): PlannedRow => {
  const cells = Array.isArray(record.raw) ? record.raw : [];
  const phone = cells[1] ?? "-";
  const isGood = phone !== "-";
  return {
    number: record.number,
    plan: isGood ? "create" : "skip",
    reason: isGood ? null : "no_identifier",
    fields: null,
    contactId: null,
    firstRow: null,
    phoneKey: isGood ? phone : null,
    email: null,
  };
};

async function createContact(tx: Tx, row: ImportRow): Promise<void> {
  const { insertId } = await tx.manager.query<{ insertId: number }>(
    "INSERT INTO contacts (account_id, phone, phone_key, source) VALUES (?, ?, ?, 'import')",
    [tx.actor.accountId, row.phoneKey, row.phoneKey],
  );
  await tx.manager.query(
    "UPDATE import_rows SET state = 'created', contact_id = ? WHERE import_id = ? AND number = ?",
    [insertId, row.importId, row.number],
  );
}

/** A kind that makes one contact of each row. Its statements show how often each row is applied. */
function contactPerRow(faults: WorkFaults): ImportWork {
  return {
    async *read(path, { detected }) {
      if (path === "" || detected === null || detected.format === "chat") {
        throw new ImportFileError("file_missing");
      }
      // The header is the first line of the sample.
      for (const [at, raw] of detected.sample.slice(1).entries()) {
        faults.onRead(at + 2);
        yield await Promise.resolve({ number: at + 2, raw });
      }
    },
    rules: {
      planBatch: async (_tx, _job, records) => await Promise.resolve(records.map(planned)),
      async commitBatch(tx, _job, rows) {
        await faults.onCommit(rows);
        for (const row of rows) await createContact(tx, row);
      },
      async undoBatch(tx, _job, rows) {
        for (const { importId, number, contactId } of rows) {
          const { affectedRows } = await tx.manager.query<{ affectedRows: number }>(
            "DELETE FROM contacts WHERE id = ? AND version = 1",
            [contactId],
          );
          await tx.manager.query(
            "UPDATE import_rows SET state = ?, reason = ? WHERE import_id = ? AND number = ?",
            affectedRows === 1
              ? ["undone", null, importId, number]
              : ["kept", "changed_since", importId, number],
          );
        }
      },
    },
  };
}

/**
 * Starts the fixture. A test sets `faults` and `stopping` as it needs them.
 * @param given the work of contacts, in place of one contact for each row
 */
export async function startImportWork(given?: ImportWork): Promise<ImportWorkFixture> {
  const api = await startImportFixture();
  const parts = await createAttemptFixture();
  const faults: WorkFaults = { onCommit: () => undefined, onRead: () => undefined };
  const work = given ?? contactPerRow(faults);
  const media = openMediaWork({
    media: { folder: api.folder, s3: null, scanner: null, retentionDays: null },
    graphUrl: "http://127.0.0.1:9",
    policy: { allowPrivate: false, ownHosts: [] },
  });
  const { stop } = api;
  const fixture: ImportWorkFixture = Object.assign(api, {
    faults,
    stopping: new AbortController(),
    async uploadRows(phones: readonly string[]) {
      const lines = phones.map((phone, at) => `Name ${at},${phone}`);
      const { json } = await api.upload(`Name,Phone\n${lines.join("\n")}\n`);
      return Number(json.data.id);
    },
    async step(id: number) {
      const deps: ActivityDeps = Object.assign({}, parts.deps, {
        dataSource: api.database.dataSource,
        media,
        stopping: fixture.stopping.signal,
      });
      const { runImport } = createImportFile(deps, { contacts: work, chat: chatWork });
      const input = { accountId: api.account.accountId, importId: id };
      return await runActivity(() => runImport(input));
    },
    async settle(id: number) {
      for (;;) {
        const step = await fixture.step(id);
        if (step.next !== "more") return step;
      }
    },
    async stop() {
      await stop();
      await parts.stop();
    },
  });
  return fixture;
}
