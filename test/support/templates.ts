import type { DataSource } from "typeorm";
import { readTemplatePage } from "../../core/channels/meta/template-list.ts";
import type { SyncTemplatesInput } from "../../core/model/workflow/template-sync.ts";
import {
  beginTemplateSync,
  completeTemplateSync,
  storeTemplates,
} from "../../core/services/templates/template-sync-runs.ts";
import { requestTemplateSync } from "../../core/services/templates/template-syncs.ts";
import { asSystem } from "./accounts.ts";
import { disconnectWhatsApp } from "./conversations.ts";

/** A number of WhatsApp that belongs to a WhatsApp Business Account, without credentials. */
export async function insertNumber(
  dataSource: DataSource,
  accountId: number,
  { wabaId = "900", externalId = "106", state = "connected" } = {},
): Promise<number> {
  const { insertId } = await dataSource.query<{ insertId: number }>(
    `INSERT INTO channel_accounts SET account_id = ?, channel = 'whatsapp', external_id = ?,
        name = 'Number', driver = 'whatsapp_cloud', parent_id = ?, state = ?`,
    [accountId, externalId, wabaId, state],
  );
  return insertId;
}

/** A number with a window and these templates, in the place of the account's sandbox. */
export async function connectWithTemplates(
  dataSource: DataSource,
  accountId: number,
  rows: readonly object[],
): Promise<void> {
  await disconnectWhatsApp(dataSource, accountId);
  await storeList(dataSource, accountId, await insertNumber(dataSource, accountId), rows);
}

/** A requested read, as its run begins it. */
export async function takeRun(dataSource: DataSource, accountId: number) {
  const [row] = await dataSource.query<{ id: number; run: number }[]>(
    "SELECT id, run FROM channel_template_syncs WHERE account_id = ? ORDER BY id DESC LIMIT 1",
    [accountId],
  );
  const input: SyncTemplatesInput = {
    accountId,
    syncId: row?.id ?? 0,
    run: row?.run ?? 0,
    waitMs: 0,
  };
  return input;
}

/** Reads a whole list of Meta's rows into the tables, as a run does. */
export async function storeList(
  dataSource: DataSource,
  accountId: number,
  channelAccountId: number,
  rows: readonly object[],
): Promise<void> {
  await asSystem(dataSource, accountId, (tx) => requestTemplateSync(tx, channelAccountId));
  const input = await takeRun(dataSource, accountId);
  const read = await asSystem(dataSource, accountId, (tx) => beginTemplateSync(tx, input));
  const page = readTemplatePage({ data: rows });
  if (read === null || page === null) throw new Error("The list cannot be read.");
  await asSystem(dataSource, accountId, (tx) => storeTemplates(tx, input, read, page.templates));
  await asSystem(dataSource, accountId, (tx) => completeTemplateSync(tx, input, read));
}

/** Moves every time of a list of an account back. */
export async function ageList(dataSource: DataSource, accountId: number, minutes: number) {
  const columns = ["requested_at", "wanted_at", "asked_at", "due_at", "synced_at", "failed_at"];
  const sets = columns.map((name) => `${name} = ${name} - INTERVAL ${minutes} MINUTE`).join(", ");
  await dataSource.query(`UPDATE channel_template_syncs SET ${sets} WHERE account_id = ?`, [
    accountId,
  ]);
}
