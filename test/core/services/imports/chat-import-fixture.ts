import type { ChatMapping, ChatRow } from "../../../../core/model/import.ts";
import { chatImport } from "../../../../core/services/imports/chat-import.ts";
import type { ImportJob } from "../../../../core/services/imports/import-kind.ts";
import { insertRows } from "../../../../core/services/imports/import-rows.ts";
import { ImportRow } from "../../../../db/entities/import.ts";
import { transaction, type Tx } from "../../../../db/transaction.ts";
import { createTestAccount, type TestAccount } from "../../../support/accounts.ts";
import { freshPhone } from "../../../support/contact-load.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";

/** Imports of chats in an account, without a file and without a run. */
export interface ChatImportFixture {
  database: TestDatabase;
  account: TestAccount;
  /** Phone of the customer of every chat. */
  phone: string;
  /** Takes another account and another phone. */
  renew(): Promise<void>;
  asImport<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  newJob(): ImportJob;
  /** Plans messages, the first under the number `from`. @returns their plans */
  plan(job: ImportJob, messages: ChatRow[], from?: number): Promise<string[]>;
  /** Commits all rows that are planned. @returns the states of all rows */
  commit(job: ImportJob): Promise<string[]>;
  undo(job: ImportJob): Promise<string[]>;
  rowsOf(job: ImportJob): Promise<ImportRow[]>;
  /** Plans and commits messages. */
  importChat(messages: ChatRow[]): Promise<ImportJob>;
  stop(): Promise<void>;
}

/** A message of a chat: a text of the customer, unless its facts differ. */
export function chatRow(at: string, text: string, facts: Partial<ChatRow> = {}): ChatRow {
  return { at: `${at}.000Z`, direction: "in", text, kind: "text", file: null, ...facts };
}

/** Starts the fixture. */
export async function startChatImports(): Promise<ChatImportFixture> {
  const database = await createTestDatabase();
  const { dataSource } = database;
  let importId = 0;
  const fixture: ChatImportFixture = {
    database,
    account: await createTestAccount(dataSource),
    phone: freshPhone(),
    async renew() {
      fixture.account = await createTestAccount(dataSource);
      fixture.phone = freshPhone();
    },
    async asImport(work) {
      const actor = { type: "import", accountId: fixture.account.accountId } as const;
      return await transaction(dataSource, { actor }, work);
    },
    newJob() {
      const { accountId, userId: createdByUserId } = fixture.account;
      const mapping: ChatMapping = {
        us: "Shop",
        contact: { phone: fixture.phone, name: "Ana" },
        time_zone: "UTC",
        day_first: true,
      };
      importId += 1;
      return { id: importId, accountId, kind: "chat", mapping, detected: null, createdByUserId };
    },
    async plan(job, messages, from = 1) {
      const records = messages.map((raw, index) => ({ number: from + index, raw }));
      return await fixture.asImport(async (tx) => {
        const planned = await chatImport.planBatch(tx, job, records);
        await insertRows(tx, job, records, planned);
        return planned.map((row) => row.plan);
      });
    },
    async rowsOf(job) {
      const where = { importId: job.id };
      return await dataSource.manager.find(ImportRow, { where, order: { number: "ASC" } });
    },
    async commit(job) {
      const rows = await fixture.rowsOf(job);
      const open = rows.filter(({ plan, state }) => plan !== "skip" && state === "pending");
      await fixture.asImport((tx) => chatImport.commitBatch(tx, job, open));
      return (await fixture.rowsOf(job)).map(({ state }) => state);
    },
    async undo(job) {
      const done = (await fixture.rowsOf(job)).filter(({ state }) => state === "created");
      await fixture.asImport((tx) => chatImport.undoBatch(tx, job, done.toReversed()));
      return (await fixture.rowsOf(job)).map(({ state }) => state);
    },
    async importChat(messages) {
      const job = fixture.newJob();
      await fixture.plan(job, messages);
      await fixture.commit(job);
      return job;
    },
    stop: () => database.stop(),
  };
  return fixture;
}
